/// One name in one open folder, under which an image is to be written.
struct OutputTarget {
  let path: String
  let name: String
  let folder: OutputFolder
  /// The offset of the name in `path`, in bytes.
  private let nameStart: Int

  init(_ path: String, in folders: OutputFolders, makingFolder: Bool = true) throws(OutputFailure) {
    self.path = path
    let bytes = path.utf8Span.span
    var start = bytes.count
    while start > 0, bytes[start - 1] != UInt8(ascii: "/") { start -= 1 }
    if start > 0, start == bytes.count { throw .isFolder(path: path) }
    nameStart = start
    name = start == 0 ? path : String(bytes, start..<bytes.count)
    do {
      folder = try folders.folder(path, upTo: OutputTarget.folderEnd(start), making: makingFolder)
    } catch { throw .file(path: path, error.code) }
  }

  /// The folder's path; empty for the working directory.
  var folderPath: String { String(path.utf8Span.span, 0..<OutputTarget.folderEnd(nameStart)) }

  /// The end of the folder's path: before the slash, unless the slash is all of it.
  private static func folderEnd(_ nameStart: Int) -> Int { nameStart <= 1 ? nameStart : nameStart - 1 }

  func failure(_ error: SystemError) -> OutputFailure { .file(path: path, error.code) }

  var folderIdentity: FileStatus.Identity? { try? folder.descriptor.file.status().identity }

  /// True if the folder was removed and nothing has its name. A working directory can be in that state.
  var hasNoFolder: Bool { (try? folder.descriptor.file.status().links) == 0 }

  /// The status of the file that has the name, or nil if there is none.
  func status() throws(OutputFailure) -> FileStatus? {
    do { return try folder.descriptor.file.status(of: name) } catch { throw failure(error) }
  }

  /// True if there is nothing under the name, or a file. Devices and pipes never become files.
  var mayBeFile: Bool { (try? status()).map { $0 == nil || $0?.kind == .regular } ?? false }

  /// Opens the device or pipe that has the name, or connects to the socket.
  ///
  /// Waits for no reader, since another program may have put a pipe there that is never read. The reader of a pipe that
  /// the user has named, which may start beside this program, has two seconds.
  ///
  /// - Parameters:
  ///   - expected: the finding; there may be another file by now.
  ///   - isNamed: true if the user has named this very file.
  func openedStream(_ expected: FileStatus, isNamed: Bool) throws(OutputFailure) -> Descriptor {
    do throws(SystemError) {
      var looks = 0
      let flags: OpenFlags = isNamed ? [.write, .nonBlocking] : [.write, .nonBlocking, .noFollow]
      while true {
        do throws(SystemError) {
          let stream = try folder.descriptor.file.open(name, flags)
          let found = try stream.status()
          guard isNamed || (found.identity == expected.identity && found.kind == .other) else {
            throw SystemError(.openat, .tryAgain, path: path)
          }
          return stream
        } catch {
          guard error.code == .noSuchDevice else { throw error }
          // Sockets are not opened but connected to.
          if let socket = try? Descriptor.connected(to: path) { return socket }
          guard expected.isPipe else { return try .connected(to: path) }
          guard isNamed, looks < Self.mostLooks else { throw error }
          looks += 1
          Threads.sleep(milliseconds: Self.pause)
        }
      }
    } catch { throw failure(error) }
  }

  /// The milliseconds between two looks for the reader of a named pipe.
  private static let pause = 20
  /// The number of looks.
  private static let mostLooks = 100

  /// The target of a symbolic link, if it is a device, pipe or socket and not a file. `/dev/stdout` is such a link. One
  /// of the system's is never replaced, whatever its target.
  private func streamBehindLink() throws(OutputFailure) -> FileStatus? {
    let isSystems = folder.descriptor.file.isSystems()
    do throws(SystemError) {
      // Looked at only: it is neither opened nor waited for.
      let status = try folder.descriptor.file.status(behind: name)
      if status.kind == .directory || (status.kind == .regular && !isSystems) { return nil }
      return status
    } catch {
      if isSystems { throw failure(error) }
      return nil
    }
  }

  /// True if a link and the device, pipe or socket that it leads to are both this user's or root's.
  func leadsToOwnStream(_ link: FileStatus) -> Bool {
    guard isTrusted(link), let stream = try? streamBehindLink() else { return false }
    return isTrusted(stream)
  }

