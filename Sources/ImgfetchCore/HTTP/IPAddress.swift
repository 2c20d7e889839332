/// An address of IPv4 or IPv6.
package enum IPAddress: Hashable, Sendable {
  case v4(UInt32)
  case v6(high: UInt64, low: UInt64)

  /// Creates an address from 4 or 16 bytes in network order, as in the system's address structures.
  package init?(bytes: [UInt8]) {
    switch bytes.count {
    case 4: self = .v4(bytes.reduce(0) { $0 << 8 | UInt32($1) })
    case 16:
      self = .v6(
        high: bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) },
        low: bytes.suffix(8).reduce(0) { $0 << 8 | UInt64($1) })
    default: return nil
    }
  }

  /// The IPv4 address that an IPv6 address only spells: `::ffff:127.0.0.1`, `::127.0.0.1`, or through NAT64
  /// `64:ff9b::127.0.0.1`. Else the address itself.
  package var unwrapped: IPAddress {
    guard case .v6(let high, let low) = self else { return self }
    let isMapped = high == 0 && low >> 32 == 0xffff
    // The unspecified address and loopback are none.
    let isCompatible = high == 0 && low >> 32 == 0 && low > 0xffff
    let isTranslated = high == 0x0064_ff9b_0000_0000 && low >> 32 == 0
    return isMapped || isCompatible || isTranslated ? .v4(UInt32(truncatingIfNeeded: low)) : self
  }

  /// Parses a host that is an address, in every spelling that the system's resolver accepts: `127.0.0.1`, `2130706433`,
  /// `0x7f.1`, `0177.1`, `::1`, `fe80::1%25eth0`. Nil for a name. Without brackets.
  package init?(host: String) {
    var text = [UInt8](host.utf8)
    if text.contains(UInt8(ascii: ":")) {
      if let zone = text.firstIndex(of: PercentCoding.percent) { text.removeSubrange(zone...) }
      guard let address = Self.parseV6(text[...]) else { return nil }
      self = address
    } else {
      if text.last == UInt8(ascii: ".") { text.removeLast() }
      guard let value = Self.parseV4(text[...], strict: false) else { return nil }
      self = .v4(value)
    }
  }

  /// Parses numbers by the rule of `inet_aton`: one to four parts in decimal, octal (`0`) or hexadecimal
  /// (`0x`), the last of which fills the remaining bytes. `strict` accepts four decimal bytes only, as at
  /// the end of an IPv6 address.
  private static func parseV4(_ text: ArraySlice<UInt8>, strict: Bool) -> UInt32? {
    let parts = text.split(separator: UInt8(ascii: "."), maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count <= 4, !strict || parts.count == 4 else { return nil }
    var address: UInt64 = 0
    for (place, part) in parts.enumerated() {
      guard let value = number(part, strict: strict) else { return nil }
      let isLast = place == parts.count - 1
      let bits = isLast ? UInt64(8 * (4 - place)) : 8
      guard value < 1 << bits else { return nil }
      address = address << bits | value
    }
    return UInt32(truncatingIfNeeded: address)
  }

  private static func number(_ part: ArraySlice<UInt8>, strict: Bool) -> UInt64? {
    var digits = part
    var base: UInt64 = 10
    if digits.count > 1, digits.first == UInt8(ascii: "0") {
      if strict { return nil }
      digits = digits.dropFirst()
      base = 8
      if digits.first == UInt8(ascii: "x") || digits.first == UInt8(ascii: "X") {
        digits = digits.dropFirst()
        base = 16
      }
    }
    guard !digits.isEmpty else { return nil }
    var value: UInt64 = 0
    for byte in digits {
      guard let digit = Hex.value(byte), UInt64(digit) < base else { return nil }
      value = value &* base &+ UInt64(digit)
      // Reject it beyond 32 bits, before the next digit can wrap it.
      guard value <= UInt32.max else { return nil }
    }
    return value
  }

  /// RFC 4291 §2.2: eight groups, `::` once for a run of zeros, optionally the last 32 bits in IPv4 form.
  private static func parseV6(_ text: ArraySlice<UInt8>) -> IPAddress? {
    let colon = UInt8(ascii: ":")
    // The longest text form has 45 bytes.
    guard text.count <= 45 else { return nil }
    let opens = text.starts(with: [colon, colon])
    let closes = text.suffix(2).elementsEqual([colon, colon])
    guard text.first != colon || opens, text.last != colon || closes else { return nil }
    var parts = text.split(separator: colon, omittingEmptySubsequences: false)
    var groups: [UInt16] = []
    var gap: Int?
    // A `::` at either end leaves two empty parts there, one of which is dropped.
    if opens { parts.removeFirst() }
    if closes { parts.removeLast() }
    for (place, part) in parts.enumerated() {
      if part.isEmpty {
        guard gap == nil else { return nil }
        gap = groups.count
      } else if part.contains(UInt8(ascii: ".")) {
        guard place == parts.count - 1, let tail = parseV4(part, strict: true) else { return nil }
        groups.append(UInt16(truncatingIfNeeded: tail >> 16))
        groups.append(UInt16(truncatingIfNeeded: tail))
      } else {
        guard part.count <= 4 else { return nil }
        var value: UInt16 = 0
        for byte in part {
          guard let digit = Hex.value(byte) else { return nil }
          value = value << 4 | UInt16(digit)
        }
        groups.append(value)
      }
    }
    if let gap {
      guard groups.count <= 7 else { return nil }
      groups.insert(contentsOf: repeatElement(0, count: 8 - groups.count), at: gap)
    }
    guard groups.count == 8 else { return nil }
    return .v6(
      high: groups.prefix(4).reduce(0) { $0 << 16 | UInt64($1) },
      low: groups.suffix(4).reduce(0) { $0 << 16 | UInt64($1) })
  }
}

extension IPAddress: CustomStringConvertible {
  /// The canonical text: dotted decimal, or RFC 5952 with hexadecimal groups only, as in browsers.
  package var description: String {
    switch self {
    case .v4(let value): return [24, 16, 8, 0].map { String(value >> UInt32($0) & 0xFF) }.joined(separator: ".")
    case .v6(let high, let low):
      let groups =
        [48, 32, 16, 0].map { high >> UInt64($0) & 0xFFFF } + [48, 32, 16, 0].map { low >> UInt64($0) & 0xFFFF }
      let run = Self.longestZeroRun(groups)
      func text(_ part: ArraySlice<UInt64>) -> String { part.map { String($0, radix: 16) }.joined(separator: ":") }
      guard run.count > 1 else { return text(groups[...]) }
      return text(groups[..<run.lowerBound]) + "::" + text(groups[run.upperBound...])
    }
  }

  private static func longestZeroRun(_ groups: [UInt64]) -> Range<Int> {
    var longest = 0..<0
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index + 1 }
      if index + 1 - start > longest.count { longest = start..<index + 1 }
    }
    return longest
  }
}
