/// Decides whether an address is on the public internet, by IANA's registries of special-purpose addresses (RFC
/// 6890) as of 2025. Used for `--deny-private`, and for the rule that a redirect never leads from a public
/// address to one that is not.
package enum AddressClass {
  /// False for loopback, private, link-local, shared, documentation, benchmarking, multicast, reserved and unassigned
  /// addresses. An address that embeds another (IPv4-mapped, NAT64, 6to4, Teredo) is judged by the embedded one.
  package static func isGloballyReachable(_ address: IPAddress) -> Bool {
    switch address {
    case .v4(let value): isGloballyReachable(v4: value)
    case .v6(let high, let low): isGloballyReachable(high: high, low: low)
    }
  }

  /// The addresses that begin with the first `length` bits of `base`.
  private struct Block<Bits: FixedWidthInteger & Sendable>: Sendable {
    let base: Bits
    let length: Int

    func contains(_ value: Bits) -> Bool { (value ^ base) >> (Bits.bitWidth - length) == 0 }
  }

  private static func v4(_ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: UInt32, _ length: Int) -> Block<UInt32> {
    Block(base: a << 24 | b << 16 | c << 8 | d, length: length)
  }

  /// Registered as not globally reachable.
  private static let closedV4 = [
    v4(0, 0, 0, 0, 8), v4(10, 0, 0, 0, 8), v4(100, 64, 0, 0, 10), v4(127, 0, 0, 0, 8),
    v4(169, 254, 0, 0, 16), v4(172, 16, 0, 0, 12), v4(192, 0, 0, 0, 24), v4(192, 0, 2, 0, 24),
    v4(192, 168, 0, 0, 16), v4(198, 18, 0, 0, 15), v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24), v4(240, 0, 0, 0, 4),
    // The deprecated anycast address of 6to4 relays: the registry does not classify it, and no web server uses it.
    v4(192, 88, 99, 0, 24),
    // Multicast has a separate registry. No connection can be made to it.
    v4(224, 0, 0, 0, 4),
  ]

  /// Registered as globally reachable within a block that is not: anycast of PCP and TURN.
  private static let openV4 = [v4(192, 0, 0, 9, 32), v4(192, 0, 0, 10, 32)]

  private static func isGloballyReachable(v4 value: UInt32) -> Bool {
    openV4.contains { $0.contains(value) } || !closedV4.contains { $0.contains(value) }
  }

  /// A block with a prefix of at most 64 bits, compared with the upper half of an address.
  private static func v6(_ base: UInt64, _ length: Int) -> Block<UInt64> { Block(base: base, length: length) }

  /// Registered as not globally reachable, within 2000::/3.
  private static let closedV6 = [
    v6(0x2001_0000_0000_0000, 23), v6(0x2001_0db8_0000_0000, 32), v6(0x3fff_0000_0000_0000, 20),
  ]

  /// Registered as globally reachable within 2001::/23: AMT, AS112, ORCHIDv2, drone identifiers.
  private static let openV6 = [
    v6(0x2001_0003_0000_0000, 32), v6(0x2001_0004_0112_0000, 48), v6(0x2001_0020_0000_0000, 28),
    v6(0x2001_0030_0000_0000, 28),
  ]

  private static func isGloballyReachable(high: UInt64, low: UInt64) -> Bool {
    func isOpen(_ bits: UInt64) -> Bool { isGloballyReachable(v4: UInt32(truncatingIfNeeded: bits)) }
    // ::ffff:0:0/96, an IPv4 address in an IPv6 socket.
    if high == 0, low >> 32 == 0xffff { return isOpen(low) }
    // 64:ff9b::/96, NAT64. 64:ff9b:1::/48 is local: the position of the IPv4 address in it depends on the operator, so
    // it cannot be judged.
    if high == 0x0064_ff9b_0000_0000, low >> 32 == 0 { return isOpen(low) }
    // 2002::/16, 6to4: judged by the site's IPv4 address.
    if high >> 48 == 0x2002 { return isOpen(high >> 16) }
    // 2001::/32, Teredo: judged by its server and by its client, whose bits are inverted.
    if high >> 32 == 0x2001_0000 { return isOpen(high) && isOpen(~low) }
    // 2001:1::1 to 2001:1::3, anycast of PCP, TURN and DNS-SD.
    if high == 0x2001_0001_0000_0000, (1...3).contains(low) { return true }
    // Nothing outside 2000::/3 is assigned to the public internet: that is where loopback, unique local, link-local,
    // multicast, discard-only and segment routing addresses are.
    guard high >> 61 == 1 else { return false }
    return openV6.contains { $0.contains(high) } || !closedV6.contains { $0.contains(high) }
  }
}
