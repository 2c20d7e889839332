import ImgfetchCore

/// What stands on the terminal of a display that is drawn over itself, how other text comes above it, and how to get rid of it. A
/// pure value.
///
/// The cursor rests at the beginning of the line below what is drawn, so that whatever else writes begins on a line of its own.
struct DrawnLines {
  private var lines: [String] = []
  /// Text was printed whose line has not ended: what is drawn now would become part of that line.
  private var isMidLine = false

  var isEmpty: Bool { lines.isEmpty }

  /// The bytes that put `lines` in the place of what is there, in a window of so many columns by now. Nothing is cleared before
  /// the new line is written over it, so nothing flickers.
  mutating func replace(with lines: [String], columns: Int) -> String {
    if isMidLine { return "" }
    var text = up(columns)
    for line in lines { text += line + "\u{1B}[K\n" }
    if !self.lines.isEmpty { text += "\u{1B}[J" }
    self.lines = lines
    return text
  }

  /// The bytes that write `text` above what is there. To be written at once: in two pieces, the terminal would stand without
  /// what is drawn in between.
  ///
  /// Text that does not end its line takes the place of what is drawn, which comes back when the line has ended.
  mutating func print(_ text: [UInt8], columns: Int) -> [UInt8] {
    var bytes = Array(up(columns).utf8)
    // Cleared before the text, not behind each line of it: behind a line that fills the window, some terminals would clear its last
    // character.
    if !lines.isEmpty { bytes += Array("\u{1B}[J".utf8) }
    bytes += text
    note(text)
    if isMidLine { lines = [] }
    for line in lines { bytes.append(text: line + "\n") }
    return bytes
  }

  /// Something was printed while nothing is drawn.
  mutating func note(_ text: [UInt8]) {
    if let last = text.last { isMidLine = last != UInt8(ascii: "\n") }
  }

  /// The bytes that take away what is there.
  mutating func clear(columns: Int) -> String {
    if lines.isEmpty { return "" }
    defer { lines = [] }
    return up(columns) + "\u{1B}[J"
  }

  /// What is there is not ours to touch any more: something else has written since.
  mutating func forget() { lines = [] }

  /// To the first line. A window that was made narrower has broken lines in two.
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
