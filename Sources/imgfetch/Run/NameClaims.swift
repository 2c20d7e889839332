import ImgfetchCore

/// Which key has which name, for a list of any length.
///
/// Eight bytes a claim: 28 bits of the name's hash and 36 of the key's, in 4,096 small open-addressed tables that 12
/// more bits of the name's hash choose from (a single one would need twice its room whenever it grows). In a list of a
/// million different names, some claim takes another's for its own with a chance of one in two, and then a
/// name gets a suffix that it need not have; that two keys share a file has one of 30,000, if all of them want the same name.
struct NameClaims {
  fileprivate struct Table {
    /// 0 is free.
    var slots: [UInt64] = []
    var used = 0
  }

  private var tables: [Table] = []
  /// The claims of a list that is short yet. Most runs fetch one image, and to make and let go of all tables took as long as to
  /// find it in the cache.
  private var early: [(table: Int, slot: UInt64)] = []

  /// So few that they are looked through one by one.
  private static let earlyLimit = 32

  /// Claims a name for a key. False: another key has it.
  mutating func claim(_ name: ContentHash, for key: ContentHash) -> Bool {
    let slot = ((name.high >> 36) << 36) | (key.low & ((1 << 36) - 1)) | 1
    let table = Int(name.low & 0xFFF)
    if !tables.isEmpty { return tables[table].claim(slot) }
    for claim in early where claim.table == table && claim.slot >> 36 == slot >> 36 { return claim.slot == slot }
    early.append((table, slot))
    if early.count == Self.earlyLimit { settle() }
    return true
  }

  private mutating func settle() {
    tables = Array(repeating: Table(), count: 1 << 12)
    for claim in early { _ = tables[claim.table].claim(claim.slot) }
    early = []
  }
}

extension NameClaims.Table {
  fileprivate mutating func claim(_ slot: UInt64) -> Bool {
    // Seven eighths full at most, and grown by half: 9 to 14 bytes a claim.
    if (used + 1) * 8 > slots.count * 7 { grow() }
    var at = home(slot)
    while slots[at] != 0 {
      if slots[at] >> 36 == slot >> 36 { return slots[at] == slot }
      at = at + 1 == slots.count ? 0 : at + 1
    }
    slots[at] = slot
    used += 1
    return true
  }

  /// Where a slot belongs: the place of its hash among all hashes, so that a table can be of any size.
  private func home(_ slot: UInt64) -> Int { Int(((slot >> 36) * UInt64(slots.count)) >> 28) }

  private mutating func grow() {
    let old = slots
    slots = Array(repeating: 0, count: max(8, old.count + old.count / 2))
    for slot in old where slot != 0 {
      var at = home(slot)
      while slots[at] != 0 { at = at + 1 == slots.count ? 0 : at + 1 }
      slots[at] = slot
    }
  }
}
