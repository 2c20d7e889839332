/// The opened folder of one namespace: what every name of an entry is looked up from.
///
/// Opened once; a look-up is then relative to it. If the folder is removed underneath, this one holds on to what was
/// removed, and its owner opens another.
final class CacheFolder: Sendable {
  /// Where the entries' folders are.
  let namespace: Descriptor
  /// The folder above, with the secret.
  let version: Descriptor
  /// The namespace's path, for messages and for `cache path`.
  let path: String
  let trust: FolderTrust
  private let knownLedger = Guarded<Ledger??>(nil)

  /// Which files of this version are where.
  enum Names {
    static let version = "v1"
    static let secret = "secret"
    static let ledger = "ledger"
  }

  private init(namespace: consuming Descriptor, version: consuming Descriptor, path: String, trust: FolderTrust) {
    self.namespace = namespace
    self.version = version
    self.path = path
    self.trust = trust
  }

  /// Opens the folder of a namespace in the cache at `root`; nil if it was not made yet.
  static func open(root: String, namespace: String, trust: FolderTrust) throws(CacheFailure) -> CacheFolder? {
    do {
      let top = try openTop(root, trust)
      let version = try CacheFailure.wrapping { () throws(SystemError) in
        try top.open(Names.version, [.read, .directory, .noFollow])
      }
      try check(version, named: "\(root)/\(Names.version)", trust)
      let path = "\(root)/\(Names.version)/\(namespace)"
      let folder = try CacheFailure.wrapping { () throws(SystemError) in
        try version.open(namespace, [.read, .directory, .noFollow])
      }
      try check(folder, named: path, trust)
      return CacheFolder(namespace: folder, version: version, path: path, trust: trust)
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
  }

  /// The cache's own folder. Links on the way to it are the user's and followed; where they lead must be ours.
  static func openTop(_ root: String, _ trust: FolderTrust) throws(CacheFailure) -> Descriptor {
    let top = try CacheFailure.wrapping { () throws(SystemError) in try Descriptor.folder(root) }
    try check(top, named: root, trust)
    if trust.caresAboutParent {
      let parent = try CacheFailure.wrapping { () throws(SystemError) in try top.status(of: "..") }
      if let parent, let objection = trust.objection(toParent: parent) { throw .refusal(of: root, objection) }
    }
    return top
  }

  private static func check(
    _ folder: borrowing Descriptor, named name: String, _ trust: FolderTrust
  ) throws(CacheFailure) {
    let status: FileStatus
    do { status = try folder.status() } catch { throw .system(error) }
    if let objection = trust.objection(to: status) { throw .refusal(of: name, objection) }
  }

  /// The ledger, opened (and made, where it is missing) at its first use, and again where it was lost: a look-up needs none. Nil
  /// where there can be none; sizes are then counted by walking.
  var ledger: Ledger? {
    if let known = knownLedger.withLock({ $0 }), known?.isLost != true { return known }
    // Two threads may come here at once; both open the same file, and one of the openings is kept.
    let opened = trust.isReadOnlyTier ? nil : Ledger.open(in: namespace, owner: trust.user)
    return knownLedger.withLock { known in
      if let known, known?.isLost != true { return known }
      known = .some(opened)
      return opened
    }
  }
}

extension CacheFolder {
  /// The folder of a shard; nil: there is none. What stands in its place and is no folder (a stray file, a link) holds no entries, and
  /// must not keep the other folders from being looked at: it is passed over, and `tell` hears of it.
  func openShard(_ shard: Int, _ tell: (String) -> Void) throws(SystemError) -> Descriptor? {
    let name = CacheKey.shardName(shard)
    do { return try namespace.open(name, [.read, .directory, .noFollow]) } catch {
      switch error.code {
      case .noSuchFile: return nil
      case .notDirectory, .tooManySymbolicLinks:
        tell("\(path)/\(name): passed over: it is no folder of the cache; remove it")
        return nil
      default: throw error
      }
    }
  }
}

extension CacheFailure {
  static func refusal(of folder: String, _ objection: String) -> CacheFailure {
    .unavailable(CacheUnavailable("\(folder): not used as a cache: \(objection)"))
  }
}
