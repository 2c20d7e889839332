/// The parts of a TIFF that have yet to be read, the nearest first.
///
/// A heap, because a file may name a hundred thousand parts in any order.
struct TIFFAgenda: Sendable {
  /// The kind of a part.
  enum Item: Sendable {
    case directory(isPage: Bool)
    /// Values of the directory that is kept in this slot.
    case values(TIFFDirectory.Reference, of: Int32)
  }

  struct Piece: Sendable {
    let start: Int64
    let item: Item

    /// True if this piece comes first. At one place, a directory comes before values: values can be read a second time.
    fileprivate func precedes(_ other: Piece) -> Bool {
      guard start == other.start else { return start < other.start }
      if case .directory = item, case .values = other.item { return true }
      return false
    }
  }

  private var parts: [Piece] = []

  var first: Piece? { parts.first }

  var isEmpty: Bool { parts.isEmpty }

  mutating func insert(_ item: Item, at start: Int64) {
    parts.append(Piece(start: start, item: item))
    var place = parts.count - 1
    while place > 0, parts[place].precedes(parts[(place - 1) / 2]) {
      parts.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  mutating func removeFirst() -> Piece? {
    guard let first = parts.first, let last = parts.popLast() else { return nil }
    guard !parts.isEmpty else { return first }
    parts[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < parts.count && parts[child].precedes(parts[least]) {
        least = child
      }
      guard least != place else { return first }
      parts.swapAt(place, least)
      place = least
    }
  }
}
