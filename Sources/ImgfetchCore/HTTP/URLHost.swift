/// The host of a URL in the one form in which it is compared, judged and sent.
enum URLHost {
  /// The longest name that can be looked up has 253 bytes; a dot may follow.
  static let lengthLimit = 254

  /// Lower case, IDN as punycode, IPv6 as in RFC 5952 without brackets. IPv4 stays as typed, in any spelling
  /// that `IPAddress` parses.
  static func normalised(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(URLFailure) -> String {
    if bytes[range.lowerBound] == UInt8(ascii: "[") { return try literal(bytes, range) }
    var isPlain = true
    var name: [UInt8] = []
    name.reserveCapacity(range.count)
    for index in range {
      let byte = bytes[index]
      if byte >= 0x80 || byte == PercentCoding.percent { isPlain = false }
      name.append(lower(byte))
    }
    if isPlain {
      guard isName(name) else { throw .badHost(String(bytes, range)) }
      return String(decoding: name, as: UTF8.self)
    }
    // Escapes in a host name are UTF-8 (RFC 3986 §3.2.2). Decoding comes before judging: a full-width dot is
    // plain by now, `%2F` a slash.
    guard let text = String(validating: PercentCoding.decoded(bytes, range), as: UTF8.self), !text.utf8.contains(0)
    else { throw .badHost(String(bytes, range)) }
    var ascii: String? = text
    if !text.utf8.allSatisfy({ $0 < 0x80 }) {
      do throws(InternationalName.LibraryMissing) { ascii = try InternationalName.ascii(text) } catch {
        throw .noInternationalNames(String(bytes, range))
      }
    }
    guard let ascii else { throw .badHost(String(bytes, range)) }
    name = ascii.utf8.map(lower)
    guard isName(name) else { throw .badHost(String(bytes, range)) }
    return String(decoding: name, as: UTF8.self)
  }

  /// An IPv6 address in brackets. A zone may follow it, as `%25eth0` by RFC 6874 or, as usually typed, `%eth0`.
  private static func literal(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) throws(URLFailure) -> String {
    let failure = URLFailure.badHost(String(bytes, range))
    guard range.count > 2, bytes[range.upperBound - 1] == UInt8(ascii: "]") else { throw failure }
    let text = String(bytes, range.lowerBound + 1..<range.upperBound - 1)
    guard let address = IPAddress(host: text), case .v6 = address else { throw failure }
    guard let mark = text.utf8.firstIndex(of: PercentCoding.percent) else { return address.description }
    var zone = text.utf8[text.utf8.index(after: mark)...]
    if zone.starts(with: "25".utf8) { zone = zone.dropFirst(2) }
    guard !zone.isEmpty, zone.allSatisfy(PercentCoding.isUnreserved) else { throw failure }
    return "\(address)%25\(Substring(zone))"
  }

  /// Letters, digits, `-`, `_`, `~`, and single dots between labels: the name must be safe in a host
  /// rule, a message and a header.
  private static func isName(_ name: [UInt8]) -> Bool {
    guard name.count <= lengthLimit, name.last != nil else { return false }
    var previous = UInt8(ascii: ".")
    for byte in name {
      guard PercentCoding.isUnreserved(byte), byte != UInt8(ascii: ".") || previous != UInt8(ascii: ".") else {
        return false
      }
      previous = byte
    }
    return true
  }

  static func lower(_ byte: UInt8) -> UInt8 {
    byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
  }
}
