import ImgfetchCore

/// Which image has which name in this run, for a list of any length.
///
/// Twelve bytes a claim: 44 bits of the name's hash and 51 of the key's, in 4,096 small open-addressed tables that 12 more bits of
/// the name's hash choose from (a single one would need twice its room whenever it grows). The bits are those of a hash that is keyed
/// anew in each process, or URLs could be prepared that pass for one another: 35 bits of an unkeyed one were met in 228 s. In a list
/// of a million different names, some claim takes another's for its own with a chance of one in 130,000, and then a name gets a suffix that
/// it need not have; that two keys share a file has one of two billion, if all of them want the same name.
struct NameClaims {
  enum Answer {
    case granted
    /// The key has it already.
    case own
    /// Another key has it.
    case taken
  }

  struct Table {
    private(set) var slots: [Slot] = []
    private var used = 0
  }

  struct Slot {
    /// 32 bits of the name's hash.
    fileprivate var name: UInt32 = 0
    /// 12 more of them, then 20 of the key's, the last of which is set: so 0 is a free slot.
    fileprivate var both: UInt32 = 0
    /// 32 more of the key's.
    fileprivate var key: UInt32 = 0
  }

  private(set) var tables: [Table] = []
  /// The claims of a list that is short yet. Most runs fetch one image, and to make and let go of all tables took as long as to
  /// find it in the cache.
  private var early: [(name: ContentHash, key: OutputKey)] = []

  /// So few that they are looked through one by one.
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

  /// The runtime's own hash of tables: SipHash under a key that is random in each process.
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
    // Seven eighths full at most, and grown by an eighth: 14 to 16 bytes a claim.
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

  /// Where a slot belongs: the place of its hash among all hashes, so that a table can be of any size.
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
