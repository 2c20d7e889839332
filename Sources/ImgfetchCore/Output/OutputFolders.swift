import Synchronization

/// The folders of the outputs, each opened once.
///
/// Thousands of images go into one folder, and a call relative to its descriptor is cheaper than walking its path each
/// time. Safe to use from several threads.
package final class OutputFolders: Sendable {
  /// A name template with `{host}` spreads a run over many folders. Descriptors are scarce (often 1,024 a process), and
  /// a folder that is dropped from here stays open for its current users.
  private static let limit = 16

  /// The most recently used is last. Short enough that searching it costs nothing beside opening a folder.
  private let open = Guarded<[(path: String, folder: OutputFolder)]>([])
  private let makesMissing: Bool
  private let user: UInt32
  /// The folder that the user has named. The names of folders below it come from elsewhere.
  private let root: String?
  /// True if the last output of this run was a new file. Then the next one is assumed to be new, too. Only a guess.
  let expectsNew = Atomic<Bool>(false)

  /// - Parameters:
  ///   - root: the folder that the user has named (empty: the working directory). Below it, links of other users are
  ///     not followed. With nil, the user has named each folder.
  ///   - makesMissing: true if missing folders are made, with their parents.
  ///   - user: the user whose files are trusted.
  package init(below root: String? = nil, makesMissing: Bool = true, user: UInt32 = Processes.user) {
    self.root = root.map { $0.endsInSlash && $0.utf8.count > 1 ? String($0.withoutLastByte) : $0 }
    self.makesMissing = makesMissing
    self.user = user
  }

  /// The folder at `path` (empty: the working directory). It is made if it is missing, `making` is true and missing
  /// folders are made at all.
  package func folder(_ path: String, making: Bool = true) throws(SystemError) -> OutputFolder {
    try folder(path, upTo: path.utf8.count, making: making)
  }

  /// The same for the first `end` bytes of a file's path. A string of them is only made to open the folder.
  func folder(_ path: String, upTo end: Int, making: Bool = true) throws(SystemError) -> OutputFolder {
    if let known = known(path, upTo: end) { return known }
    let path = String(path.utf8Span.span, 0..<end)
    let folder = try openOrMake(path.isEmpty ? "." : path, making: making && makesMissing)
    open.withLock { open in
      open.removeAll { $0.path.utf8Span.span.isSame(as: path.utf8Span.span) }
      if open.count >= Self.limit { open.removeFirst() }
      open.append((path, folder))
    }
    return folder
  }

  /// Compares bytes: two spellings of one letter are two folders.
  private func known(_ path: String, upTo end: Int) -> OutputFolder? {
    open.withLock { open in
      let bytes = path.utf8Span.span.extracting(0..<end)
      var at = open.count
      while at > 0 {
        at -= 1
        guard open[at].path.utf8Span.span.isSame(as: bytes) else { continue }
        let folder = open[at].folder
        if at != open.count - 1 { open.append(open.remove(at: at)) }
        return folder
      }
      return nil
    }
  }

  /// Drops a folder that was removed or moved while it was open, so that it is opened again.
  package func forget(_ path: String) {
    open.withLock { $0.removeAll { $0.path.utf8Span.span.isSame(as: path.utf8Span.span) } }
  }

  private func openOrMake(_ path: String, making: Bool) throws(SystemError) -> OutputFolder {
    if let names = names(below: root, in: path) {
      do { return try walk(names, below: root ?? "", path, making: making) } catch {
        // Nothing can be made in a folder that was removed while it was open here. A new run would make it again.
        guard making, error.code == .noSuchFile else { throw error }
      }
      forget(root ?? "")
      return try walk(names, below: root ?? "", path, making: making)
    }
    do {
      return OutputFolder(try .folder(path), isNew: false, user: user)
    } catch {
      guard making, error.code == .noSuchFile else { throw error }
    }
    let start = try Descriptor.folder(path.isAbsolutePath ? "/" : ".")
    return try walk(path.pathParts(), from: start, path, making: making, isTrusted: true)
  }

  /// The folders of a path below the one that the user has named, or nil if the path is that one, or elsewhere.
  private func names(below root: String?, in path: String) -> [Substring]? {
    guard let root else { return nil }
    if root.isEmpty || root.hasBytes(of: ".") {
      return path.isAbsolutePath || path.hasBytes(of: ".") ? nil : path.pathParts()
    }
    let length = root.endsInSlash ? root.utf8.count - 1 : root.utf8.count
    guard path.utf8.count > length + 1, path.utf8.starts(with: root.utf8.prefix(length)),
      path.utf8.dropFirst(length).first == UInt8(ascii: "/")
    else { return nil }
    return Substring(path.utf8.dropFirst(length + 1)).pathParts()
  }

  /// Opens the folders below the one that the user has named.
  private func walk(
    _ names: [Substring], below root: String, _ path: String, making: Bool
  ) throws(SystemError) -> OutputFolder {
    let start = try folder(root, making: making)
    return try walk(names, from: start.descriptor.file.duplicate(), path, making: making, isTrusted: false)
  }

  /// Opens the folders from the top down, each relative to its parent. A folder that another process
  /// makes meanwhile is as good.
  ///
  /// - Parameter isTrusted: true if every link is followed.
  private func walk(
    _ names: [Substring], from start: consuming Descriptor, _ path: String, making: Bool, isTrusted: Bool
  ) throws(SystemError) -> OutputFolder {
    var parent = start
    var isNew = false
    for name in names where !name.hasBytes(of: ".") {
      let name = String(name)
      do throws(SystemError) {
        parent = try enter(name, in: parent, isTrusted: isTrusted)
      } catch {
        guard making, error.code == .noSuchFile else { throw error.of(path) }
        do {
          isNew = try parent.makeFolder(name, mode: 0o777)
          parent = try enter(name, in: parent, isTrusted: isTrusted)
        } catch { throw error.of(path) }
      }
    }
    return OutputFolder(parent, isNew: isNew, user: user)
  }

  private func enter(
    _ name: String, in parent: borrowing Descriptor, isTrusted: Bool
  ) throws(SystemError) -> Descriptor {
    if isTrusted { return try parent.open(name, [.read, .directory]) }
    do { return try parent.open(name, [.read, .directory, .noFollow]) } catch {
      guard error.code == .notDirectory || error.code == .tooManySymbolicLinks,
        let link = try parent.status(of: name), link.kind == .symbolicLink
      else { throw error }
      guard link.owner == user || link.owner == 0 else { throw SystemError(.openat, .tooManySymbolicLinks, path: name) }
      let folder = try parent.open(name, [.read, .directory])
      // Another user may have put a link of their own there for a moment. Whatever is moved away
      // and back has been changed.
      guard try parent.status(of: name).map({ ($0.identity, $0.changed) == (link.identity, link.changed) }) == true
      else { throw SystemError(.openat, .tooManySymbolicLinks, path: name) }
      return folder
    }
  }
}

