/// Reads hexadecimal digits.
enum Hex {
  static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x37
    case 0x61...0x66: byte - 0x57
    default: nil
    }
  }

  /// A number of 16 digits that begin at a place; nil where there are none.
  static func number(_ bytes: Span<UInt8>, at start: Int, before end: Int) -> UInt64? {
    guard end - start >= 16, end <= bytes.count else { return nil }
    var value: UInt64 = 0
    for at in start..<(start + 16) {
      guard let digit = self.value(bytes[at]) else { return nil }
      value = value << 4 | UInt64(digit)
    }
    return value
  }
}
