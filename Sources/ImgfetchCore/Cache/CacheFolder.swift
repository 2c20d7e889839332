/// The open folder of one namespace, from which all entries are looked up. If the folder is removed meanwhile, this one
/// keeps the removed folder open, and its owner opens another.
final class CacheFolder: Sendable {
  /// Contains the shards' folders.
  let namespace: Descriptor
  /// The parent folder, which contains the secret.
  let version: Descriptor
  /// The namespace's path, for messages and for `cache path`.
  let path: String
  let trust: FolderTrust
  private let knownLedger = Guarded<Ledger??>(nil)

  /// The names of files in this version's format.
  enum Names {
    static let version = "v1"
    static let secret = "secret"
    static let ledger = "ledger"
    static let evicted = "evicted"
  }

  private init(namespace: consuming Descriptor, version: consuming Descriptor, path: String, trust: FolderTrust) {
    self.namespace = namespace
    self.version = version
    self.path = path
    self.trust = trust
  }

  /// Opens the folder of a namespace in the cache at `root`, or nil if it does not exist.
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

  /// Opens the cache's top folder. Links on the way to it are the user's, and are followed. The folder that they lead
  /// to must belong to this user.
  static func openTop(_ root: String, _ trust: FolderTrust) throws(CacheFailure) -> Descriptor {
    let top = try CacheFailure.wrapping { () throws(SystemError) in try Descriptor.folder(root) }
    try check(top, named: root, trust)
    if trust.checksParent {
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

  /// The ledger. It is opened (and made, if it is missing) when first used, and again if it was lost: a look-up needs
  /// none. Nil if there can be none; sizes are then counted.
  var ledger: Ledger? {
    if let known = knownLedger.withLock({ $0 }), known?.isLost != true { return known }
    // Two threads may get here at once. Both open the same file, and one of the two is kept.
    let opened = trust.isReadOnly ? nil : Ledger.open(in: namespace, owner: trust.user)
    return knownLedger.withLock { known in
      if let known, known?.isLost != true { return known }
      known = .some(opened)
      return opened
    }
  }
}

extension CacheFolder {
  /// Opens the folder of a shard, or nil if there is none. Anything else in its place (a stray file, a link) contains
  /// no entries and must not keep the other folders from being read: it is skipped, and `tell` is called.
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

// Making missing folders. Only a store does that: a look-up in a cache that does not exist yet is a miss.
extension CacheFolder {
  /// Makes the cache's missing folders and opens the namespace.
  static func make(root: String, namespace: String, trust: FolderTrust) throws(CacheFailure) -> CacheFolder {
    // Another process may remove a folder between making and opening it. Then it is tried again, a limited number of
    // times.
    var failure: CacheFailure?
    var isMade = false
    for _ in 0..<8 {
      do {
        try makeFolders(to: root, trust)
        isMade = true
        let top = try openTop(root, trust)
        let isNew = try CacheFailure.wrapping { () throws(SystemError) in
          if try top.makeFolder(Names.version) { label(top) }
          let version = try top.open(Names.version, [.read, .directory, .noFollow])
          return try version.makeFolder(namespace)
        }
        if let folder = try open(root: root, namespace: namespace, trust: trust) {
          // If it is made while there is nothing to count, the ledger is right from the start.
          if isNew { _ = folder.ledger }
          return folder
        }
      } catch {
        if error.code != .noSuchFile { throw error }
        failure = error
      }
    }
    // On some file systems, a folder that cannot be made fails as if its parent was missing.
    if let failure, !isMade { throw failure }
    throw .unavailable(CacheUnavailable("\(root): not used as a cache: it is removed again and again"))
  }

  /// Makes the folders of a path with mode 0700, as the XDG base directory specification requires.
  private static func makeFolders(to path: String, _ trust: FolderTrust) throws(CacheFailure) {
    var missing: [String] = []
    let folder = try openPresent(path, missing: &missing)
    if missing.isEmpty { return }
    let status = try CacheFailure.wrapping { () throws(SystemError) in try folder.status() }
    if let objection = trust.objection(toParent: status) { throw .refusal(of: path, objection) }
    do throws(SystemError) { try make(missing.reversed(), in: folder) } catch { throw .system(error.of(path)) }
  }

  /// Opens the lowest existing folder of a path.
  ///
  /// - Parameter missing: gets the names below it, the lowest first.
  private static func openPresent(_ path: String, missing: inout [String]) throws(CacheFailure) -> Descriptor {
    var present = path
    while true {
      do throws(SystemError) { return try Descriptor.folder(present) } catch {
        let (parent, name) = split(present)
        // The working directory, in which the search of a relative path ends, may be gone itself.
        guard error.code == .noSuchFile, !name.isEmpty, parent != present else { throw .system(error.of(present)) }
        missing.append(name)
        present = parent
      }
    }
  }

  private static func make(_ names: [String], in folder: borrowing Descriptor) throws(SystemError) {
    guard let first = names.first else { return }
    try folder.makeFolder(first)
    try make(Array(names.dropFirst()), in: folder.open(first, [.read, .directory]))
  }

  /// A path's parent and its last component, which is empty at the top.
  private static func split(_ path: String) -> (parent: String, name: String) {
    var trimmed = [UInt8](path.utf8)
    while trimmed.last == UInt8(ascii: "/") { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: UInt8(ascii: "/")) else {
      return (".", String(decoding: trimmed, as: UTF8.self))
    }
    let parent = String(decoding: trimmed[..<slash], as: UTF8.self)
    return (parent.isEmpty ? "/" : parent, String(decoding: trimmed[(slash + 1)...], as: UTF8.self))
  }

  /// Writes the files that tell backup programs and people what this folder is. Nothing depends on them.
  private static func label(_ top: borrowing Descriptor) {
    write(
      """
      Signature: 8a477f597d28d172789f06886806bc55
      # This folder is a cache of imgfetch. For what the signature means, see https://bford.info/cachedir/
      """, as: "CACHEDIR.TAG", in: top)
    write(
      """
      This folder holds images that imgfetch has fetched, so that it need not fetch them again.
      Nothing is lost when it is removed, at any time and as a whole. 'imgfetch cache' shows and cleans it.
      Each file below is an image as it came, with a note on where it came from behind it.
      """, as: "README", in: top)
  }

  private static func write(_ text: String, as name: String, in folder: borrowing Descriptor) {
    guard let file = try? folder.open(name, [.write, .create, .exclusive, .noFollow]) else { return }
    // An incomplete text would be misleading.
    do { try file.write([UInt8]((text + "\n").utf8).span) } catch { _ = try? folder.remove(name) }
  }
}

/// Decides whose folders and files are trusted. A pure value. The cache's content is written to the user's files and
/// shown by programs that trust it, so no other user may have put it there.
struct FolderTrust: Sendable {
  let user: UInt32
  /// A read-only cache may also be root's.
  let isReadOnly: Bool

  func objection(to folder: FileStatus) -> String? {
    if folder.kind != .directory { return "it is not a folder" }
    if !isOurs(folder) { return "it belongs to another user" }
    if folder.mode & 0o022 != 0 { return "others may write in it; 'chmod go-w' helps" }
    return nil
  }

  /// The reason why a cache may not be made or used in this parent folder, or nil if it may. Root's files in a user's
  /// folder could be neither used nor removed by that user.
  func objection(toParent folder: FileStatus) -> String? {
    if !checksParent || folder.owner == 0 { return nil }
    return "it lies in another user's folder, and this is root, which needs a folder of its own"
  }

  /// True if ``objection(toParent:)`` can object at all.
  var checksParent: Bool { user == 0 && !isReadOnly }

  func trusts(_ file: FileStatus) -> Bool { file.kind == .regular && isOurs(file) }

  private func isOurs(_ status: FileStatus) -> Bool { status.owner == user || (isReadOnly && status.owner == 0) }
}

/// Random bytes that only this user knows. Without them, the salts in entries' names cannot be guessed.
enum Secret {
  static let length = 32

  /// Returns the secret, or nil if there is none. One that is incomplete or readable by others is removed, and then
  /// another is made.
  static func read(in folder: CacheFolder) throws(SystemError) -> [UInt8]? {
    do {
      let file = try folder.version.open(CacheFolder.Names.secret, [.read, .noFollow, .nonBlocking])
      let status = try file.status()
      var bytes: [UInt8] = []
      if folder.trust.trusts(status), status.mode & 0o077 == 0, status.size == Int64(length),
        try file.read(into: &bytes, count: length, at: 0) == length
      {
        return bytes
      }
      try folder.version.remove(CacheFolder.Names.secret)
      return nil
    } catch {
      if error.code == .noSuchFile { return nil }
      throw error
    }
  }

  /// Written completely before it gets its name. If two processes do so at once, the first one's stays.
  static func make(in folder: CacheFolder) throws(SystemError) {
    var random = SystemRandomNumberGenerator()
    let bytes = (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    let file = try TemporaryFile(in: folder.version.open(".", [.read, .directory]), mode: 0o600)
    try file.descriptor.write(bytes.span)
    do { try file.publish(as: CacheFolder.Names.secret, replacing: false) } catch {
      if error.code != .fileExists { throw error }
    }
  }
}
