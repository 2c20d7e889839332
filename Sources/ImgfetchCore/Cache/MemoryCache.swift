/// The images that this process has in memory, as they were downloaded. They are shared without copying.
///
/// May be called from any thread.
package final class MemoryCache: CacheTier {
  /// An image and what is known about it. A class, so that it passes through the table as one reference.
  package final class Entry: Sendable {
    package let metadata: EntryMetadata
    package let image: ImageBody
    /// When it was stored, or last confirmed by its origin.
    package let stored: WallTime

    init(metadata: EntryMetadata, image: ImageBody, stored: WallTime) {
      self.metadata = metadata
      self.image = image
      self.stored = stored
    }
  }

  private let images: Guarded<LeastRecentlyUsed<CacheKey, Entry>>

  /// - Parameter limit: bytes for all images together.
  package init(limit: Int) {
    let images = LeastRecentlyUsed<CacheKey, Entry>(limit: limit)
    largest = images.largest - Self.overhead
    self.images = Guarded(images)
  }

  /// The largest image that is kept.
  package let largest: Int

  /// The image of a key, which becomes the most recently used.
  package func lookup(_ key: CacheKey) -> Entry? { images.withLock { $0.use(key) } }

  /// Keeps an image and drops the least recently used ones until all fit. An image larger than a quarter of the limit
  /// is not kept, since it would take the place of many.
  ///
  /// - Parameter hash: of the bytes, if it is known.
  package func insert(
    _ key: CacheKey, metadata: EntryMetadata, body: [UInt8], hash: ContentHash? = nil, stored: WallTime
  ) {
    insert(key, Entry(metadata: metadata, image: ImageBody(.bytes(body), hash: hash), stored: stored))
  }

  private func insert(_ key: CacheKey, _ kept: Entry) {
    // An empty entry has a cost, too, so that their number is bounded.
    let cost =
      Int(kept.image.count) + kept.metadata.storedFields.count + key.url.utf8.count + Self.overhead
    images.withLock { _ = $0.keep(kept, for: key, cost: cost) }
  }

  /// Removes the image of a key, with its variants and what was made of them.
  package func removeAll(of key: CacheKey) {
    images.withLock { images in
      for kept in images.keys where kept.url == key.url { images.remove(kept) }
    }
  }

  /// Removes everything.
  package func clear() { images.withLock { $0 = LeastRecentlyUsed(limit: $0.limit) } }

  /// How much is kept.
  package var size: CacheUsage {
    images.withLock { CacheUsage(bytes: Int64($0.cost), entries: Int64($0.count)) }
  }

  /// Removes the image of a key, if there is one.
  package func remove(_ key: CacheKey) { images.withLock { _ = $0.remove(key) } }

  package func lookup(_ key: CacheKey, withBody: Bool, damaged: () -> Void) -> CachedEntry? {
    lookup(key).map { kept in
      CachedEntry(
        metadata: kept.metadata, stored: kept.stored, lastUsed: kept.stored, body: kept.image,
        stamp: EntryStamp(identity: FileStatus.Identity(device: 0, inode: 0), stored: kept.stored), isReadOnly: false,
        file: nil)
    }
  }

  /// Keeps an image whose body is in memory, by the rules of ``insert(_:metadata:body:hash:stored:)``. One in a file is
  /// declined.
  package func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    guard case .bytes = body.content else { return remove(metadata.key) }
    insert(metadata.key, Entry(metadata: metadata, image: body, stored: stored))
  }

  package func forget(_ entry: CachedEntry, because reason: ForgetReason) {
    images.withLock { if $0.value(of: entry.key)?.image === entry.body { _ = $0.remove(entry.key) } }
  }

  /// What an image takes in addition to its bytes: its slot, its place in the table, the headers of its arrays.
  private static let overhead = 512
}

/// A table of values with different costs and a limit on their sum. The least recently used is dropped first. A pure
/// value. The values are in one array and linked by their indices in the order of use, so that a use costs a look-up
/// and a few words, and no allocation.
struct LeastRecentlyUsed<Key: Hashable, Value> {
  private struct Slot {
    var key: Key
    var value: Value?
    var cost: Int
    /// The next more recently used; nil for the most recent.
    var newer: Int?
    /// The next less recently used; nil for the one that is dropped next.
    var older: Int?
  }

  private var slots: [Slot] = []
  private var free: [Int] = []
  private var places: [Key: Int] = [:]
  private var newest: Int?
  private var oldest: Int?
  let limit: Int
  private(set) var cost = 0

  init(limit: Int) { self.limit = max(0, limit) }

  var count: Int { places.count }
  var keys: [Key] { Array(places.keys) }

  /// The most that a single value may cost: a quarter of the limit, so that three quarters of the other values stay.
  var largest: Int { limit / 4 }

  /// The value of a key, without counting as a use.
  func value(of key: Key) -> Value? { places[key].flatMap { slots[$0].value } }

  mutating func use(_ key: Key) -> Value? {
    guard let place = places[key] else { return nil }
    if place != newest {
      unlink(place)
      linkAsNewest(place)
    }
    return slots[place].value
  }

  /// Keeps a value, replacing the key's earlier one, and drops others until all fit. Returns false if it costs too
  /// much.
  @discardableResult
  mutating func keep(_ value: Value, for key: Key, cost: Int) -> Bool {
    guard cost <= largest else {
      remove(key)
      return false
    }
    let place = free.popLast() ?? slots.count
    let slot = Slot(key: key, value: value, cost: cost, newer: nil, older: nil)
    if place < slots.count { slots[place] = slot } else { slots.append(slot) }
    if let other = places.updateValue(place, forKey: key) { release(other) }
    self.cost += cost
    linkAsNewest(place)
    while self.cost > limit, let oldest { remove(slots[oldest].key) }
    return true
  }

  @discardableResult
  mutating func remove(_ key: Key) -> Bool {
    guard let place = places.removeValue(forKey: key) else { return false }
    release(place)
    return true
  }

  private mutating func release(_ place: Int) {
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
