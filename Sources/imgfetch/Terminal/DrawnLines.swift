import ImgfetchCore

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
