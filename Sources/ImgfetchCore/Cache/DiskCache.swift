/// The images that are kept on disk, shared with any number of other processes.
///
/// It owns the opened folder of one namespace and the folders that are only read. Everything in it may be called from
/// any thread and blocks while the disk works. A cache that is not there yet, or was removed underneath, is made by the
/// first store; a look-up makes nothing.
package final class DiskCache: Sendable {
  /// The cache's folder, as it was given.
  package let root: String
  package let namespace: String
  let clock: any Clock
  let trust: FolderTrust
  private let report: @Sendable (String) -> Void
  let tiers: [CacheFolder]
  private let state: Guarded<State>
  /// How often the folder was opened or made. Locked while that is done: else a thread could store before the one that made it has
  /// begun the ledger, which would then have to be counted, at the run's end, by a walk through all of the cache.
  private let opening = Guarded(0)

  private struct State {
    /// Nil: not made yet, or gone.
    var folder: CacheFolder?
    /// Damaged entries that this run has removed: a faulty disk must not have the same image fetched in a circle.
    var removed: Set<ContentHash> = []
    /// Entries whose bodies were found damaged; so none of them is answered with twice.
    var distrusted: Set<EntryStamp> = []
    var told: Set<String> = []
    var privateParts = 0
  }

  /// - Parameters:
  ///   - root: the cache's folder; it need not exist.
  ///   - readOnlyTiers: folders of other caches, looked in afterwards and never written.
  ///   - report: told, in whole sentences, what a user should know; each sentence once.
  init(
    root: String, namespace: String, folder: CacheFolder?, tiers: [CacheFolder], trust: FolderTrust, clock: any Clock,
    report: @escaping @Sendable (String) -> Void
  ) {
    self.root = root
    self.namespace = namespace
    self.tiers = tiers
    self.trust = trust
    self.clock = clock
    self.report = report
    state = Guarded(State(folder: folder))
  }

  /// Opens the cache at `root`. It fails where that folder is not one to trust; there is then no cache in this run.
  package static func open(
    root: String, namespace: String = "default", readOnlyTiers: [String] = [], clock: any Clock = SystemClock(),
    user: UInt32 = Processes.user, report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CacheUnavailable) -> DiskCache {
    let trust = FolderTrust(user: user, isReadOnlyTier: false)
    let folder: CacheFolder?
    do { folder = try CacheFolder.open(root: root, namespace: namespace, trust: trust) } catch {
      if case .unavailable(let reason) = error { throw reason }
      throw CacheUnavailable("\(root): not used as a cache: it \(error.message)")
    }
    var tiers: [CacheFolder] = []
    let tierTrust = FolderTrust(user: user, isReadOnlyTier: true)
    for path in readOnlyTiers {
      do {
        let tier = try CacheFolder.open(root: path, namespace: namespace, trust: tierTrust)
        if let tier { tiers.append(tier) } else { report("\(path): there is no cache to read here") }
      } catch {
        if case .unavailable(let reason) = error { report(reason.message) } else { report("\(path): \(error.message)") }
      }
    }
    return DiskCache(
      root: root, namespace: namespace, folder: folder, tiers: tiers, trust: trust, clock: clock, report: report)
  }

  /// The namespace's folder if it is there; another process may have made it since the last look.
  var folder: CacheFolder? {
    if let present { return present }
    do {
      return try opening.withLock { (times) throws(CacheFailure) in
        if let present { return present }
        times += 1
        return try CacheFolder.open(root: root, namespace: namespace, trust: trust).map(adopt)
      }
    } catch {
      tell(explain(error))
      return nil
    }
  }

  /// The namespace's folder, made if it is missing.
  func makeFolder() throws(CacheFailure) -> CacheFolder {
    if let present { return present }
    return try opening.withLock { (times) throws(CacheFailure) in
      if let present { return present }
      times += 1
      return adopt(try CacheFolder.make(root: root, namespace: namespace, trust: trust))
    }
  }

  /// The folder that this process has open: one for all threads, so that there is one ledger.
  private var present: CacheFolder? { state.withLock { $0.folder } }

  private func adopt(_ opened: CacheFolder) -> CacheFolder {
    state.withLock { $0.folder = opened }
    return opened
  }

  /// Lets go of a folder that was removed underneath.
  func forget(_ folder: CacheFolder) {
    state.withLock { if $0.folder === folder { $0.folder = nil } }
  }

  /// A number that no other private part of this process has.
  func nextPrivatePart() -> Int {
    state.withLock { state in
      state.privateParts += 1
      return state.privateParts
    }
  }

  func tell(_ sentence: String) {
    if state.withLock({ $0.told.insert(sentence).inserted }) { report(sentence) }
  }

  /// Whether a damaged entry of this key may be removed: once in a run.
  func mayRemoveDamaged(_ key: CacheKey) -> Bool {
    state.withLock { $0.removed.insert(key.hash).inserted }
  }

  func distrust(_ entry: CachedEntry) { state.withLock { _ = $0.distrusted.insert(entry.stamp) } }

  func isDistrusted(_ entry: CachedEntry) -> Bool {
    state.withLock { !$0.distrusted.isEmpty && $0.distrusted.contains(entry.stamp) }
  }

  var foldersToRead: [CacheFolder] {
    let own = folder
    return tiers.isEmpty ? (own.map { [$0] } ?? []) : (own.map { [$0] } ?? []) + tiers
  }
}
