/// The screen of ``TerminalEmulator``: cells, and pictures that lie on them. A value.
package struct EmulatedScreen: Sendable {
  package enum Question: Sendable, Hashable {
    case kitty(Int)
    case attributes, cell
    case mode(Int)
  }

  /// A colour, or none: the terminal's own.
  package typealias Colour = UInt32?

  package struct Cell: Sendable, Hashable {
    package var character: Character = " "
    package var front: Colour = nil
    package var back: Colour = nil
  }

  package let cell: (width: Int, height: Int)
  package private(set) var columns: Int
  package private(set) var rows: Int
  package private(set) var lines: [[Cell]]
  package private(set) var row = 0
  package private(set) var column = 0
  package var pictures: [EmulatedPicture] = []
  /// The sequences that the terminal does not know.
  package var surprises: [String] = []
  package private(set) var isCursorHidden = false
  /// True if a redraw has begun that is to be shown at once. `synchronised` counts those that have ended.
  package private(set) var isSynchronising = false
  package private(set) var synchronised = 0
  /// The number of pictures drawn in all.
  package var picturesDrawn = 0
  private var front: Colour = nil
  private var back: Colour = nil
  private var saved = (row: 0, column: 0)
  private var questions: [Question] = []
  private var parser = SequenceParser()
  var kitty = KittyTransmission()

  init(columns: Int, rows: Int, cell: (width: Int, height: Int)) {
    (self.columns, self.rows, self.cell) = (columns, rows, cell)
    lines = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The lines' text, without blanks at their ends.
  package var text: [String] { lines.map { line in String(line.map(\.character)).trimmed } }

  /// True if colours are the usual ones, the cursor is seen and nothing is half done, as a shell wants it.
  package var isAsBefore: Bool {
    front == nil && back == nil && !isCursorHidden && !isSynchronising && parser.isIdle && column == 0
  }

  mutating func takeQuestions() -> [Question] {
    defer { questions = [] }
    return questions
  }

  mutating func ask(_ question: Question) { questions.append(question) }

  mutating func resize(columns: Int, rows: Int) {
    lines = lines.map { line in
      Array(line.prefix(columns)) + Array(repeating: Cell(), count: max(0, columns - line.count))
    }
    while lines.count > rows, lines.count > row + 1 { lines.removeLast() }
    (self.columns, self.rows) = (columns, rows)
    while lines.count > rows {
      lines.removeFirst()
      row -= 1
      for at in pictures.indices { pictures[at].row -= 1 }
    }
    while lines.count < rows { lines.append(Array(repeating: Cell(), count: columns)) }
    row = min(row, rows - 1)
    column = min(column, columns)
  }

  mutating func take(_ byte: UInt8) {
    guard let sequence = parser.take(byte) else { return }
    switch sequence {
    case .character(let character): put(character)
    case .control(let byte): control(byte)
    case .escape(let byte): escape(byte)
    case .csi(let parameters, let last): csi(parameters, last)
    case .apc(let content): takeKitty(content)
    case .osc(let content): takeITerm(content)
    case .dcs(let content): takeSixel(content)
    }
  }

  // MARK: - Text

  private mutating func put(_ character: Character) {
    // As terminals do, the line breaks only with the next character.
    if column == columns {
      column = 0
      down()
    }
    lines[row][column] = Cell(character: character, front: front, back: back)
    column += 1
  }

  private mutating func control(_ byte: UInt8) {
    switch byte {
    case 0x0A: down()
    case 0x0D: column = 0
    case 0x07: break
    default: surprises.append("control \(byte)")
    }
  }

  mutating func down() { if row + 1 < rows { row += 1 } else { scroll() } }

  mutating func move(toRow row: Int, column: Int) {
    (self.row, self.column) = (min(row, rows - 1), min(column, columns))
  }

  private mutating func scroll() {
    lines.removeFirst()
    lines.append(Array(repeating: Cell(), count: columns))
    for at in pictures.indices { pictures[at].row -= 1 }
    saved.row -= 1
  }

  private mutating func escape(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "7"): saved = (row, column)
    case UInt8(ascii: "8"): (row, column) = (max(0, saved.row), saved.column)
    // The end of a string, where none has begun: it is ignored, as by every terminal.
    case UInt8(ascii: "\\"): break
    default: surprises.append("escape \(byte)")
    }
  }

  private mutating func csi(_ parameters: String, _ last: Character) {
    let isPrivate = parameters.hasPrefix("?")
    let numbers = parameters.drop { $0 == "?" }.split(separator: ";", omittingEmptySubsequences: false).map {
      Int($0) ?? 0
    }
    let first = max(1, numbers.first ?? 1)
    switch last {
    case "A": row = max(0, row - first)
    case "B": row = min(rows - 1, row + first)
    case "C": column = min(columns - 1, column + first)
    case "K": erase(row, from: column)
    case "J":
      erase(row, from: column)
      for line in row + 1..<max(row + 1, rows) { erase(line, from: 0) }
    case "m": colour(numbers)
    case "c": ask(.attributes)
    case "t" where parameters == "16": ask(.cell)
    case "p" where isPrivate && parameters.hasSuffix("$"): ask(.mode(Int(parameters.dropFirst().dropLast()) ?? 0))
    case "h" where isPrivate, "l" where isPrivate: mode(numbers.first ?? 0, isSet: last == "h")
    default: surprises.append("CSI \(parameters)\(last)")
    }
  }

  private mutating func mode(_ mode: Int, isSet: Bool) {
    switch mode {
    case 25: isCursorHidden = !isSet
    case 2026:
      if !isSet, isSynchronising { synchronised += 1 }
      isSynchronising = isSet
    default: surprises.append("mode \(mode)")
    }
  }

  private mutating func erase(_ line: Int, from start: Int) {
    for at in min(start, columns)..<columns { lines[line][at] = Cell(back: back) }
    for at in pictures.indices where !pictures[at].isKittys { pictures[at].erase(line: line, from: start, cell: cell) }
  }

  private mutating func colour(_ numbers: [Int]) {
    var rest = numbers[...]
    while let number = rest.popFirst() {
      switch number {
      case 0: (front, back) = (nil, nil)
      case 39: front = nil
      case 49: back = nil
      case 38, 48:
        let colour: Colour
        switch rest.popFirst() {
        case 2?:
          let parts = (0..<3).map { _ in UInt32(rest.popFirst() ?? 0) }
          colour = parts[0] << 16 | parts[1] << 8 | parts[2]
        case 5?: colour = Self.palette(rest.popFirst() ?? 0)
        default: return surprises.append("SGR \(numbers)")
        }
        if number == 38 { front = colour } else { back = colour }
      case 1, 2, 31...37: break
      default: surprises.append("SGR \(number)")
      }
    }
  }

  /// A colour of xterm's fixed ones.
  private static func palette(_ number: Int) -> UInt32 {
    let levels: [UInt32] = [0, 95, 135, 175, 215, 255]
    if number >= 232 {
      let level = UInt32(8 + 10 * (number - 232))
      return level << 16 | level << 8 | level
    }
    let place = max(0, number - 16)
    return levels[min(5, place / 36)] << 16 | levels[place / 6 % 6] << 8 | levels[place % 6]
  }

  // MARK: - What is seen

  /// The colours of RGBA pixels that are opaque.
  package static func colours(of pixels: [UInt8]) -> [Colour] {
    stride(from: 0, to: pixels.count, by: 4).map { (at: Int) -> Colour in
      let (red, green, blue) = (UInt32(pixels[at]), UInt32(pixels[at + 1]), UInt32(pixels[at + 2]))
      return red << 16 | green << 8 | blue
    }
  }

  /// The halves of the cells: what the half blocks of a part of the screen show, row by row.
  package func halves(row: Int, rows: Int, columns: Int) -> [[Colour]] {
    (row..<row + rows).flatMap { line in
      let cells = lines[line].prefix(columns)
      return [
        cells.map { $0.character == "\u{2580}" ? $0.front : $0.back },
        cells.map { $0.character == "\u{2584}" ? $0.front : $0.back },
      ]
    }
  }

  /// The pixels of the pictures in a part of the screen, as RGBA.
  package func pixels(row: Int, column: Int = 0, width: Int, height: Int) -> [UInt8] {
    var pixels = [UInt8](repeating: 0, count: width * height * 4)
    for picture in pictures {
      for y in 0..<height {
        for x in 0..<width {
          guard let pixel = picture.pixel(x + column * cell.width, y + row * cell.height, cell), pixel[3] > 0 else {
            continue
          }
          let at = (y * width + x) * 4
          for channel in 0..<4 { pixels[at + channel] = pixel[channel] }
        }
      }
    }
    return pixels
  }
}

