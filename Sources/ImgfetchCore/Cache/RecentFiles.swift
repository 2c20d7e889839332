/// The images that memory keeps as open files: a small number of the last ones. A pure value.
///
/// Nearly every image of a list is put here and never requested again. So the places form a ring, and instead of a
/// table there is a part of each key's hash. All of these fit into a few cache lines, and comparing them is less work
/// than one look into a table.
struct RecentFiles {
  typealias Entry = MemoryCache.Entry

  private struct Place {
    let entry: Entry
    let cost: Int
  }

  /// A ring: the oldest makes room for the next.
  private var places: [Place?]
  /// A part of the hash of each place's key, even if the place is empty by now.
  private var tags: [UInt16]
  private var next = 0
  private(set) var cost = 0
  private(set) var count = 0

  init(most: Int) {
    places = Array(repeating: nil, count: max(0, most))
    tags = Array(repeating: 0, count: max(0, most))
  }

  func entry(of key: CacheKey) -> Entry? { place(of: key).flatMap { places[$0]?.entry } }

  /// Keeps an entry in the place of its key's former one, or of the oldest. Returns the entry that was there.
  mutating func keep(_ entry: Entry, cost: Int) -> Entry? {
    guard !places.isEmpty else { return entry }
    let key = entry.metadata.key
    let place = place(of: key) ?? next
    if place == next { next = next + 1 == places.count ? 0 : next + 1 }
    let former = clear(place)
    places[place] = Place(entry: entry, cost: cost)
    tags[place] = tag(key)
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
    let tag = tag(key)
    // All are compared: a loop without an exit compares many at once.
    var isThere: UInt16 = 0
    for other in tags { isThere |= other == tag ? 1 : 0 }
    guard isThere != 0 else { return nil }
    return places.indices.first { tags[$0] == tag && places[$0]?.entry.metadata.key == key }
  }

  private func tag(_ key: CacheKey) -> UInt16 { UInt16(truncatingIfNeeded: key.hash.low) }
}