/// An open output folder, and the knowledge about it.
package final class OutputFolder: Sendable {
  package let descriptor: SharedDescriptor
  let user: UInt32
  private let emptiness: Atomic<UInt8>
  private let refusesMarks = Atomic<Bool>(false)
  /// The last error with which a file here could not get its time, or 0.
  private let timeError = Atomic<Int32>(0)

  private static let unknown: UInt8 = 0
  private static let empty: UInt8 = 1
  private static let filled: UInt8 = 2

  init(_ descriptor: consuming Descriptor, isNew: Bool, user: UInt32) {
    self.descriptor = SharedDescriptor(descriptor)
    self.user = user
    emptiness = Atomic(isNew ? Self.empty : Self.unknown)
  }

  /// True if the folder was empty at the first call. Then no earlier run has left names here, and
  /// none need to be looked for.
  func wasEmpty() -> Bool {
    let known = emptiness.load(ordering: .relaxed)
    if known != Self.unknown { return known == Self.empty }
    let found = (try? descriptor.file.isEmptyFolder()) == true ? Self.empty : Self.filled
    // The first look was before this run wrote anything.
    let (isFirst, earlier) = emptiness.compareExchange(expected: Self.unknown, desired: found, ordering: .relaxed)
    return (isFirst ? found : earlier) == Self.empty
  }

  /// True if files here can carry marks, as far as is known.
  var takesMarks: Bool { !refusesMarks.load(ordering: .relaxed) }

  /// Notes what an error says of the file system: it has no attributes, or this process may not use any.
  func noteRefusal(of error: SystemError) {
    if error.code == .notSupported || error.code == .notImplemented { refusesMarks.store(true, ordering: .relaxed) }
  }

  /// The reason why files here have the time of their writing, or nil if none is known.
  var timeRefusal: Errno? {
    let code = timeError.load(ordering: .relaxed)
    return code == 0 ? nil : Errno(rawValue: code)
  }

  /// Notes that a file could not get its time.
  func noteTimeRefusal(_ error: SystemError) { timeError.store(error.code.rawValue, ordering: .relaxed) }
}
