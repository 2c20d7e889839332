/// Makes text that may come from a server safe to print.
enum SafeText {
  /// The reader of the text.
  enum Reader: Sendable {
    /// A person: invisible and direction-changing characters and those that move the cursor are dropped; a line break
    /// becomes a space.
    case person
    /// A program: in addition, TAB and line breaks are escaped as `\t`, `\n` and `\r`, so that fields and lines stay
    /// separate.
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

  /// Appends a path for a program. Every character is kept, since the program opens that file; TAB, line breaks and
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

  /// The text for a person.
  static func text(_ text: String) -> String {
    if isPlain(text) { return text }
    var buffer: [UInt8] = []
    append(text, to: &buffer, for: .person)
    return String(decoding: buffer, as: UTF8.self)
  }

  /// Nearly all text is printable ASCII.
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

/// Characters that change what a person sees without being visible. From a server, they are allowed neither on a
/// terminal nor in a file name.
enum Unprintable {
  /// True if a scalar is a control character, changes the direction of text, is invisible, or is not a character.
  static func contains(_ scalar: Unicode.Scalar) -> Bool {
    let value = scalar.value
    if value < 0x7F { return value < 0x20 }
    if value < 0xAD { return value <= 0x9F }
    // There is none between the last range of the basic plane and the next plane.
    return ranges.contains { $0.contains(value) }
  }

  /// Unicode's default-ignorable and bidirectional control characters, line and paragraph separators, the replacement
  /// character (which stands for invalid bytes), non-characters and annotation marks.
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

/// Makes one component of a path from text that came from a URL.
enum SafeName {
  /// File systems take 255 bytes; the rest is for a suffix and an extension.
  static let byteLimit = 200

  /// The text without anything unsafe in a file name: separators, control, invisible and direction-changing
  /// characters, leading dots and dashes, surrounding blanks, and everything beyond 200 bytes. It may be empty,
  /// but is never `.` or `..`.
  static func component(_ text: String) -> String {
    if isPlain(text.utf8Span.span) { return text }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars where !isSeparator(scalar) && !Unprintable.contains(scalar) {
      if kept.isEmpty && isDropped(first: scalar) { continue }
      kept.append(scalar)
    }
    var cut = cut(String(kept), to: byteLimit)
    while let last = cut.unicodeScalars.last, last == " " || last == "." { cut.unicodeScalars.removeLast() }
    return cut
  }

  /// The safe name for a part of a URL, after percent-decoding. Invalid UTF-8 becomes U+FFFD and is dropped.
  static func component(escaped text: some StringProtocol) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(2)
      // Checked digit by digit: the integer parser would accept "+1".
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

  /// The longest prefix of at most `limit` bytes that ends between two characters.
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

  /// True if the text is safe already: most names are letters, digits, dots, dashes and underscores.
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

  /// `/`, and `\` on other systems that a folder may be copied to or shared with.
  private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool { scalar == "/" || scalar == "\\" }

  /// A leading dot hides a file or names another folder, a leading dash makes it an option, and a leading blank gets
  /// lost.
  private static func isDropped(first scalar: Unicode.Scalar) -> Bool {
    scalar == "." || scalar == "-" || scalar == " "
  }
}
