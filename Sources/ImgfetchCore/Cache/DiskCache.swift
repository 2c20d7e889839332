/// The images that are kept on disk, shared with any number of other processes.
///
/// All methods may be called from any thread, and block while the disk works. A cache that does not exist yet, or was
/// removed meanwhile, is made by the first store. A look-up makes nothing.
///
/// Its extensions each know one thing about a cache: to store entries, to claim parts, to note failures, to list and
/// count, and to clean. All of them stand above one ``CacheLocation``.
package final class DiskCache: CacheTier {
  let location: CacheLocation
  let clock: any Clock
  /// The read-only caches behind it.
  let readOnlyCaches: [ReadOnlyCache]
  private let passedOver = RemovedKeys()
  private let state = Guarded(State())

  private struct State {
    /// Keys whose damaged entries this run has removed. Each is removed once: with a faulty disk, the same image would
    /// otherwise be fetched over and over.
    var removed: Set<ContentHash> = []
    /// Entries whose bodies were found damaged. None of them is returned again.
    var distrusted: Set<EntryStamp> = []
  }

  private init(_ location: CacheLocation, readOnlyCaches: [ReadOnlyCache], clock: any Clock) {
    self.location = location
    self.readOnlyCaches = readOnlyCaches
    self.clock = clock
  }

  /// Opens the cache at `root`, which need not exist. It fails if that folder cannot be trusted; there is then no cache
  /// in this run.
  ///
  /// - Parameters:
  ///   - readOnlyCaches: folders of other caches, which are looked in afterwards and never written.
  ///   - isTrial: true if the cache is only looked at: nothing is made, changed or removed.
  ///   - report: called with sentences for the user, each of them once.
  package static func open(
    root: String, namespace: String = "default", readOnlyCaches: [String] = [], isTrial: Bool = false,
    clock: any Clock = SystemClock(), user: UInt32 = Processes.user,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CacheUnavailable) -> DiskCache {
    let location: CacheLocation
    do {
      location = try CacheLocation(
        root: root, namespace: namespace, trust: FolderTrust(user: user, isReadOnly: false), isTrial: isTrial,
        report: report)
    } catch {
      if case .unavailable(let reason) = error { throw reason }
      throw CacheUnavailable(error.sentence(of: root))
    }
    var opened: [ReadOnlyCache] = []
    let trust = FolderTrust(user: user, isReadOnly: true)
    for path in readOnlyCaches {
      do {
        if let folder = try CacheFolder.open(root: path, namespace: namespace, trust: trust) {
          opened.append(ReadOnlyCache(folder) { location.tell($0) })
        } else {
          report("\(path): there is no cache to read here")
        }
      } catch {
        report(error.sentence(of: path))
      }
    }
    return DiskCache(location, readOnlyCaches: opened, clock: clock)
  }

  /// The entry of a key, or nil if there is none that can be trusted. A damaged one is removed.
  ///
  /// The body of a small entry is checked, too. Such a look-up takes four system calls: open, fstat, pread, close.
  ///
  /// - Parameters:
  ///   - withBody: true if the body of a small entry is read at once. False if it is probably not needed; it can be
  ///     read later, like that of a large one.
  ///   - damaged: called for each folder whose entry is damaged and therefore ignored.
  package func lookup(_ key: CacheKey, withBody: Bool = true, damaged: () -> Void = {}) -> CachedEntry? {
    var mark: GoneMark?
    if let folder = location.folder {
      switch read(key, at: key.path, in: folder, withBody: withBody) {
      case .entry(let entry):
        guard entry.isMarkOnly else { return entry }
        mark = entry.metadata.gone
      case .damaged: damaged()
      case .nothing, .newer, .unreadable: break
      }
    }
    if readOnlyCaches.isEmpty || passedOver.contains(key) { return nil }
    for cache in readOnlyCaches {
      if let entry = cache.lookup(key, withBody: withBody, damaged: damaged) { return entry.marked(mark) }
    }
    return nil
  }

  /// The entry of a key that was derived from the image with the hash `origin`, or nil if there is none. All of its
  /// bytes are known to be right: a large body is read for that here. The original image need not be read.
  package func lookup(_ key: CacheKey, madeOf origin: ContentHash) -> CachedEntry? {
    guard let entry = lookup(key), entry.metadata.origin == origin else { return nil }
    guard (try? entry.body.check()) != nil else {
      if entry.body.isDamaged { discard(entry) }
      return nil
    }
    touch(entry)
    return entry
  }

  /// Notes that an entry was used. Nothing is written if a use was noted within the last hour.
  package func touch(_ entry: CachedEntry) {
    let now = clock.wallTime()
    guard !entry.isReadOnly, !location.isTrial, Self.needsTouch(lastUsed: entry.lastUsed, now: now) else { return }
    // On the file that was read, even if another one has its name by now. If this fails, the entry only loses its place
    // in the order.
    try? entry.file?.file.setTimes(accessed: now, modified: nil)
  }

  /// True if the last use has to be noted. An hour is precise enough for the order of use, and avoids writes in a burst
  /// of hits. A last use in the future is kept: if the clock is wrong, the entry would seem long unused when the clock
  /// is right again.
  private static func needsTouch(lastUsed: WallTime, now: WallTime) -> Bool {
    guard let age = CachedEntry.age(of: lastUsed, now: now) else { return false }
    return age > 3600
  }

  /// Removes an entry whose body was found damaged while it was read, so that it is fetched again. One that cannot be
  /// removed (a disk may damage whatever is written to it) is ignored for the rest of the run.
  package func discard(_ entry: CachedEntry) {
    if entry.isReadOnly { return readOnlyCaches.forEach { $0.forget(entry, because: .damaged) } }
    state.withLock { _ = $0.distrusted.insert(entry.stamp) }
    guard let folder = location.folder, mayRemoveDamaged(entry.key), let status = try? entry.file?.file.status()
    else { return }
    try? remove(entry.key.path, status.identity, in: folder)
  }

  /// Removes an entry that must not be served any more, because its origin has sent a newer answer that is not kept.
  package func withdraw(_ entry: CachedEntry) {
    guard !entry.isReadOnly, let folder = location.folder else { return }
    try? remove(entry.key.path, entry.stamp.identity, in: folder)
  }

  /// Makes sure that the origin is asked about an entry before it is served again, since what the origin has answered
  /// could not be written. A full disk allows that. If it is not possible, the entry stays as it was.
  package func expire(_ entry: CachedEntry) {
    guard !entry.isReadOnly, !location.isTrial else { return }
    let used = max(EntryStamp.expired, entry.lastUsed)
    try? entry.file?.file.setTimes(accessed: used, modified: EntryStamp.expired)
  }

  /// Removes the entry at `path` if it is still that file.
  func remove(_ path: String, _ identity: FileStatus.Identity, in folder: CacheFolder) throws(SystemError) {
    if location.isTrial { return }
    // Another process may have replaced it by a good one. Between this check and the removal it still may, and then one
    // image is fetched once more.
    guard let present = try folder.namespace.status(of: path), present.identity == identity,
      try folder.namespace.remove(path), let shard = Int(path.prefix(2), radix: 16)
    else { return }
    folder.ledger?.add(shard: shard, bytes: -present.size, entries: -1)
  }

  /// Reads the file at `path` as an entry of that key. A damaged one is removed.
  func read(_ key: CacheKey, at path: String, in folder: CacheFolder, withBody: Bool = true) -> EntryReading {
    let reading = EntryReading.read(path, in: folder, key: key, withBody: withBody)
    switch reading {
    case .entry(let entry):
      if state.withLock({ !$0.distrusted.isEmpty && $0.distrusted.contains(entry.stamp) }) { return .nothing }
    case .nothing, .unreadable: break
    case .newer(let version): location.tell("\(folder.path): the cache \(CacheFailure.newer(version: version).message)")
    case .damaged(let status): if mayRemoveDamaged(key) { try? remove(path, status.identity, in: folder) }
    }
    return reading
  }

  private func mayRemoveDamaged(_ key: CacheKey) -> Bool { state.withLock { $0.removed.insert(key.hash).inserted } }

  package func forget(_ entry: CachedEntry, because reason: ForgetReason) {
    switch reason {
    case .damaged: discard(entry)
    case .superseded: withdraw(entry)
    }
  }

  /// Removes an image to make room for an output file of it, if one disk has no room for both. Returns the message for
  /// the user, or nil if the file is on another disk, or the image is not here.
  package func giveUp(_ key: CacheKey, for path: String, because code: Errno) -> String? {
    guard let folder = location.folder, let entry = lookup(key, withBody: false), !entry.isReadOnly else {
      return nil
    }
    guard let disk = try? Descriptor.folder(path.pathSplit.folder.map(String.init) ?? ".").status().identity.device,
      (try? folder.namespace.status().identity.device) == disk
    else { return nil }
    let file = try? folder.namespace.open(entry.key.path, [.readWrite, .noFollow])
    withdraw(entry)
    // An open file keeps its room, and this process has it open, so it is truncated. Another process that reads it
    // finds it damaged, and fetches the image. An entry that has taken its name meanwhile is left alone.
    if (try? file?.status().identity) == entry.stamp.identity { try? file?.truncate(to: 0) }
    return "\(location.explain(.system(SystemError(.write, code))).text); the image is not cached"
  }

  /// True if the cache can be used: its folder exists, or can be made, and is. One that is only looked at needs none.
  var isUsable: Bool { location.isTrial || location.folder != nil || (try? location.makeFolder()) != nil }

  /// The reason why the cache cannot be used, as a sentence, or nil if it can.
  var obstacle: String? {
    if location.folder != nil { return nil }
    do throws(CacheFailure) { _ = try location.makeFolder() } catch { return error.sentence(of: location.root) }
    return nil
  }

  /// The path of the namespace's folder, whether or not it exists.
  package var path: String { "\(location.root)/\(CacheFolder.Names.version)/\(location.namespace)" }

  /// The file of an entry, in this cache or a read-only one, or nil if there is none that can be trusted.
  package func path(of key: CacheKey) -> String? {
    if let folder = location.folder, case .entry(let entry) = read(key, at: key.path, in: folder), !entry.isMarkOnly {
      return "\(folder.path)/\(key.path)"
    }
    if passedOver.contains(key) { return nil }
    let cache = readOnlyCaches.first { $0.lookup(key, withBody: true, damaged: {}) != nil }
    return cache.map { "\($0.folder.path)/\(key.path)" }
  }

  /// The 32 bytes that salts are made with, the same for all processes that use this cache. Made when first needed.
  package func secret() throws(CacheFailure) -> [UInt8] { try location.secret() }

  /// Makes sure that removed images are requested from the origin from now on, without asking the read-only caches and
  /// the remote cache.
  ///
  /// - Parameter key: the key of the removed image, or nil for all images.
  package func passOver(_ key: CacheKey?) {
    if let key { passedOver.add(key) } else { passedOver.addEverything() }
  }

  /// True if read-only caches and the remote cache are not asked for a key.
  func isPassedOver(_ key: CacheKey) -> Bool { passedOver.contains(key) }

  /// True if an entry of this URL was among the last that were removed by cleaning.
  func wasEvicted(_ key: CacheKey) -> Bool { location.folder.map { EvictionRing.contains(key, in: $0) } ?? false }
}
