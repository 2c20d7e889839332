import ImgfetchCore

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
