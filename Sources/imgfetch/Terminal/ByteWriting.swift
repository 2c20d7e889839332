import ImgfetchCore

// Reports are written as bytes: string interpolation costs twenty times as much.
extension [UInt8] {
  /// Appends text that is known to be safe.
  mutating func append(text: String) {
    // Contiguous UTF-8 is copied at once. There are no bridged or foreign strings here, which would be copied byte by
    // byte.
    append(contentsOf: text.utf8)
  }

  mutating func append(number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    // The digits come from the last on. Reversed in the array, they would take a copy of it.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = digits.count
    var rest = number.magnitude
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    } while rest > 0
    // Byte by byte a number took 700 instructions.
    append(addingCapacity: digits.count - first) { $0.append(copying: digits.span.extracting(first..<digits.count)) }
  }

  mutating func append(number: Int) { append(number: Int64(number)) }

  /// Milliseconds with up to three decimals; 0 for negative values and NaN.
  mutating func append(milliseconds: Double) {
    let microseconds = Int64(milliseconds.isFinite ? Swift.min(Swift.max(milliseconds * 1000, 0), 1e15) : 0)
    append(number: microseconds / 1000)
    var fraction = microseconds % 1000
    if fraction == 0 { return }
    append(UInt8(ascii: "."))
    var unit: Int64 = 100
    while fraction > 0 {
      append(UInt8(ascii: "0") + UInt8(fraction / unit))
      fraction %= unit
      unit /= 10
    }
  }

  /// Two hex digits a byte.
  mutating func append(hex bytes: [UInt8]) {
    for byte in bytes {
      append(Hex.digit(byte >> 4))
      append(Hex.digit(byte & 15))
    }
  }
}

// Writes JSON (RFC 8259) on a single line. Characters that could harm a terminal are escaped, so that nothing is lost
// or hidden.
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
