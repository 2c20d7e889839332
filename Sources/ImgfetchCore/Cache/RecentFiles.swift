/// The images that memory keeps as open files: a small number of the last ones. A pure value.
///
/// Nearly every image of a list is put here and never requested again. So the places form a ring, and instead of a
/// table there are counts by a part of the keys' hashes, which nearly always tell that there is none.
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
  /// The numbers of images by a part of their tags.
  private var counts = [UInt16](repeating: 0, count: 1024)
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
    counts[part(place)] += 1
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
    counts[part(place)] -= 1
    cost -= former.cost
    count -= 1
    return former.entry
  }

  private func place(of key: CacheKey) -> Int? {
    guard count > 0 else { return nil }
    let tag = tag(key)
    guard counts[part(ofTag: tag)] > 0 else { return nil }
    return places.indices.first { tags[$0] == tag && places[$0]?.entry.metadata.key == key }
  }

  private func part(_ place: Int) -> Int { part(ofTag: tags[place]) }

  private func part(ofTag tag: UInt16) -> Int { Int(tag) % counts.count }

  private func tag(_ key: CacheKey) -> UInt16 { UInt16(truncatingIfNeeded: key.hash.low) }
}
