/// Hexadecimal digits in ASCII, which are written in lower case and read in either.
package enum Hex {
  /// The value of a digit, or nil if the byte is not a hex digit.
  package static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
    default: nil
    }
  }

  /// The digit of a value below 16.
  package static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? value &+ UInt8(ascii: "0") : value &- 10 &+ UInt8(ascii: "a")
  }

  /// Two digits a byte.
  package static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0 & 15)] }, as: UTF8.self)
  }

  /// The bytes that an even number of digits stand for, or nil if something else is among them.
  package static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    guard text.utf8.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      guard let value = value(digit) else { return nil }
      if let first = high.take() { bytes.append(first << 4 | value) } else { high = value }
    }
    return bytes
  }
}
