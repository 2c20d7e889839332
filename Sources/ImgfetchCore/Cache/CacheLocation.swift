/// A cache's place and its folder, which is opened once for all threads, so that there is one ledger. The first store
/// makes it. If it was removed meanwhile, it is opened again. May be used from any thread.
final class CacheLocation: Sendable {
  /// The cache's folder, as it was given.
  let root: String
  let namespace: String
  /// True if the cache is only looked at, and nothing in it changes, not even the time at which an image was last used.
  let isTrial: Bool
  private let trust: FolderTrust
  private let report: @Sendable (String) -> Void
  private let state: Guarded<State>
  /// Locked while the folder is opened or made. Otherwise a thread could store before the thread that made the folder
  /// has begun the ledger, which would then have to be counted at the run's end by a walk through the whole cache.
  private let opening = Guarded(true)

  private struct State {
    /// The folder, or nil if it was not made yet, or was removed.
    var folder: CacheFolder?
    var reported: Set<String> = []
    /// The number of the last private name, or nil if none was wanted yet.
    var privateName: UInt64?
    /// The reason why there is no secret, or nil if there is one, or none was wanted yet.
    var secretFailure: CacheFailure?
  }

  /// Opens the location; the folder need not exist. It fails if the folder cannot be trusted, or if the namespace is
  /// not the name of a folder: a path would lead out of the cache.
  ///
  /// - Parameter report: called once for each sentence that a user should know.
  init(
    root: String, namespace: String, trust: FolderTrust, isTrial: Bool = false,
    report: @escaping @Sendable (String) -> Void
  ) throws(CacheFailure) {
    let name = namespace.utf8
    guard !name.isEmpty, name.first != UInt8(ascii: "."), !name.contains(UInt8(ascii: "/")) else {
      throw .refusal(of: root, "the namespace '\(namespace)' is not the name of a folder")
    }
    self.root = root
    self.namespace = namespace
    self.isTrial = isTrial
    self.trust = trust
    self.report = report
    state = Guarded(State(folder: try CacheFolder.open(root: root, namespace: namespace, trust: trust)))
  }

  /// The namespace's folder if it exists. Another process may have made it since the last call.
  var folder: CacheFolder? {
    if let current { return current }
    do {
      return try opening.withLock { (_) throws(CacheFailure) in
        if let current { return current }
        return try CacheFolder.open(root: root, namespace: namespace, trust: trust).map(adopt)
      }
    } catch {
      tell(error.sentence(of: root))
      return nil
    }
  }

  func makeFolder() throws(CacheFailure) -> CacheFolder {
    if let current { return current }
    return try opening.withLock { (_) throws(CacheFailure) in
      if let current { return current }
      if isTrial { throw .refusal(of: root, "it is not there, and is only to be looked at") }
      return adopt(try CacheFolder.make(root: root, namespace: namespace, trust: trust))
    }
  }

  private var current: CacheFolder? { state.withLock { $0.folder } }

  private func adopt(_ opened: CacheFolder) -> CacheFolder {
    state.withLock { $0.folder = opened }
    return opened
  }

  func forget(_ folder: CacheFolder) { state.withLock { if $0.folder === folder { $0.folder = nil } } }

  /// A path for a part that no other process or thread uses.
  ///
  /// The numbers begin at random: a process may have opened the cache twice, and containers that share it may each have
  /// a process with the same number. With names from 1 on, a process has replaced another one's part.
  func privatePath(_ key: CacheKey) -> String {
    let number = state.withLock { state in
      let number = state.privateName.map { $0 &+ 1 } ?? UInt64.random(in: .min ... .max)
      state.privateName = number
      return number
    }
    return "\(key.shard)/\(key.fileName).\(Processes.identifier).\(number)\(CacheKey.partSuffix)"
  }

  /// Opens a file in a shard's folder. It makes the folder (or the whole cache) first if it is missing; making all of
  /// them beforehand would take 5 ms.
  func openForWriting(
    _ path: String, shard: @autoclosure () -> String, _ flags: OpenFlags, in folder: inout CacheFolder
  ) throws(CacheFailure) -> Descriptor {
    // Each turn but the first follows the removal of a folder by another process, or the making of one.
    for _ in 0..<16 {
      do {
        return try folder.namespace.openBeneath(path, flags)
      } catch {
        if error.code != .noSuchFile { throw .system(error) }
      }
      do {
        try folder.namespace.makeFolder(shard())
      } catch {
        guard error.code == .noSuchFile else { throw .system(error) }
        forget(folder)
        folder = try makeFolder()
      }
    }
    throw .unavailable(CacheUnavailable("\(root): the cache is removed faster than it can be made"))
  }

  /// The 32 bytes that salts are made with, the same for all processes that use this cache. They are made when first
  /// needed. After a failure, nothing is stored under a salted key.
  func secret() throws(CacheFailure) -> [UInt8] {
    do { return try readSecret() } catch {
      state.withLock { $0.secretFailure = error }
      throw error
    }
  }

  private func readSecret() throws(CacheFailure) -> [UInt8] {
    var folder = try makeFolder()
    for _ in 0..<4 {
      do throws(SystemError) {
        if let secret = try Secret.read(in: folder) { return secret }
      } catch { throw unusableSecret(because: error.code) }
      if isTrial { break }
      do throws(SystemError) { try Secret.make(in: folder) } catch {
        guard error.code == .noSuchFile else { throw .system(error) }
        // The cache was removed meanwhile.
        forget(folder)
        folder = try makeFolder()
      }
    }
    throw unusableSecret(because: nil)
  }

  private func unusableSecret(because code: Errno?) -> CacheFailure {
    let reason = code.map { ": \($0)" } ?? ""
    return .unavailable(
      CacheUnavailable(
        "\(root)/\(CacheFolder.Names.version)/\(CacheFolder.Names.secret): not used as the cache's secret\(reason); "
          + "without it, what depends on who asks or how is not cached; remove it, and another is made"))
  }

  /// Fails if the key has a salt that no other run can compute: an entry under it would never be found again.
  func checkSalt(of key: CacheKey) throws(CacheFailure) {
    if key.salt != nil, let failure = state.withLock({ $0.secretFailure }) { throw failure }
  }

  /// Reports a sentence to the user, once in a run.
  func tell(_ sentence: String) {
    if state.withLock({ $0.reported.insert(sentence).inserted }) { report(sentence) }
  }

  func explain(_ failure: CacheFailure) -> CacheWarning {
    switch failure {
    case .unavailable(let reason): CacheWarning(reason.message)
    case .system(let error): CacheWarning("\(root): the cache cannot be written: \(error.code)", error.code)
    default: CacheWarning("\(root): \(failure)")
    }
  }
}
