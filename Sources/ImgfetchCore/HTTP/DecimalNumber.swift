/// Numbers in header fields: digits only, without sign or space.
enum DecimalNumber {
  /// The number, or nil if the text is none or does not fit.
  static func exactly(_ digits: some Sequence<UInt8>) -> Int? {
    value(of: digits).flatMap { $0.over ? nil : $0.number }
  }

  /// The number, or nil if the text is none. One that does not fit becomes the greatest that does, as RFC 9111 §1.2.2
  /// requires for seconds.
  static func clamped(_ digits: some Sequence<UInt8>) -> Int? { value(of: digits).map { $0.over ? .max : $0.number } }

  private static func value(of digits: some Sequence<UInt8>) -> (number: Int, over: Bool)? {
    var number = 0
    var over = false
    var isEmpty = true
    for byte in digits {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      isEmpty = false
      let (tenfold, overTen) = number.multipliedReportingOverflow(by: 10)
      let (sum, overSum) = tenfold.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      over = over || overTen || overSum
      number = over ? 0 : sum
    }
    return isEmpty ? nil : (number, over)
  }
}
