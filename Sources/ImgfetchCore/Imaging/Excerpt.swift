/// The first words of a body that is no image, fit to be shown: a server's error page says in them what went wrong.
enum Excerpt {
  /// Long enough for a sentence, short enough for a line of a terminal.
  private static let longest = 72

  /// These bytes as text without anything that could steer a terminal or deceive a reader (control characters, ones
  /// that turn the direction of writing, ones without width), white space made single, and not too long.
  static func of(_ bytes: [UInt8]) -> String {
    var words = ""
    var count = 0
    var isSpacePending = false
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if scalar.properties.isWhitespace {
        isSpacePending = count > 0
        continue
      }
      guard isHarmless(scalar) else { continue }
      guard count < longest else { return words + "…" }
      if isSpacePending {
        words.unicodeScalars.append(" ")
        count += 1
      }
      isSpacePending = false
      words.unicodeScalars.append(scalar)
      count += 1
    }
    return words
  }

  private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII { return scalar.value > 0x20 && scalar.value < 0x7F }
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator,
      .nonspacingMark, .enclosingMark:
      return false
    // The mark for what was no UTF-8, and characters that are drawn as nothing.
    default: return scalar != "\u{FFFD}" && !scalar.properties.isDefaultIgnorableCodePoint
    }
  }
}
