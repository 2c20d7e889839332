/// What stands on the terminal of a display that is drawn over itself, and how to get rid of it. A pure value.
///
/// The cursor rests at the beginning of the line below what is drawn, so that whatever else writes begins on a line of its own.
struct DrawnLines {
  private var widths: [Int] = []

  var isEmpty: Bool { widths.isEmpty }

  /// The bytes that put `lines` in the place of what is there, in a window of so many columns by now. Nothing is cleared before
  /// the new line is written over it, so nothing flickers.
  mutating func replace(with lines: [String], columns: Int) -> String {
    var text = up(columns)
    for line in lines { text += line + "\u{1B}[K\n" }
    if widths.count > 0 { text += "\u{1B}[J" }
    widths = lines.map { Cells.width(DrawnLines.withoutColour($0)) }
    return text
  }

  /// The bytes that take away what is there.
  mutating func clear(columns: Int) -> String {
    if widths.isEmpty { return "" }
    defer { widths = [] }
    return up(columns) + "\u{1B}[J"
  }

  /// What is there is not ours to touch any more: something else has written since.
  mutating func forget() { widths = [] }

  /// To the first line. A window that was made narrower has broken lines in two.
  private func up(_ columns: Int) -> String {
    let rows = widths.reduce(0) { $0 + max(1, ($1 + columns - 1) / max(1, columns)) }
    return rows > 0 ? "\u{1B}[\(rows)A\r" : ""
  }

  private static func withoutColour(_ line: String) -> String {
    var kept = String.UnicodeScalarView()
    var isInside = false
    for scalar in line.unicodeScalars {
      if scalar == "\u{1B}" { isInside = true }
      if !isInside { kept.append(scalar) }
      if isInside && scalar == "m" { isInside = false }
    }
    return String(kept)
  }
}
