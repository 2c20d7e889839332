// Writing JSON (RFC 8259). All of it is one line, and every character that could do harm to a terminal is escaped: so nothing
// is lost, and nothing is hidden.
extension [UInt8] {
  mutating func append(json text: String) {
    append(UInt8(ascii: "\""))
    if isPlainJSON(text) {
      append(text: text)
    } else {
      for scalar in text.unicodeScalars { append(json: scalar) }
    }
    append(UInt8(ascii: "\""))
  }

  mutating func append(json flag: Bool) { append(text: flag ? "true" : "false") }

  private mutating func append(json scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append(text: "\\\"")
    case "\\": append(text: "\\\\")
    case "\n": append(text: "\\n")
    case "\r": append(text: "\\r")
    case "\t": append(text: "\\t")
    case _ where Unprintable.contains(scalar) && scalar != "\u{FFFD}":
      for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
        append(text: "\\u")
        append(hex: [UInt8(unit >> 8), UInt8(unit & 0xFF)])
      }
    default: append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    }
  }
}

private func isPlainJSON(_ text: String) -> Bool {
  let bytes = text.utf8Span.span
  for at in bytes.indices {
    let byte = bytes[at]
    if byte &- 0x20 >= 0x5F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return false }
  }
  return true
}
