import ImgfetchCore

/// The keys of the images that sources have named, in 9 to 12 bytes each. A pure value.
///
/// A page of 16 MB can name 600,000 images, for which a set of the runtime takes 36 MB while it grows. A key is kept as
/// 64 bits (SipHash), by a secret of the process: two keys share them by chance only, and no page can hide an image of
/// another one behind one of its own.
struct FoundKeys {
  /// Many tables, so that little is there twice while one of them grows.
  private var tables = [Table](repeating: Table(), count: 1 << 10)

  /// Adds a key; false if it was there.
  mutating func insert(_ key: ContentHash) -> Bool {
    var hasher = Hasher()
    hasher.combine(key.high)
    hasher.combine(key.low)
    // Zero is a free slot.
    let value = max(1, UInt64(bitPattern: Int64(hasher.finalize())))
    return tables[Int(value & 0x3FF)].insert(value)
  }

  private struct Table {
    private var slots: [UInt64] = []
    private var used = 0

    mutating func insert(_ value: UInt64) -> Bool {
      if (used + 1) * 8 > slots.count * 7 { grow() }
      let at = place(of: value)
      if slots[at] == value { return false }
      slots[at] = value
      used += 1
      return true
    }

    /// The slot that has the value, or else the free one for it.
    private func place(of value: UInt64) -> Int {
      // The upper half of the bits, scaled to the table's size, which may be any number.
      var at = Int(((value >> 32) * UInt64(slots.count)) >> 32)
      while slots[at] != 0, slots[at] != value { at = at + 1 == slots.count ? 0 : at + 1 }
      return at
    }

    private mutating func grow() {
      let old = slots
      slots = Array(repeating: 0, count: max(4, old.count + old.count / 4))
      for value in old where value != 0 { slots[place(of: value)] = value }
    }
  }
}
