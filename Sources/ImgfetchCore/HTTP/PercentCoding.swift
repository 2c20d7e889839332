/// Percent-escapes, and which bytes of a URL need one.
///
/// It works on bytes: a URL is ASCII on the wire, and iterating over characters costs ten times as much.
enum PercentCoding {
  static let percent = UInt8(ascii: "%")

  /// RFC 3986 §2.3: these mean the same escaped and plain, so the key has them plain.
  static func isUnreserved(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// True if RFC 3986 allows the byte in a path or query, except `%`.
  static func isLegalInTarget(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: ":"), UInt8(ascii: "@"), UInt8(ascii: "!"),
      UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "("), UInt8(ascii: ")"),
      UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "="):
      true
    default: isUnreserved(byte)
    }
  }

  /// True if the byte would break a request line. Such bytes are escaped; all others are sent as typed.
  static func breaksRequest(_ byte: UInt8) -> Bool { byte <= 0x20 || byte >= 0x7F }

  /// The byte that the escape at `index` encodes, or nil if there is no complete escape.
  static func escape(in bytes: borrowing Span<UInt8>, at index: Int, before end: Int) -> UInt8? {
    guard index < end - 2, bytes[index] == percent,
      let high = Hex.value(bytes[index + 1]), let low = Hex.value(bytes[index + 2])
    else { return nil }
    return high << 4 | low
  }

  static func append(escapeOf byte: UInt8, to output: inout [UInt8]) {
    output.append(percent)
    output.append(hexDigit(byte >> 4))
    output.append(hexDigit(byte & 0xF))
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? value &+ UInt8(ascii: "0") : value &- 10 &+ UInt8(ascii: "A")
  }

  /// The bytes of `range` with every complete escape decoded; a stray `%` stays.
  static func decoded(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(range.count)
    var index = range.lowerBound
    while index < range.upperBound {
      if let byte = escape(in: bytes, at: index, before: range.upperBound) {
        output.append(byte)
        index += 3
      } else {
        output.append(bytes[index])
        index += 1
      }
    }
    return output
  }

  /// Text for a message: control characters are escaped, including U+0080 to U+009F, which terminals obey.
  static func escapingControls(_ text: some StringProtocol) -> String {
    var output = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar.value >= 0x20, !(0x7F...0x9F).contains(scalar.value) {
        output.append(scalar)
        continue
      }
      var escape: [UInt8] = []
      for byte in String(scalar).utf8 { append(escapeOf: byte, to: &escape) }
      for byte in escape { output.append(Unicode.Scalar(byte)) }
    }
    return String(output)
  }
}
