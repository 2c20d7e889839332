import ImgfetchCore

extension Hex {
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
