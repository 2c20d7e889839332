/// Text that came from a server, or may have: as it may be shown.
enum SafeText {
  /// Who reads it.
  enum Reader: Sendable {
    /// A person: what cannot be seen, turns text around or moves the cursor is left out; a line break becomes a blank.
    case person
    /// A program: besides, TAB and line breaks are escaped as `\t`, `\n` and `\r`, so that fields and lines stay apart.
    case program
  }

  static func append(_ text: String, to buffer: inout [UInt8], for reader: Reader) {
    if isPlain(text) { return buffer.append(text: text) }
    for scalar in text.unicodeScalars {
      if let escape = escape(scalar) {
        buffer.append(text: reader == .program ? escape : " ")
      } else if !Unprintable.contains(scalar) {
        buffer.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }

  /// A path for a program: every character stays, since the program wants to open that very file, but TAB, line breaks and
  /// other control characters are escaped.
  static func append(path: String, to buffer: inout [UInt8]) {
    if isPlain(path) { return buffer.append(text: path) }
    for byte in path.utf8 {
      if let escape = escape(Unicode.Scalar(byte)) {
        buffer.append(text: escape)
      } else if byte < 0x20 || byte == 0x7F {
        buffer.append(text: "\\x")
        buffer.append(hex: [byte])
      } else {
        buffer.append(byte)
      }
    }
  }

  /// The text as a person may see it.
  static func text(_ text: String) -> String {
    if isPlain(text) { return text }
    var buffer: [UInt8] = []
    append(text, to: &buffer, for: .person)
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Nearly all text is ASCII that can be seen.
  private static func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8Span.span
    for at in bytes.indices where bytes[at] &- 0x20 >= 0x5F { return false }
    return true
  }

  private static func escape(_ scalar: Unicode.Scalar) -> String? {
    switch scalar {
    case "\t": "\\t"
    case "\n": "\\n"
    case "\r": "\\r"
    default: nil
    }
  }
}

/// The characters that change what a person sees without being seen: they have no place on a terminal or in a file's name
/// when they come from a server.
enum Unprintable {
  /// Whether a scalar is a control character, turns the direction of text, takes no room, or is none.
  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 0x7F { return value < 0x20 }
    if value < 0xAD { return value <= 0x9F }
    // Nothing of the kind lies between the last of the first table's ranges and the next plane.
    return ranges.contains { $0.contains(value) }
  }

  /// Unicode's default-ignorable and bidirectional control characters, line and paragraph separators, the replacement
  /// character (which stands for bytes that were no text), non-characters and the marks of annotations.
  private static let ranges: [ClosedRange<UInt32>] = [
    0x00AD...0x00AD,  // soft hyphen
    0x034F...0x034F,  // grapheme joiner
    0x061C...0x061C,  // Arabic letter mark
    0x115F...0x1160,  // Hangul fillers
    0x17B4...0x17B5,  // Khmer inherent vowels
    0x180B...0x180F,  // Mongolian selectors
    0x200B...0x200F,  // zero-width space, joiners, direction marks
    0x2028...0x202E,  // separators, embeddings and overrides
    0x2060...0x206F,  // joiners, isolates, deprecated formats
    0x3164...0x3164,  // Hangul filler
    0xFDD0...0xFDEF,  // non-characters
    0xFE00...0xFE0F,  // variation selectors
    0xFEFF...0xFEFF,  // byte order mark
    0xFFA0...0xFFA0,  // half-width Hangul filler
    0xFFF0...0xFFFF,  // annotations, replacement character, non-characters
    0x1BCA0...0x1BCA3,  // shorthand formats
    0x1D173...0x1D17A,  // musical formats
    0x1FFFE...0x1FFFF,
    0xE0000...0xE0FFF,  // tags and selectors
    0xFFFFE...0xFFFFF,
    0x10FFFE...0x10FFFF,
  ]
}

/// Makes one component of a path out of text that came from a URL.
enum SafeName {
  /// File systems take 255 bytes; what is left is for a suffix and an extension.
  static let byteLimit = 200

  /// The text without what is not safe in a file's name: separators, control, invisible and direction-changing characters,
  /// leading dots and dashes, blanks around it, what is over 200 bytes. It may be empty, and is never `.` or `..`.
  static func component(_ text: String) -> String {
    if isPlain(text.utf8Span.span) { return text }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isSeparator(scalar) && !Unprintable.contains(scalar) {
      if kept.isEmpty && isShed(first: scalar) { continue }
      kept.append(scalar)
    }
    var cut = cut(String(kept), to: byteLimit)
    while let last = cut.unicodeScalars.last, last == " " || last == "." { cut.unicodeScalars.removeLast() }
    return cut
  }

  /// The same of a piece of a URL, its percent-escapes undone first. What is no text then becomes U+FFFD, and goes.
  static func component(escaped text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      // Letter by letter: a number's parser would take "+1" for two digits.
      if byte == UInt8(ascii: "%"), digits.count == 2, digits.allSatisfy(isHexDigit),
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return component(String(decoding: bytes, as: UTF8.self))
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x46).contains(byte & 0xDF)
  }

  /// The longest beginning of at most `limit` bytes that ends between two characters as a reader sees them.
  static func cut(_ text: String, to limit: Int) -> String {
    if text.utf8.count <= limit { return text }
    var room = limit
    var end = text.startIndex
    while end < text.endIndex {
      let next = text.index(after: end)
      room -= text.utf8.distance(from: end, to: next)
      if room < 0 { break }
      end = next
    }
    return String(text[..<end])
  }

  /// Whether nothing has to be done: most names are letters, digits, dots, dashes and underscores.
  private static func isPlain(_ bytes: borrowing Span<UInt8>) -> Bool {
    if bytes.isEmpty { return true }
    let first = bytes[0]
    if first == UInt8(ascii: ".") || first == UInt8(ascii: "-") { return false }
    if bytes.count > byteLimit || bytes[bytes.count - 1] == UInt8(ascii: ".") { return false }
    for index in bytes.indices {
      switch bytes[index] {
      case 0x61...0x7A, 0x41...0x5A, 0x30...0x39, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): break
      default: return false
      }
    }
    return true
  }

  /// `/` here; `\` on the machines that a folder may be copied to, or shared with.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

  /// A leading dot hides a file or names another folder, a leading dash makes an option of it, and a blank is lost.
  private static func isShed(first scalar: Unicode.Scalar) -> Bool { scalar == "." || scalar == "-" || scalar == " " }
}
