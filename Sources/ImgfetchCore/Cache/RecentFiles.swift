/// The images that memory keeps as open files: the last ones of a number. A pure value.
///
/// Nearly every image of a list is put here and never asked for again. So the places are a ring, and a second table
/// leads to them from the hashes of keys. A key that makes room is not removed from that table; each look-up compares
/// the key at the place. If the table has no room for a key, another one is dropped: a miss, and seldom.
struct RecentFiles {
  typealias Entry = MemoryCache.Entry

  private struct Place {
    let entry: Entry
    let cost: Int
  }

  /// A ring: the oldest makes room for the next.
  private var places: [Place?]
  private var next = 0
  /// Places, each in one of the four slots that its key's hash begins, below sixteen bits of that hash. There are four
  /// times as many as places.
  private var slots: [UInt32]
  private(set) var cost = 0
  private(set) var count = 0

  init(most: Int) {
    let most = min(max(0, most), Int(UInt16.max))
    places = Array(repeating: nil, count: most)
    slots = Array(repeating: 0, count: most * 4)
  }

  /// The entry of a key, if there is one.
  func entry(of key: CacheKey) -> Entry? { place(of: key).flatMap { places[$0]?.entry } }

  /// Keeps an entry in the place of its key's former one, or of the oldest. Returns the one that was there.
  mutating func keep(_ entry: Entry, cost: Int) -> Entry? {
    guard !places.isEmpty else { return entry }
    let key = entry.metadata.key
    let place = place(of: key) ?? next
    if place == next { next = next + 1 == places.count ? 0 : next + 1 }
    let former = clear(place)
    places[place] = Place(entry: entry, cost: cost)
    let slot = freeSlot(for: key)
    // What is not found any more must not come back when it makes room: it may have been removed since.
    let other = Int(slots[slot] & 0xFFFF)
    if other != place, let lost = places[other]?.entry.metadata.key, leads(slot, to: lost) { _ = clear(other) }
    slots[slot] = UInt32(tag(key)) << 16 | UInt32(place)
    self.cost += cost
    count += 1
    return former
  }

  /// Removes the entry of a key, and returns it.
  @discardableResult
  mutating func remove(_ key: CacheKey) -> Entry? { place(of: key).flatMap { clear($0) } }

  /// Removes the oldest, and returns it.
  mutating func removeOldest() -> Entry? {
    for distance in 0..<places.count {
      if let former = clear((next + distance) % places.count) { return former }
    }
    return nil
  }

  /// Removes the entries that meet a condition.
  mutating func removeAll(where condition: (Entry) -> Bool) {
    for place in places.indices {
      if let entry = places[place]?.entry, condition(entry) { _ = clear(place) }
    }
  }

  private mutating func clear(_ place: Int) -> Entry? {
    guard let former = places[place].take() else { return nil }
    cost -= former.cost
    count -= 1
    return former.entry
  }

  private func place(of key: CacheKey) -> Int? {
    guard count > 0 else { return nil }
    for distance in 0..<Self.distance {
      let slot = slots[slot(key, distance)]
      guard slot >> 16 == UInt32(tag(key)) else { continue }
      let place = Int(slot & 0xFFFF)
      if let entry = places[place]?.entry, entry.metadata.key == key { return place }
    }
    return nil
  }

  /// The first of a key's slots that leads to nothing, or to a key that is not found from there.
  private func freeSlot(for key: CacheKey) -> Int {
    for distance in 0..<Self.distance {
      let slot = slot(key, distance)
      guard let other = places[Int(slots[slot] & 0xFFFF)]?.entry.metadata.key, other !== key else { return slot }
      if !leads(slot, to: other) { return slot }
    }
    return slot(key, 0)
  }

  /// True if a key is found by way of a slot.
  private func leads(_ slot: Int, to key: CacheKey) -> Bool {
    slots[slot] >> 16 == UInt32(tag(key)) && (0..<Self.distance).contains { self.slot(key, $0) == slot }
  }

  private static let distance = 4

  private func tag(_ key: CacheKey) -> UInt16 { UInt16(key.hash.low >> 48) }

  private func slot(_ key: CacheKey, _ distance: Int) -> Int {
    Int((key.hash.low % UInt64(slots.count) + UInt64(distance)) % UInt64(slots.count))
  }
}
