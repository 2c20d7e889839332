/// The head of a message in MIME, such as an e-mail.
enum MessageHead {
  /// True if a text begins with one. Other texts begin with names and colons, too, but none of them has this one.
  static func begins(_ text: [UInt8]) -> Bool {
    for (index, line) in text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      if line.starts(with: "From ".utf8), index == 0 { continue }
      if line.map(TextBytes.lowered).starts(with: "mime-version:".utf8) { return true }
      // The rest of a field may stand in further lines, which begin with a space.
      let isFurther = index > 0 && (line.first.map(TextBytes.isSpace) ?? false)
      guard isFurther || isField(line) else { return false }
    }
    return false
  }

  private static func isField(_ line: ArraySlice<UInt8>) -> Bool {
    let name = line.prefix { TextBytes.isLetter($0) || TextBytes.isDigit($0) || $0 == UInt8(ascii: "-") }
    return !name.isEmpty && name.endIndex < line.endIndex && line[name.endIndex] == UInt8(ascii: ":")
  }
}
