import ImgfetchCore

/// The window of a terminal. Its size is read each time, since it may change at any moment.
struct Window: Sendable {
  private let descriptor: Int32
  /// The value of `COLUMNS`, which takes precedence over the window: the user has exported it.
  private let requested: Int?

  init(_ descriptor: Int32, _ environment: Environment) {
    self.descriptor = descriptor
    requested = environment["COLUMNS"].flatMap { Int($0) }.flatMap { (1...Self.most).contains($0) ? $0 : nil }
  }

  /// No window is wider; a larger number is a mistake.
  private static let most = 10_000

  /// The width in cells; nil if unknown.
  var columns: Int? { requested ?? ProcessEnvironment.terminalColumns(descriptor) }

  /// The height in lines; nil if unknown.
  var rows: Int? { ProcessEnvironment.terminalRows(descriptor) }
}

/// The lines of a display that is redrawn in place: how to replace them, print above them and remove them. A pure
/// value.
///
/// The cursor stays at the beginning of the line below, so that other output begins on a new line.
struct DrawnLines {
  private var lines: [String] = []
  /// The last printed text did not end its line: anything drawn now would become part of that line.
  private var isMidLine = false

  var isEmpty: Bool { lines.isEmpty }

  /// The bytes that replace the current lines by `lines`, in a window of the given width. Old lines are overwritten and
  /// not cleared first, so that nothing flickers.
  mutating func replace(with lines: [String], columns: Int) -> String {
    if isMidLine { return "" }
    var text = up(columns)
    for line in lines { text += line + "\u{1B}[K\n" }
    if !self.lines.isEmpty { text += "\u{1B}[J" }
    self.lines = lines
    return text
  }

  /// The bytes that print `text` above the lines. They must be written at once: with two writes, the terminal would
  /// briefly show no lines.
  ///
  /// Text that does not end its line replaces the lines, which return when the line has ended.
  mutating func print(_ text: [UInt8], columns: Int) -> [UInt8] {
    var bytes = Array(up(columns).utf8)
    // Cleared before the text and not after each line of it: after a line that fills the window, some terminals would
    // clear its last character.
    if !lines.isEmpty { bytes += Array("\u{1B}[J".utf8) }
    bytes += text
    note(text)
    if isMidLine { lines = [] }
    for line in lines { bytes.append(text: line + "\n") }
    return bytes
  }

  /// Notes text that was printed while nothing is drawn.
  mutating func note(_ text: [UInt8]) {
    if let last = text.last { isMidLine = last != UInt8(ascii: "\n") }
  }

  /// The bytes that remove the lines.
  mutating func clear(columns: Int) -> String {
    if lines.isEmpty { return "" }
    defer { lines = [] }
    return up(columns) + "\u{1B}[J"
  }

  /// Forgets the lines: other output has followed them, so they can no longer be replaced.
  mutating func forget() { lines = [] }

  /// Moves to the first line. A narrower window has wrapped lines.
  private func up(_ columns: Int) -> String {
    let rows = lines.reduce(0) { $0 + max(1, (DrawnLines.width($1) + columns - 1) / max(1, columns)) }
    return rows > 0 ? "\u{1B}[\(rows)A\r" : ""
  }

  private static func width(_ line: String) -> Int {
    var kept = String.UnicodeScalarView()
    var isInside = false
    for scalar in line.unicodeScalars {
      if scalar == "\u{1B}" { isInside = true }
      if !isInside { kept.append(scalar) }
      if isInside && scalar == "m" { isInside = false }
    }
    return Cells.width(String(kept))
  }
}

/// The width of text on a terminal, where a character may take two cells or none.
enum Cells {
  static func width(_ text: String) -> Int {
    if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
    return text.unicodeScalars.reduce(0) { $0 + width($1) }
  }

  static func width(_ scalar: Unicode.Scalar) -> Int {
    if scalar.value < 0x300 { return 1 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: return wide.contains { $0.contains(scalar.value) } ? 2 : 1
    }
  }

  /// The blocks of East Asian wide characters and of emoji (Unicode's East_Asian_Width W and F, as whole blocks).
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0xA4CF,
    0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
    0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x1FA70...0x1FAFF,
    0x20000...0x3FFFD,
  ]

  /// The text in at most `width` cells. A text that is too wide is cut in the middle, since the ends of URLs and paths
  /// say more.
  static func shortened(_ text: String, to width: Int, isUnicode: Bool = true) -> String {
    if Cells.width(text) <= width { return text }
    let mark = isUnicode ? "…" : "~"
    if width < 2 { return width == 1 ? mark : "" }
    let room = width - 1
    // The end gets more room: names differ there.
    let head = beginning(of: text, room * 2 / 5)
    let tail = beginning(of: text.reversed(), room - Cells.width(String(head)))
    return String(head) + mark + String(tail.reversed())
  }

  /// Whole characters: an accent without its letter would be drawn on the mark.
  private static func beginning(of characters: some Sequence<Character>, _ width: Int) -> [Character] {
    var kept: [Character] = []
    var room = width
    for character in characters {
      room -= Cells.width(String(character))
      if room < 0 { break }
      kept.append(character)
    }
    return kept
  }

  static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - Cells.width(text)))
  }

  static func rightAligned(_ text: String, in width: Int) -> String {
    String(repeating: " ", count: max(0, width - Cells.width(text))) + text
  }
}

/// Colours on a terminal, or none. Only the eight that every terminal has, in the user's own shades.
struct Style: Sendable {
  enum Tone: String, Sendable {
    case good = "32"
    case cached = "36"
    case warning = "33"
    case bad = "31"
    case faint = "2"
    case strong = "1"
  }

  let hasColour: Bool

  func text(_ text: String, _ tone: Tone) -> String {
    hasColour && !text.isEmpty ? "\u{1B}[\(tone.rawValue)m\(text)\u{1B}[0m" : text
  }
}