extension String {
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}

/// A picture that lies on the cells.
package struct EmulatedPicture: Sendable {
  package var row: Int
  package let column: Int
  /// The size of the picture, and its pixels as RGBA.
  package let width: Int
  package let height: Int
  package var pixels: [UInt8]
  /// The pixels of the screen over which it is stretched.
  package let shownWidth: Int
  package let shownHeight: Int
  /// The picture's number in kitty's protocol.
  package var number: Int?
  var isKittys: Bool { number != nil }

  /// The picture's pixel at a place of the screen.
  func pixel(_ x: Int, _ y: Int, _ cell: (width: Int, height: Int)) -> [UInt8]? {
    let (left, top) = (x - column * cell.width, y - row * cell.height)
    guard left >= 0, top >= 0, left < shownWidth, top < shownHeight else { return nil }
    let at = (top * height / shownHeight * width + left * width / shownWidth) * 4
    return at + 4 <= pixels.count ? Array(pixels[at..<at + 4]) : nil
  }

  mutating func erase(line: Int, from start: Int, cell: (width: Int, height: Int)) {
    let (top, left) = ((line - row) * cell.height, max(0, (start - column) * cell.width))
    guard top >= 0, top < height, left < width else { return }
    for y in top..<min(height, top + cell.height) {
      for x in left..<width { pixels[(y * width + x) * 4 + 3] = 0 }
    }
  }
}
