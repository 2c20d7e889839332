import ImgfetchCore

/// The text of a line that makes no sense, without what may be a password in a URL: user info becomes `***`.
enum MaskedText {
  /// The text in place of a URL. A single word with a scheme is one URL, whose path may have an `@`; anything else,
  /// such as a row of a table, may hold several.
  static func of(_ text: String) -> String {
    let text = WebURL.masked(text)
    let bytes = Array(text.utf8)
    let rest = bytes.drop { (0x61...0x7A).contains($0 | 0x20) || (0x30...0x39).contains($0) || "+-.".utf8.contains($0) }
    if rest.starts(with: "://".utf8), !bytes.contains(where: isBetweenWords) { return text }
    return String(decoding: self.bytes(bytes), as: UTF8.self)
  }

  static func bytes(_ text: [UInt8]) -> [UInt8] {
    var masked: [UInt8] = []
    masked.reserveCapacity(text.count)
    var at = 0
    while at < text.count {
      let end = text[at...].firstIndex(where: isBetweenWords) ?? text.count
      append(text[at..<end], to: &masked)
      if end < text.count { masked.append(text[end]) }
      at = end + 1
    }
    return masked
  }

  private static func isBetweenWords(_ byte: UInt8) -> Bool { byte <= 0x20 || "\"'<>".utf8.contains(byte) }

  /// Masks everything up to the last `@`, since a password may hold any character that begins or ends a part of a URL.
  private static func append(_ word: ArraySlice<UInt8>, to masked: inout [UInt8]) {
    guard let last = word.lastIndex(of: UInt8(ascii: "@")) else { return masked.append(contentsOf: word) }
    // A name and a password have a colon between them; an address of mail has none.
    guard let start = slashes(in: word[..<last]) ?? (word[..<last].contains(UInt8(ascii: ":")) ? word.startIndex : nil)
    else {
      return masked.append(contentsOf: word)
    }
    masked += word[..<start]
    masked += WebURL.mask.utf8
    masked += word[last...]
  }

  /// The index after the first `//`.
  private static func slashes(in word: ArraySlice<UInt8>) -> Int? {
    for (at, byte) in zip(word.indices, word) where byte == UInt8(ascii: "/") {
      if at + 1 < word.endIndex, word[at + 1] == UInt8(ascii: "/") { return at + 2 }
    }
    return nil
  }
}
