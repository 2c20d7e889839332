/// A table of values with different costs and a limit on their sum. The least recently used is dropped first. A pure
/// value. The values are in one array and linked by their indices in the order of use, so that a use costs a look-up
/// and a few words, and no allocation.
struct LeastRecentlyUsed<Key: Hashable, Value> {
  private struct Slot {
    var key: Key
    var value: Value?
    var cost: Int
    /// The next more recently used value, or nil for the most recent.
    var newer: Int?
    /// The next less recently used value, or nil for the one that is dropped next.
    var older: Int?
  }

  private var slots: [Slot] = []
  private var free: [Int] = []
  private var places: [Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  private(set) var limit: Int
  private(set) var countLimit: Int
  private(set) var cost = 0

  init(limit: Int, count: Int = .max) {
    self.limit = max(0, limit)
    countLimit = max(0, count)
  }

  var count: Int { places.count }
  var keys: [Key] { Array(places.keys) }

  /// The most that a single value may cost: a quarter of the limit, so that three quarters of the other values stay.
  var largest: Int { limit / 4 }

  /// The value of a key, without counting as a use.
  func value(of key: Key) -> Value? { place(of: key).flatMap { slots[$0].value } }

  /// An empty table hashes no key.
  private func place(of key: Key) -> Int? { places.isEmpty ? nil : places[key] }

  mutating func use(_ key: Key) -> Value? {
    guard let place = place(of: key) else { return nil }
    if place != newest {
      unlink(place)
      linkAsNewest(place)
    }
    return slots[place].value
  }

  /// Keeps a value, replacing the key's earlier one, and drops others until all fit. Returns false if it costs too
  /// much.
  ///
  /// - Parameter dropped: gets the values that are no longer kept, so that a caller that holds a lock can release
  ///   them later.
  @discardableResult
  mutating func keep(_ value: Value, for key: Key, cost: Int, dropped: inout [Value]) -> Bool {
    guard cost <= largest, countLimit > 0 else {
      if let former = remove(key) { dropped.append(former) }
      return false
    }
    let place = free.popLast() ?? slots.count
    let slot = Slot(key: key, value: value, cost: cost, newer: nil, older: nil)
    if place < slots.count { slots[place] = slot } else { slots.append(slot) }
    if let other = places.updateValue(place, forKey: key), let former = release(other) { dropped.append(former) }
    self.cost += cost
    linkAsNewest(place)
    while isOverFull(limit), let oldest, let former = remove(slots[oldest].key) { dropped.append(former) }
    return true
  }

  /// Drops the least recently used until the rest fits, together with others that count towards the limits.
  mutating func dropExcess(over cost: Int, _ count: Int, dropped: inout [Value]) {
    while self.cost + cost > limit || places.count + count > countLimit, let oldest,
      let former = remove(slots[oldest].key)
    {
      dropped.append(former)
    }
  }

  /// Changes the limits, and drops values that exceed them.
  mutating func setLimits(_ limit: Int, count: Int) {
    self.limit = max(0, limit)
    countLimit = max(0, count)
    shrink(to: self.limit)
  }

  /// Drops the least recently used until the rest costs no more than that. The limits stay.
  mutating func shrink(to limit: Int) {
    while isOverFull(limit), let oldest { remove(slots[oldest].key) }
  }

  private func isOverFull(_ limit: Int) -> Bool { cost > limit || places.count > countLimit }

  /// Removes the value of a key, and returns it.
  @discardableResult
  mutating func remove(_ key: Key) -> Value? {
    places.isEmpty ? nil : places.removeValue(forKey: key).flatMap { release($0) }
  }

  private mutating func release(_ place: Int) -> Value? {
    unlink(place)
    cost -= slots[place].cost
    free.append(place)
    return slots[place].value.take()
  }

  private mutating func unlink(_ place: Int) {
    let (newer, older) = (slots[place].newer, slots[place].older)
    if let newer { slots[newer].older = older } else { newest = older }
    if let older { slots[older].newer = newer } else { oldest = newer }
  }

  private mutating func linkAsNewest(_ place: Int) {
    slots[place].newer = nil
    slots[place].older = newest
    if let newest { slots[newest].newer = place }
    newest = place
    if oldest == nil { oldest = place }
  }
}