  /// Opens the target of a symbolic link, or returns nil if it is no device, pipe or socket, or
  /// one that is not written to.
  func streamBehind(_ link: FileStatus, isNamed: Bool) throws(OutputFailure) -> Descriptor? {
    guard let stream = try streamBehindLink(), isNamed || (isTrusted(link) && isTrusted(stream)) else { return nil }
    // The link is followed, and may lead elsewhere by now.
    let opened = try openedStream(stream, isNamed: true)
    guard isNamed || (try? opened.status().owner).map({ $0 == folder.user || $0 == 0 }) == true else {
      throw .file(path: path, .tryAgain)
    }
    return opened
  }
}

// Publishing: the image is written beside its place, marked, and renamed or linked in one step.
extension OutputTarget {
  /// Writes a new file. Returns false if the name is taken.
  func create(_ body: ImageBody, _ options: OutputOptions) throws(OutputFailure) -> Bool {
    let lent = body.lent
    let file = try temporary(for: body, named: false)
    try fill(file.descriptor, with: body, options)
    do throws(SystemError) {
      try file.publish(as: name, replacing: false)
      body.keepLent()
      return true
    } catch {
      if error.code == .fileExists { return false }
      if isElsewhere(lent, body, error) { return try create(body, options) }
      throw failure(error)
    }
  }

  /// The file to be published: the one that was lent for the body, or a new one.
  private func temporary(for body: ImageBody, named: Bool) throws(OutputFailure) -> TemporaryFile {
    do {
      if let lent = body.lent {
        if let file = try? lent.file.duplicate() { return TemporaryFile(unnamed: file, in: folder.descriptor) }
        body.keepLent()
      }
      // To replace a file by rename, the new one needs a name anyway. An unnamed file would only add a link.
      return try TemporaryFile(in: folder.descriptor, named: named)
    } catch { throw failure(error) }
  }

  /// True if the lent file is on another file system than its name: a link may lead there. Then its bytes are copied.
  private func isElsewhere(_ lent: SharedDescriptor?, _ body: ImageBody, _ error: SystemError) -> Bool {
    guard lent != nil, error.code == .crossDevice else { return false }
    body.keepLent()
    return true
  }

  /// Replaces `existing`. Returns false if another file has the name by now.
  func replace(_ existing: ExistingFile, by body: ImageBody, _ options: OutputOptions) throws(OutputFailure) -> Bool {
    let lent = body.lent
    let file = try temporary(for: body, named: true)
    try fill(file.descriptor, with: body, options)
    do throws(SystemError) {
      guard existing.status.kind == .regular else {
        try file.publish(as: name, replacing: true)
        body.keepLent()
        return true
      }
      try FileRights(existing.status, of: name, in: folder.descriptor.file).give(to: file.descriptor)
    } catch {
      if isElsewhere(lent, body, error) { return try replace(existing, by: body, options) }
      throw failure(error)
    }
    guard let lock = try OutputLock.take(self, expecting: existing) else { return false }
    do throws(SystemError) { try file.publish(as: name, replacing: true) } catch {
      lock.release()
      if isElsewhere(lent, body, error) { return try replace(existing, by: body, options) }
      // A file without a name that had one for a moment cannot get another. The next attempt copies its bytes.
      if lent != nil { body.keepLent() }
      throw failure(error)
    }
    body.keepLent()
    lock.release()
    return true
  }

  /// Gives a file of this image that already has the bytes the wanted time and this image's mark. A file of another
  /// image is left as it is, unless it is to be adopted. Returns false if another file has the name by now.
  func confirm(_ body: ImageBody, _ options: OutputOptions, _ existing: ExistingFile) throws(OutputFailure) -> Bool {
    // A file that is adopted is this image's from now on.
    let isOurs = options.adopts || existing.mark.map { options.replaces != .own || options.isOwn($0.key) } ?? false
    let isToBeMarked = options.key != nil && folder.takesMarks && isOurs
    // The user's own file has the time that is wanted only where the user has named it.
    let isToBeTimed = options.modified != nil && (isOurs || options.replaces == .any)
    let isRightTime = !isToBeTimed || options.modified == existing.status.modified
    let isMarked =
      !isToBeMarked || existing.mark.map { $0.key == options.key && $0.nature == options.nature } == true
    // A mark on another user's file would not be trusted.
    let isDescribed = !isOurs || options.attributes.isEmpty
    if isRightTime && isDescribed && (isMarked || existing.status.owner != folder.user) { return true }
    guard let lock = try OutputLock.take(self, expecting: existing) else { return false }
    // Only the owner can set times and marks. If that is another user, the bytes are still right.
    if let file = lock.file {
      if isToBeTimed, let modified = options.modified { try? file.file.setTimes(accessed: nil, modified: modified) }
      if isToBeMarked { mark(file.file, body, options) }
      if isOurs { describe(file.file, options) }
    }
    lock.release()
    return true
  }

