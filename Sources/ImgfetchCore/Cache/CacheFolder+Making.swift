// Making what is missing. Only a store comes here: a look-up in a cache that does not exist yet is a miss and no more.
extension CacheFolder {
  /// Makes the cache's folders as far as they are missing, and opens the namespace.
  static func make(root: String, namespace: String, trust: FolderTrust) throws(CacheFailure) -> CacheFolder {
    // Another process may remove a folder between the making and the opening; again, then, but not for ever.
    for _ in 0..<8 {
      do {
        try makeFolders(to: root, trust)
        let top = try openTop(root, trust)
        let isNew = try CacheFailure.wrapping { () throws(SystemError) in
          if try top.makeFolder(Names.version) { label(top) }
          let version = try top.open(Names.version, [.read, .directory, .noFollow])
          return try version.makeFolder(namespace)
        }
        if let folder = try open(root: root, namespace: namespace, trust: trust) {
          // Made while there is nothing to count, the ledger is right from the start.
          if isNew { _ = folder.ledger }
          return folder
        }
      } catch {
        if error.code != .noSuchFile { throw error }
      }
    }
    throw .unavailable(CacheUnavailable("\(root): not used as a cache: it is removed again and again"))
  }

  /// Makes the folders of a path, 0700 as the XDG base directory specification asks.
  private static func makeFolders(to path: String, _ trust: FolderTrust) throws(CacheFailure) {
    var missing: [String] = []
    var present = path
    while true {
      do {
        let folder = try Descriptor.folder(present)
        if missing.isEmpty { return }
        let status = try folder.status()
        if let objection = trust.objection(toParent: status) { throw CacheFailure.refusal(of: path, objection) }
        try make(missing.reversed(), in: folder)
        return
      } catch let error as SystemError {
        let (parent, name) = split(present)
        guard error.code == .noSuchFile, !name.isEmpty else { throw .system(error.of(present)) }
        missing.append(name)
        present = parent
      } catch let error as CacheFailure {
        throw error
      } catch {
        return
      }
    }
  }

  private static func make(_ names: [String], in folder: borrowing Descriptor) throws(SystemError) {
    guard let first = names.first else { return }
    try folder.makeFolder(first)
    try make(Array(names.dropFirst()), in: folder.open(first, [.read, .directory]))
  }

  /// A path's parent and its last name; no name when there is nothing above.
  private static func split(_ path: String) -> (parent: String, name: String) {
    var trimmed = [UInt8](path.utf8)
    while trimmed.last == UInt8(ascii: "/") { trimmed.removeLast() }
    guard let slash = trimmed.lastIndex(of: UInt8(ascii: "/")) else {
      return (".", String(decoding: trimmed, as: UTF8.self))
    }
    let parent = String(decoding: trimmed[..<slash], as: UTF8.self)
    return (parent.isEmpty ? "/" : parent, String(decoding: trimmed[(slash + 1)...], as: UTF8.self))
  }

  /// What tells backups and strangers what this is. Whether it can be written decides nothing.
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
    try? file.write([UInt8]((text + "\n").utf8).span)
  }
}
