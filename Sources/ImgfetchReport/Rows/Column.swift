/// A list of any length that grows in pieces: a list in one piece takes up to three times its size while it grows.
struct Column<Element: Sendable>: Sendable {
  private var pieces: [[Element]] = []
  private(set) var count = 0

  private static var piece: Int { 1 << 16 }

  mutating func append(_ element: Element) {
    if count & (Self.piece - 1) == 0 {
      pieces.append([])
      pieces[pieces.count - 1].reserveCapacity(Self.piece)
    }
    pieces[pieces.count - 1].append(element)
    count += 1
  }

  func forEach(_ take: (Int, Element) -> Void) {
    for piece in pieces.indices {
      for place in pieces[piece].indices { take(piece << 16 | place, pieces[piece][place]) }
    }
  }

  subscript(_ place: Int) -> Element {
    get { pieces[place >> 16][place & (Self.piece - 1)] }
    set { pieces[place >> 16][place & (Self.piece - 1)] = newValue }
  }
}