  private func fill(_ file: borrowing Descriptor, with body: ImageBody, _ options: OutputOptions) throws(OutputFailure)
  {
    if body.lent == nil { try copy(body, to: file) }
    // FAT and some network shares let only the user set times as which they were mounted. The bytes are right.
    if let modified = options.modified {
      do { try file.setTimes(accessed: nil, modified: modified) } catch { folder.noteTimeRefusal(error) }
    }
    // Marked before it gets the mode of the file that it replaces, which may forbid writing.
    mark(file, body, options)
    describe(file, options)
  }

  /// Sets further attributes where the file system keeps any.
  private func describe(_ file: borrowing Descriptor, _ options: OutputOptions) {
    for (name, value) in options.attributes { try? file.setAttribute(name, to: value) }
  }

  /// Sets the mark. The image is still written if the file system has no attributes, or no room for one.
  private func mark(_ file: borrowing Descriptor, _ body: ImageBody, _ options: OutputOptions) {
    guard let key = options.key, folder.takesMarks else { return }
    do throws(SystemError) {
      let status = try file.status()
      guard status.size == body.count, let hash = try? body.contentHash() else { return }
      let mark = OutputMark(
        key: key, hash: hash, size: status.size, modified: status.modified, nature: options.nature)
      try file.setAttribute(OutputMark.attribute, to: mark.words)
    } catch { folder.noteRefusal(of: error) }
  }

  private func copy(_ body: ImageBody, to file: borrowing Descriptor) throws(OutputFailure) {
    if case .file(let stored) = body.content, body.isChecked {
      // On file systems that support it, this shares the blocks and copies nothing.
      let copied: Int
      do {
        copied = try stored.copy(from: 0, count: Int(stored.length), to: file, at: 0)
      } catch { throw failure(error) }
      if copied < stored.length { throw .damaged }
      return
    }
    do {
      try body.read { (piece) throws(SystemError) in try file.write(piece) }
    } catch {
      throw OutputFailure(error, path)
    }
  }
}

// Comparing a file with an image: the size nearly always decides. Only if it is the same is the file read.
extension OutputTarget {
  /// Large enough that calls cost nothing, and small enough for two of them in the processor's cache.
  static let pieceSize = 128 << 10

  /// True if the file has exactly these bytes. If its mark has this key, that is known without reading it: its size and
  /// time are those of the mark.
  func holds(_ body: ImageBody, _ existing: ExistingFile, _ options: OutputOptions) throws(OutputFailure) -> Bool {
    guard existing.status.size == body.count else { return false }
    if !options.readsAll, let mark = existing.mark, options.isOwn(mark.key) {
      do { return try body.contentHash() == mark.hash } catch { throw OutputFailure(error, path) }
    }
    // A file that cannot be read cannot be compared. The attempt to replace it decides.
    guard let file = try? folder.descriptor.file.open(name, [.read, .noFollow, .nonBlocking]) else { return false }
    return try hasSameBytes(file, body)
  }

  private func hasSameBytes(_ file: borrowing Descriptor, _ body: ImageBody) throws(OutputFailure) -> Bool {
    switch body.content {
    case .bytes(let bytes):
      // Reads one byte more than there should be, to detect a file that has grown meanwhile. If no byte more came, the
      // end need not be read.
      var held: [UInt8] = []
      do {
        while held.count < bytes.count, try file.read(into: &held, count: bytes.count + 1 - held.count) > 0 {}
      } catch { return false }
      return held.isSame(as: bytes)
    case .file(let stored): return try hasSameBytes(file, body, stored)
    }
  }

  /// Compares piece by piece, up to the first difference. The cached bytes are checked on the way: if both were damaged
  /// alike, the file would be taken for right.
  private func hasSameBytes(
    _ file: borrowing Descriptor, _ body: ImageBody, _ stored: ImageBody.Stored
  ) throws(OutputFailure) -> Bool {
    var hasher = body.isChecked ? nil : ContentHasher()
    var here: [UInt8] = []
    var there: [UInt8] = []
    var offset: Int64 = 0
    while offset < stored.length {
      let wanted = Int(min(Int64(Self.pieceSize), stored.length - offset))
      here.removeAll(keepingCapacity: true)
      there.removeAll(keepingCapacity: true)
      do { _ = try stored.read(into: &there, count: wanted, at: offset) } catch {
        throw OutputFailure(body.unreadable(error), path)
      }
      if there.count < wanted { throw .damaged }
      do { _ = try file.read(into: &here, count: wanted, at: offset) } catch { return false }
      if !here.isSame(as: there) { return false }
      hasher?.update(there.span)
      offset += Int64(wanted)
    }
    if let hasher, let expected = stored.expectedHash {
      if hasher.value != expected { throw .damaged }
      body.noteChecked()
    }
    return true
  }
}
