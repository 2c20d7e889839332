/// Writes the query of an address as a page in an older encoding means it.
///
/// By the URL standard the path of an address is UTF-8 in every page, and its query is in the page's own encoding. A
/// character that this has not becomes a numeric reference of HTML, as in forms.
struct QueryEncoding: Sendable {
  let table: SingleByteTable

  /// Returns the address with the query escaped, given an address in UTF-8.
  func encoded(_ address: [UInt8]) -> [UInt8] {
    guard address.contains(where: { $0 >= 0x80 }), let question = address.firstIndex(of: UInt8(ascii: "?")) else {
      return address
    }
    let end = address.firstIndex(of: UInt8(ascii: "#")) ?? address.endIndex
    guard question < end else { return address }
    let upperHalf = table.upperHalf
    var encoded = Array(address[...question])
    for scalar in String(decoding: address[(question + 1)..<end], as: UTF8.self).unicodeScalars {
      if scalar.isASCII {
        encoded.append(UInt8(truncatingIfNeeded: scalar.value))
      } else if let place = upperHalf.firstIndex(of: scalar), scalar != "\u{FFFD}" {
        encoded += Self.escape(of: 0x80 + UInt8(truncatingIfNeeded: place))
      } else {
        encoded += "%26%23\(scalar.value)%3B".utf8
      }
    }
    return encoded + address[end...]
  }

  private static func escape(of byte: UInt8) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
  }
}
