/// Values of different cost under a limit for all of them together; what was used least recently goes first.
///
/// A pure value. The values stand in one array and are linked in the order of their use by their places in it, so that a
/// use costs a look-up and a few words and no allocation.
struct LeastRecentlyUsed<Key: Hashable, Value> {
  private struct Slot {
    var key: Key
    var value: Value?
    var cost: Int
    /// Used a little later; nil for the one that was used last.
    var newer: Int?
    /// Used a little earlier; nil for the one that goes next.
    var older: Int?
  }

  private var slots: [Slot] = []
  private var free: [Int] = []
  private var places: [Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  let limit: Int
  /// The cost of all of them.
  private(set) var cost = 0

  init(limit: Int) { self.limit = max(0, limit) }

  var count: Int { places.count }

  /// What a single value may cost at most. A quarter of the limit: a value that large still leaves three quarters of what
  /// was there before it.
  var largest: Int { limit / 4 }

  /// The value, which is now the one that was used last.
  mutating func use(_ key: Key) -> Value? {
    guard let place = places[key] else { return nil }
    if place != newest {
      unlink(place)
      linkAsNewest(place)
    }
    return slots[place].value
  }

  /// Keeps a value in the place of the one that there was, and lets go of others until all fit. False: it costs too much.
  @discardableResult
  mutating func keep(_ value: Value, for key: Key, cost: Int) -> Bool {
    guard cost <= largest else {
      remove(key)
      return false
    }
    let place = free.popLast() ?? slots.count
    let slot = Slot(key: key, value: value, cost: cost, newer: nil, older: nil)
    if place < slots.count { slots[place] = slot } else { slots.append(slot) }
    if let other = places.updateValue(place, forKey: key) { letGo(other) }
    self.cost += cost
    linkAsNewest(place)
    while self.cost > limit, let oldest { remove(slots[oldest].key) }
    return true
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Bool {
    guard let place = places.removeValue(forKey: key) else { return false }
    letGo(place)
    return true
  }

  private mutating func letGo(_ place: Int) {
    unlink(place)
    cost -= slots[place].cost
    slots[place].value = nil
    free.append(place)
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
