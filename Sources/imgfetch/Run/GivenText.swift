import ImgfetchCore

/// What the system hands over as bytes, as text. Nothing is repaired: a name with a byte exchanged is another file's.
enum GivenText {
  static func arguments(_ arguments: [[UInt8]]) throws(UsageError) -> [String] {
    var texts: [String] = []
    for bytes in arguments {
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw UsageError(
          "argument \(texts.count + 1)\(shown(bytes, after: texts.last)) is not UTF-8, as options, URLs and names of files "
            + "must be; a file with another name can be given as standard input",
          help: nil)
      }
      texts.append(text)
    }
    return texts
  }

  /// The argument in words, if it is an operand: the value of an option may be a password.
  private static func shown(_ bytes: [UInt8], after previous: String?) -> String {
    guard let previous, bytes.first != UInt8(ascii: "-"), !previous.hasPrefix("-") else { return "" }
    var text: [UInt8] = []
    for byte in bytes {
      if byte < 0x80 {
        text.append(byte)
      } else {
        text.append(text: "\\x")
        text.append(hex: [byte])
      }
    }
    return ", '\(WebURL.masked(String(decoding: text, as: UTF8.self)))',"
  }

  /// A variable of ours that is no text is a mistake; any other counts as not set.
  static func environment(_ entries: [[UInt8]]) throws(UsageError) -> Environment {
    for bytes in entries
    where bytes.starts(with: Resolved.prefix.utf8) && String(validating: bytes, as: UTF8.self) == nil {
      let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "=") }, as: UTF8.self)
      throw UsageError("the value of \(name) is not UTF-8", help: nil)
    }
    return Environment(entries: entries)
  }

  /// The text of a configuration file; the line that is none is named.
  static func configuration(_ bytes: [UInt8], path: String) throws(UsageError) -> String {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let line = lines.firstIndex { String(validating: $0, as: UTF8.self) == nil } ?? 0
    throw UsageError("\(path):\(line + 1): the line is not UTF-8", help: Configuration.help)
  }
}
