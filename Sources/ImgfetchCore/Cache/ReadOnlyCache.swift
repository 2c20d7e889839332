/// A disk cache that is only read: another user's or the system's, which is asked after this user's own. Nothing in it
/// is ever changed: it declines every image, and a superseded entry stays. A damaged one is ignored for the rest of the
/// run.
final class ReadOnlyCache: CacheTier {
  let folder: CacheFolder
  private let tell: @Sendable (String) -> Void
  private let damaged = Guarded<Set<EntryStamp>>([])

  init(_ folder: CacheFolder, tell: @escaping @Sendable (String) -> Void) {
    self.folder = folder
    self.tell = tell
  }

  func lookup(_ key: CacheKey, withBody: Bool, damaged: () -> Void) -> CachedEntry? {
    switch EntryReading.read(key.path, in: folder, key: key, withBody: withBody) {
    case .entry(let entry): return self.damaged.withLock { $0.contains(entry.stamp) } ? nil : entry
    case .damaged: damaged()
    case .newer(let version): tell("\(folder.path): the cache \(CacheFailure.newer(version: version).message)")
    case .nothing, .unreadable: break
    }
    return nil
  }

  func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {}

  func forget(_ entry: CachedEntry, because reason: ForgetReason) {
    if reason == .damaged { damaged.withLock { _ = $0.insert(entry.stamp) } }
  }

  func removeAll(of key: CacheKey) {}

  func removeEverything() {}
}
