import ImgfetchCore

/// Which key owns which name in this run, for a list of any length.
///
/// A claim takes twelve bytes: 44 bits of the name's hash and 51 of the key's, in 4,096 small open-addressed tables, selected by 12
/// more bits of the name's hash (a single table would need twice its memory whenever it grows). The hashes are keyed with a random
/// key of the process; otherwise colliding URLs could be prepared: a collision of 35 bits of an unkeyed hash was found in 228 s. In
/// a list of a million different names, the probability that some claim collides with another is 1 in 130,000; the name then gets a
/// suffix without need. The probability that two keys share a file is one in two billion, if all of them want the same name.
struct NameClaims {
  enum Answer {
    case granted
    /// The key owns it already.
    case own
    /// Another key owns it.
    case taken
  }

  struct Table {
    private(set) var slots: [Slot] = []
    private var used = 0
  }

  struct Slot {
    /// 32 bits of the name's hash.
    fileprivate var name: UInt32 = 0
    /// 12 more bits of it, then 20 of the key's hash with the last bit set, so that 0 is a free slot.
    fileprivate var both: UInt32 = 0
    /// 32 more of the key's.
    fileprivate var key: UInt32 = 0
  }

  private(set) var tables: [Table] = []
  /// The claims of a short list. Most runs fetch one image, and creating and freeing all tables took as long as a cache lookup.
  private var early: [(name: ContentHash, key: OutputKey)] = []

  /// Few enough for a linear search.
  private static let earlyLimit = 32

  /// Claims a name for a key.
  mutating func claim(_ name: ContentHash, for key: OutputKey) -> Answer {
    if !tables.isEmpty { return settled(name, key) }
    for claim in early where claim.name == name { return claim.key == key ? .own : .taken }
    early.append((name, key))
    if early.count == Self.earlyLimit { settle() }
    return .granted
  }

  private mutating func settle() {
    tables = Array(repeating: Table(), count: 1 << 12)
    for claim in early { _ = settled(claim.name, claim.key) }
    early = []
  }

  private mutating func settled(_ name: ContentHash, _ key: OutputKey) -> Answer {
    let name = Self.keyed(name)
    return tables[Int(name & 0xFFF)].claim(Slot(name: name, key: Self.keyed(key)))
  }

  /// The runtime's hash: SipHash with a random key of the process.
  private static func keyed(_ value: some Hashable) -> UInt64 {
    var hasher = Hasher()
    hasher.combine(value)
    return UInt64(bitPattern: Int64(hasher.finalize()))
  }
}

extension NameClaims.Slot {
  fileprivate init(name hash: UInt64, key: UInt64) {
    name = UInt32(truncatingIfNeeded: hash >> 32)
    both = UInt32(truncatingIfNeeded: hash >> 12) << 20 | UInt32(truncatingIfNeeded: key >> 44) | 1
    self.key = UInt32(truncatingIfNeeded: key)
  }

  fileprivate var isFree: Bool { both == 0 }
  fileprivate func hasName(of other: Self) -> Bool { name == other.name && both >> 20 == other.both >> 20 }
  fileprivate func hasKey(of other: Self) -> Bool { key == other.key && both == other.both }
}

extension NameClaims.Table {
  fileprivate mutating func claim(_ slot: NameClaims.Slot) -> NameClaims.Answer {
    // At most seven eighths full, and grown by an eighth: 14 to 16 bytes a claim.
    if (used + 1) * 8 > slots.count * 7 { grow() }
    var at = home(slot)
    while !slots[at].isFree {
      if slots[at].hasName(of: slot) { return slots[at].hasKey(of: slot) ? .own : .taken }
      at = at + 1 == slots.count ? 0 : at + 1
    }
    slots[at] = slot
    used += 1
    return .granted
  }

  /// The slot's position: the hash scaled to the table's size, which may be any number.
  private func home(_ slot: NameClaims.Slot) -> Int { Int((UInt64(slot.name) * UInt64(slots.count)) >> 32) }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: NameClaims.Slot(), count: max(8, old.count + old.count / 8))
    for slot in old where !slot.isFree {
      var at = home(slot)
      while !slots[at].isFree { at = at + 1 == slots.count ? 0 : at + 1 }
      slots[at] = slot
    }
  }
}
