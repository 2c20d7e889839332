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
