/// The images that this process has in memory, as they were downloaded. They are shared without copying.
///
/// It keeps whatever was asked for, large or small. The bytes of a large image that is delivered into a file are never
/// in memory at once, and most images of a list are asked for once. So such an image is kept as its open file, which
/// has it whatever happens to the file's name, and its bytes are read, checked and kept when it is asked for again. It
/// counts as if they were there already.
///
/// May be called from any thread.
package final class MemoryCache: CacheTier {
  /// An image and its metadata. A class, so that it passes through the table as one reference.
  package final class Entry: Sendable {
    package let metadata: EntryMetadata
    package let image: ImageBody
    /// The time at which the image was stored, or last confirmed by its origin.
    package let stored: WallTime

    init(metadata: EntryMetadata, image: ImageBody, stored: WallTime) {
      self.metadata = metadata
      self.image = image
      self.stored = stored
    }

    var isInFile: Bool { if case .file = image.content { true } else { false } }
  }

  /// The state that the lock guards.
  private struct State {
    var images: LeastRecentlyUsed<CacheKey, Entry>
    /// The keys that are kept as open files, in a ring: the oldest makes room for the next.
    var files: [CacheKey?]
    var nextFile = 0
    /// The share of the limit that may be used while the system is short of memory.
    var share = MemoryShare()
    var limit: Int
    /// Bytes that were kept since the system was asked last.
    var keptSinceLook = 0
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
        images: LeastRecentlyUsed(limit: limit, count: count), files: Array(repeating: nil, count: max(0, files)),
        limit: max(0, limit)))
  }

  /// The image of a key, which becomes the most recently used. Its bytes are in memory.
  package func lookup(_ key: CacheKey) -> Entry? {
    guard let entry = state.withLock({ $0.images.use(key) }) else { return nil }
    return entry.isInFile ? load(entry, key) : entry
  }

  /// True if there is an image of a key. The image is not read, and this does not count as a use.
  package func contains(_ key: CacheKey) -> Bool { state.withLock { $0.images.value(of: key) != nil } }

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
      Int(clamping: kept.image.count).addingReportingOverflow(
        kept.metadata.storedFields.count + key.url.utf8.count + Self.overhead)
    // Files are closed, and bytes freed, outside of the lock, for which all threads queue.
    var dropped: [Entry] = []
    let (crowdedOut, isLookDue): (Entry?, Bool) = state.withLock { state in
      guard !cost.overflow, state.images.keep(kept, for: key, cost: cost.partialValue, dropped: &dropped) else {
        return (nil, false)
      }
      state.keptSinceLook += cost.partialValue
      let isDue = state.keptSinceLook > Self.stride
      if isDue { state.keptSinceLook = 0 }
      // A key that was kept as a file before has its place already.
      let hasPlace = !kept.isInFile || dropped.first.map { $0.isInFile && $0.metadata.key == key } == true
      return (hasPlace ? nil : hold(key, &state, &dropped), isDue)
    }
    if let crowdedOut { _ = load(crowdedOut, crowdedOut.metadata.key) }
    if isLookDue { makeRoom() }
  }

  /// Takes a place among the open files. Returns the image that had it, if its bytes are to be read.
  private func hold(_ key: CacheKey, _ state: inout State, _ dropped: inout [Entry]) -> Entry? {
    guard !state.files.isEmpty else {
      if readsFiles { return state.images.value(of: key) }
      if let entry = state.images.remove(key) { dropped.append(entry) }
      return nil
    }
    let former = state.files[state.nextFile]
    state.files[state.nextFile] = key
    state.nextFile = (state.nextFile + 1) % state.files.count
    guard let former, former != key else { return nil }
    if readsFiles { return state.images.value(of: former).flatMap { $0.isInFile ? $0 : nil } }
    if let entry = state.images.remove(former, if: \.isInFile) { dropped.append(entry) }
    return nil
  }

  /// Reads the bytes of an image that is kept as a file. Nil: they are not those that were kept, and
  /// nothing is kept any more.
  private func load(_ entry: Entry, _ key: CacheKey) -> Entry? {
    // Outside of the lock, and by each that asks meanwhile: that is rare.
    guard let bytes = try? entry.image.bytes() else {
      state.withLock { if $0.images.value(of: key) === entry { $0.images.remove(key) } }
      return nil
    }
    return keep(bytes, of: entry, key)
  }

  private func keep(_ bytes: [UInt8], of entry: Entry, _ key: CacheKey) -> Entry {
    let loaded = Entry(
      metadata: entry.metadata, image: ImageBody(.bytes(bytes), hash: entry.image.knownHash), stored: entry.stored)
    state.withLock { if $0.images.value(of: key) === entry { $0.images.exchange(loaded, for: key) } }
    return loaded
  }

  /// Keeps the bytes of a body that its taker has read, in place of its file.
  package func take(_ bytes: [UInt8], of body: ImageBody, _ key: CacheKey) {
    let entry = state.withLock { $0.images.value(of: key) }
    guard let entry, entry.isInFile, let hash = body.knownHash, entry.image.knownHash == hash,
      entry.image.count == Int64(bytes.count)
    else { return }
    _ = keep(bytes, of: entry, key)
  }

  /// Removes the image of a key, with its variants and the images derived from them.
  package func removeAll(of key: CacheKey) {
    state.withLock { state in
      for kept in state.images.keys where kept.url == key.url { state.images.remove(kept) }
    }
  }

  /// Removes everything.
  package func clear() { state.withLock { $0.images.shrink(to: -1) } }

  /// Changes the limits, and drops values that exceed them.
  package func setLimits(_ limit: Int, count: Int) {
    state.withLock { state in
      state.limit = max(0, limit)
      state.images.setLimits(state.share.of(state.limit), count: count)
    }
  }

  /// The size of the images in memory.
  package var size: CacheUsage {
    state.withLock { CacheUsage(bytes: Int64($0.images.cost), entries: Int64($0.images.count)) }
  }

  /// Removes the image of a key, if there is one.
  package func remove(_ key: CacheKey) { state.withLock { _ = $0.images.remove(key) } }

  package func lookup(_ key: CacheKey, withBody: Bool, damaged: () -> Void) -> CachedEntry? {
    lookup(key).map { kept in
      CachedEntry(
        metadata: kept.metadata, stored: kept.stored, lastUsed: kept.stored, body: kept.image,
        stamp: EntryStamp(identity: FileStatus.Identity(device: 0, inode: 0), stored: kept.stored), isReadOnly: false,
        file: nil)
    }
  }

  /// Keeps an image, by the rules of ``insert(_:metadata:body:hash:stored:)``. One in a file that has other images,
  /// too, is declined, and so is one whose hash is not known.
  package func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    guard let image = body.keptInMemory else { return remove(metadata.key) }
    insert(metadata.key, Entry(metadata: metadata, image: image, stored: stored))
  }

  package func removeEverything() { clear() }

  package func forget(_ entry: CachedEntry, because reason: ForgetReason) {
    state.withLock { if $0.images.value(of: entry.key)?.image === entry.body { _ = $0.images.remove(entry.key) } }
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
      state.images.setLimits(state.share.of(state.limit), count: state.images.countLimit)
    }
  }
}

extension ImageBody {
  /// The body as memory keeps it, or nil if it cannot be kept. Others may write to the file by now, so it is
  /// checked when it is read.
  fileprivate var keptInMemory: ImageBody? {
    switch content {
    case .bytes: self
    case .file(let stored):
      if stored.isShared {
        nil
      } else {
        knownHash.map { hash in
          ImageBody(
            .file(
              Stored(
                descriptor: stored.descriptor, start: stored.start, length: stored.length, expectedHash: hash)))
        }
      }
    }
  }
}
