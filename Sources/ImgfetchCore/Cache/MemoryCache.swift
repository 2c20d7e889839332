/// The images that this process has in memory, as they were downloaded. They are shared without copying.
///
/// Keeps all that was requested, large or small. The bytes of a large image that is delivered into a file are never
/// in memory at once, and most images of a list are requested once. So such an image is kept as its open file, which
/// stays readable whatever happens to the file's name. Its bytes are read, checked and kept when it is requested again.
/// Until then the image counts as if they were there already.
///
/// May be called from any thread.
package final class MemoryCache: CacheTier {
  /// An image and its metadata. A class, so that it passes through the table as one reference.
  package final class Entry: Sendable {
    fileprivate let shared: SharedMetadata
    package let image: ImageBody
    /// The time at which the image was stored, or last confirmed by its origin.
    package let stored: WallTime

    package var metadata: EntryMetadata { _read { yield shared.value } }

    init(_ metadata: SharedMetadata, image: ImageBody, stored: WallTime) {
      shared = metadata
      self.image = image
      self.stored = stored
    }

    var isInFile: Bool { if case .file = image.content { true } else { false } }
  }

  /// The state that the lock guards.
  private struct State {
    var images: LeastRecentlyUsed<CacheKey, Entry>
    /// The images that are kept as open files.
    var files: RecentFiles
    /// The share of the limit that may be used while the system is short of memory.
    var share = MemoryShare()
    var limit: Int
    /// The bytes in memory that were kept since the system was asked last.
    var keptSinceLook = 0

    func entry(of key: CacheKey) -> Entry? { files.entry(of: key) ?? images.value(of: key) }

    mutating func use(_ key: CacheKey) -> Entry? { files.entry(of: key) ?? images.use(key) }

    /// Keeps an entry in place of its key's former one. Returns true if it is kept, and the open file that had to make
    /// room for it.
    mutating func keep(_ entry: Entry, cost: Int, dropped: inout [Entry]) -> (isKept: Bool, crowdedOut: Entry?) {
      let key = entry.metadata.key
      var crowdedOut: Entry?
      if entry.isInFile {
        // It counts as if its bytes were there, so that they fit when they are read.
        guard cost <= images.largest, images.countLimit > 0 else {
          if let former = remove(key) { dropped.append(former) }
          return (false, nil)
        }
        if let former = images.remove(key) { dropped.append(former) }
        if let former = files.keep(entry, cost: cost) {
          if former !== entry, former.metadata.key == key { dropped.append(former) } else { crowdedOut = former }
        }
      } else {
        if let former = files.remove(key) { dropped.append(former) }
        if !images.keep(entry, for: key, cost: cost, dropped: &dropped) { return (false, nil) }
      }
      fit(&dropped)
      return (true, crowdedOut)
    }

    /// Drops what exceeds the limits together: the open files last, since they were kept last.
    mutating func fit(_ dropped: inout [Entry]) {
      images.dropExcess(over: files.cost, files.count, dropped: &dropped)
      while files.count > 0, files.cost > images.limit || files.count > images.countLimit {
        if let former = files.removeOldest() { dropped.append(former) }
      }
    }

    mutating func setLimits(count: Int) {
      images.setLimits(share.of(limit), count: count)
      var dropped: [Entry] = []
      fit(&dropped)
    }

    @discardableResult
    mutating func remove(_ key: CacheKey) -> Entry? { files.remove(key) ?? images.remove(key) }
  }

  private let state: Guarded<State>
  private let pressure: MemoryPressure
  private let clock: any Clock
  /// True if the bytes of an open file are read when there are too many. If false, the image is dropped.
  private let readsFiles: Bool

  /// - Parameters:
  ///   - limit: bytes for all images together.
  ///   - count: the most images.
  ///   - files: the most of them that may be open files.
  ///   - readsFiles: whether the bytes of the oldest are read when there are more of those. If not, it is dropped.
  package init(
    limit: Int, count: Int = .max, files: Int = 128, readsFiles: Bool = true, clock: any Clock = SystemClock(),
    pressure: MemoryPressure = MemoryPressure()
  ) {
    self.clock = clock
    self.pressure = pressure
    self.readsFiles = readsFiles
    state = Guarded(
      State(
        images: LeastRecentlyUsed(limit: limit, count: count), files: RecentFiles(most: files), limit: max(0, limit)))
  }

  /// The image of a key, which becomes the most recently used. Its bytes are in memory.
  package func lookup(_ key: CacheKey) -> Entry? {
    guard let entry = state.withLock({ $0.use(key) }) else { return nil }
    return entry.isInFile ? load(entry, key) : entry
  }

  /// True if there is an image of a key. The image is not read, and this does not count as a use.
  package func contains(_ key: CacheKey) -> Bool { state.withLock { $0.entry(of: key) != nil } }

  /// Keeps an image and drops the least recently used ones until all fit. An image larger than a quarter of the limit
  /// is not kept, since it would take the place of many.
  package func insert(_ body: [UInt8], _ metadata: EntryMetadata, stored: WallTime) {
    insert(Entry(SharedMetadata(metadata), image: ImageBody(.bytes(body)), stored: stored))
  }

  /// - Parameter mayKeep: asked under the lock, so that no newer image of the key is replaced by an older one.
  private func insert(_ kept: Entry, if mayKeep: (borrowing State) -> Bool = { _ in true }) {
    // An empty entry has a cost, too, so that their number is bounded.
    let cost =
      Int(clamping: kept.image.count).addingReportingOverflow(
        kept.metadata.storedFields.count + kept.metadata.key.url.utf8.count + Self.overhead)
    // Files are closed, and bytes freed, outside of the lock, for which all threads queue.
    var dropped: [Entry] = []
    let (crowdedOut, isLookDue): (Entry?, Bool) = state.withLock { state in
      guard !cost.overflow, mayKeep(state) else { return (nil, false) }
      let (isKept, crowdedOut) = state.keep(kept, cost: cost.partialValue, dropped: &dropped)
      guard isKept else { return (nil, false) }
      // An open file takes no memory until its bytes are read.
      if !kept.isInFile { state.keptSinceLook += cost.partialValue }
      let isDue = state.keptSinceLook > Self.stride
      if isDue { state.keptSinceLook = 0 }
      return (crowdedOut, isDue)
    }
    if readsFiles, let crowdedOut { read(crowdedOut) }
    if isLookDue { makeRoom() }
  }

  /// Keeps the bytes of an image that has lost its place among the open files, unless its key has a newer one.
  private func read(_ entry: Entry) {
    guard let bytes = entry.checkedBytes else { return }
    insert(entry.having(bytes)) { $0.entry(of: entry.metadata.key) == nil }
  }

  /// Reads the bytes of an image that is kept as a file, and keeps them in its place. Returns nil if the bytes have
  /// changed; then the image is no longer kept.
  private func load(_ entry: Entry, _ key: CacheKey) -> Entry? {
    // Outside of the lock. Each thread that asks meanwhile does the same, which is rare.
    guard let bytes = entry.checkedBytes else {
      state.withLock { if $0.files.entry(of: key) === entry { $0.files.remove(key) } }
      return nil
    }
    let loaded = entry.having(bytes)
    insert(loaded, inPlaceOf: entry)
    return loaded
  }

  /// Keeps an image unless its key has another one by now.
  private func insert(_ loaded: Entry, inPlaceOf entry: Entry) {
    insert(loaded) { $0.files.entry(of: entry.metadata.key) === entry }
  }

  /// Keeps the bytes that were read from a body, in place of its file.
  package func take(_ bytes: [UInt8], of body: ImageBody, _ key: CacheKey) {
    let entry = state.withLock { $0.files.entry(of: key) }
    guard let entry, let hash = body.knownHash, entry.image.knownHash == hash, entry.image.count == Int64(bytes.count)
    else { return }
    insert(entry.having(bytes), inPlaceOf: entry)
  }

  /// Removes the image of a key, with its variants and the images derived from them.
  package func removeAll(of key: CacheKey) {
    state.withLock { state in
      for kept in state.images.keys where kept.url == key.url { state.images.remove(kept) }
      state.files.removeAll { $0.metadata.key.url == key.url }
    }
  }

  /// Removes everything.
  package func clear() {
    state.withLock { state in
      state.images.shrink(to: -1)
      state.files.removeAll { _ in true }
    }
  }

  /// Changes the limits, and drops values that exceed them.
  package func setLimits(_ limit: Int, count: Int) {
    state.withLock { state in
      state.limit = max(0, limit)
      state.setLimits(count: count)
    }
  }

  /// The size of the images in memory.
  package var size: CacheUsage {
    state.withLock {
      CacheUsage(bytes: Int64($0.images.cost + $0.files.cost), entries: Int64($0.images.count + $0.files.count))
    }
  }

  /// Removes the image of a key, if there is one.
  package func remove(_ key: CacheKey) { state.withLock { _ = $0.remove(key) } }

  package func lookup(_ key: CacheKey, withBody: Bool, damaged: () -> Void) -> CachedEntry? {
    lookup(key).map { CachedEntry($0.image, $0.shared, stored: $0.stored, isReadOnly: false) }
  }

  /// Keeps an image, by the rules of ``insert(_:_:stored:)``. One in a file that has other images,
  /// too, is declined, and so is one whose hash is not known.
  package func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    keep(body, SharedMetadata(metadata), stored: stored)
  }

  /// The same, for an entry of another tier.
  package func keep(_ entry: CachedEntry) { keep(entry.body, entry.sharedMetadata, stored: entry.stored) }

  private func keep(_ body: ImageBody, _ metadata: SharedMetadata, stored: WallTime) {
    if case .file(let file) = body.content, file.isShared || body.knownHash == nil { return remove(metadata.value.key) }
    insert(Entry(metadata, image: body, stored: stored))
  }

  package func removeEverything() { clear() }

  package func forget(_ entry: CachedEntry, because reason: ForgetReason) {
    state.withLock { if $0.entry(of: entry.key)?.image === entry.body { _ = $0.remove(entry.key) } }
  }

  /// The bytes that an image takes in addition to its body: its slot, its place in the table,
  /// the headers of its arrays.
  private static let overhead = 512
  /// The bytes after which the system is asked whether it is short of memory: a look takes some 50 µs.
  private static let stride = 4 << 20
}

extension MemoryCache {
  /// Uses less while the system is short of memory, and more again when it is not.
  package func makeRoom() {
    let now = clock.now()
    guard state.withLock({ $0.share.isLookDue(now) }) else { return }
    let isShort = pressure.isShort()
    state.withLock { state in
      state.share.note(isShort: isShort, at: now)
      state.setLimits(count: state.images.countLimit)
    }
  }
}

extension MemoryCache.Entry {
  /// The bytes of an image in a file, or nil if they have changed. Others may have written to the file since, so they
  /// are compared with the hash even if they were right before.
  fileprivate var checkedBytes: [UInt8]? {
    guard case .file(let stored) = image.content, let hash = image.knownHash else { return nil }
    let body = ImageBody(
      .file(
        ImageBody.Stored(
          descriptor: stored.descriptor, start: stored.start, length: stored.length, expectedHash: hash)))
    return try? body.bytes()
  }

  /// The same image, with its bytes in memory.
  fileprivate func having(_ bytes: [UInt8]) -> MemoryCache.Entry {
    MemoryCache.Entry(shared, image: ImageBody(.bytes(bytes), hash: image.knownHash), stored: stored)
  }
}
