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
    append(addingCapacity: OutputSpan<UInt8>.mostDigits) { $0.append(number: number) }
  }

  mutating func append(number: Int) { append(number: Int64(number)) }

  /// Milliseconds with up to three decimals; 0 for negative values and NaN.
  mutating func append(milliseconds: Double) {
    append(addingCapacity: OutputSpan<UInt8>.mostDigits) { $0.append(milliseconds: milliseconds) }
  }

  /// Appends a field's name with its punctuation, and its value, for which there must be room.
  mutating func append(_ head: [UInt8], room: Int, _ value: (inout OutputSpan<UInt8>) -> Void) {
    append(addingCapacity: head.count + room) { output in
      output.append(copying: head.span)
      value(&output)
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

// Values of limited length. An array asks at each byte whether it is shared and has room, which took 700 instructions
// for a number.
extension OutputSpan<UInt8> {
  /// The room for any number, with its sign, and for any milliseconds.
  static var mostDigits: Int { 24 }

  mutating func appendNull() { append(word: [0x6E, 0x75, 0x6C, 0x6C]) }

  mutating func append(json flag: Bool) {
    if flag { append(word: [0x74, 0x72, 0x75, 0x65]) } else { append(word: [0x66, 0x61, 0x6C, 0x73, 0x65]) }
  }

  mutating func append(number: Int64) {
    if number < 0 { append(UInt8(ascii: "-")) }
    // The digits come from the last on.
    var digits = InlineArray<20, UInt8>(repeating: 0)
    var first = digits.count
    var rest = number.magnitude
    repeat {
      first -= 1
      digits[first] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
      rest /= 10
    } while rest > 0
    while first < digits.count {
      append(digits[first])
      first += 1
    }
  }

  mutating func append(milliseconds: Double) {
    let microseconds = Int64(milliseconds.isFinite ? Swift.min(Swift.max(milliseconds * 1000, 0), 1e15) : 0)
    append(number: microseconds / 1000)
    var fraction = microseconds % 1000
    if fraction == 0 { return }
    append(UInt8(ascii: "."))
    var unit: Int64 = 100
    while fraction > 0 {
      append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: fraction / unit))
      fraction %= unit
      unit /= 10
    }
  }

  mutating func append<let count: Int>(word: InlineArray<count, UInt8>) {
    for at in word.indices { append(word[at]) }
  }
}

// Writes JSON (RFC 8259) on a single line. Characters that could harm a terminal are escaped, so that nothing is lost
// or hidden.
extension [UInt8] {
  mutating func append(json text: String) { append([], json: text) }

  /// Appends a field's name with its punctuation, and its text.
  mutating func append(_ head: [UInt8], json text: String) {
    let bytes = text.utf8Span.span
    if isPlainJSON(bytes) {
      append(addingCapacity: head.count + bytes.count + 2) { output in
        output.append(copying: head.span)
        output.append(UInt8(ascii: "\""))
        output.append(copying: bytes)
        output.append(UInt8(ascii: "\""))
      }
    } else {
      append(contentsOf: head)
      append(UInt8(ascii: "\""))
      for scalar in text.unicodeScalars { append(json: scalar) }
      append(UInt8(ascii: "\""))
    }
  }

  mutating func append(json flag: Bool) { append(addingCapacity: 5) { $0.append(json: flag) } }

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

private func isPlainJSON(_ bytes: borrowing Span<UInt8>) -> Bool {
  // Without a branch many bytes are compared at once, in a third of the instructions.
  var flaws: UInt8 = 0
  for at in bytes.indices {
    let byte = bytes[at]
    flaws |=
      (byte &- 0x20 >= 0x5F ? 1 : 0) | (byte == UInt8(ascii: "\"") ? 1 : 0) | (byte == UInt8(ascii: "\\") ? 1 : 0)
  }
  return flaws == 0
}
