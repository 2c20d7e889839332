/// Writes images to files: whole or not at all, and not where the file has the same bytes already.
///
/// An image is written beside its file's place and gets the name in one step, so that nobody ever reads half of it. Who
/// looks at a folder's times (`make`, `rsync`) sees nothing new where nothing is new. Safe to use from several threads.
package struct OutputFile: Sendable {
  /// What became of the file.
  package enum Outcome: Sendable {
    /// There was none.
    case created
    /// There was one with other bytes, or a symbolic link.
    case replaced
    /// It had these bytes already.
    case unchanged
    /// It is a device, pipe or socket, and was written to.
    case written
  }

  /// The folders that are open; share one among all writers of a run.
  package let folders: OutputFolders

  package init(folders: OutputFolders) { self.folders = folders }

  /// Writes the body to `path`.
  ///
  /// A file that is replaced keeps its mode; a new one has 0666 less the umask. A symbolic link is replaced and not
  /// followed, unless it leads to a device, pipe or socket, which is written to as it is.
  ///
  /// - Parameter modified: the time that the file is to have; nil: now. A file with the same bytes gets it too.
  package func write(
    _ body: ImageBody, to path: String, modified: WallTime? = nil
  ) throws(OutputFailure) -> Outcome {
    let target = try OutputTarget(path, in: folders)
    do {
      return try write(body, target, modified: modified)
    } catch {
      // Where the folder was removed or moved while it was open here, it is made again, as a new run would.
      guard case .file = error else { throw error }
      folders.forget(target.folderPath)
      let anew = try OutputTarget(path, in: folders)
      guard anew.folderIdentity != target.folderIdentity else { throw error }
      return try write(body, anew, modified: modified)
    }
  }

  /// Whether something has that name, be it a link that leads nowhere.
  package func exists(_ path: String) -> Bool {
    guard let target = try? OutputTarget(path, in: folders, makingFolder: false) else { return false }
    return (try? target.status()) != nil
  }

  private func write(
    _ body: ImageBody, _ target: OutputTarget, modified: WallTime?
  ) throws(OutputFailure) -> Outcome {
    if folders.expectsNew.load(ordering: .relaxed) {
      // Not looking first spares one call in five. Whatever is in the way of this is met again by looking.
      if (try? publish(body, target, over: nil, modified: modified, mayGiveWay: true)) == true { return .created }
      folders.expectsNew.store(false, ordering: .relaxed)
    }
    // Somebody may make or remove the file between looking and publishing; then it is looked at again. More than a
    // few times in a row nobody does that by accident.
    var attempts = 0
    while true {
      attempts += 1
      guard let existing = try target.status() else {
        if try publish(body, target, over: nil, modified: modified, mayGiveWay: attempts < 4) {
          folders.expectsNew.store(true, ordering: .relaxed)
          return .created
        }
        continue
      }
      switch existing.kind {
      case .directory:
        throw .isFolder(path: target.path)
      case .other:
        try OutputStream.write(body, to: target.opened([.write]), named: target.path)
        return .written
      case .symbolicLink:
        if let stream = try target.streamBehindLink() {
          try OutputStream.write(body, to: stream, named: target.path)
          return .written
        }
      case .regular:
        if try target.holds(body, status: existing, modified: modified) { return .unchanged }
      }
      _ = try publish(body, target, over: existing, modified: modified, mayGiveWay: false)
      return .replaced
    }
  }

  /// Writes beside and gives the name. False: the name was free and is taken now, and `mayGiveWay`.
  private func publish(
    _ body: ImageBody, _ target: OutputTarget, over existing: FileStatus?, modified: WallTime?, mayGiveWay: Bool
  ) throws(OutputFailure) -> Bool {
    let isReplacing = existing != nil || !mayGiveWay
    let file: TemporaryFile
    // What will be renamed over another needs a name anyway; an unnamed file would only add a link.
    do { file = try TemporaryFile(in: target.folder, named: isReplacing) } catch { throw target.failure(error) }
    try fill(file.descriptor, with: body, target)
    do throws(SystemError) {
      if let existing, existing.kind == .regular { try file.descriptor.setMode(existing.mode & 0o777) }
      if let modified { try file.descriptor.setTimes(accessed: nil, modified: modified) }
      try file.publish(as: target.name, replacing: isReplacing)
      return true
    } catch {
      if mayGiveWay && error.code == .fileExists { return false }
      throw target.failure(error)
    }
  }

  private func fill(
    _ file: borrowing Descriptor, with body: ImageBody, _ target: OutputTarget
  ) throws(OutputFailure) {
    if case .file(let stored) = body.content, body.isChecked {
      // Between two files of one file system that can, this shares the blocks and copies nothing.
      let copied: Int
      do {
        copied = try stored.descriptor.file.copy(from: 0, count: Int(stored.length), to: file, at: 0)
      } catch { throw target.failure(error) }
      if copied < stored.length { throw .damaged }
      return
    }
    do {
      try body.read { (piece) throws(SystemError) in try file.write(piece) }
    } catch {
      throw OutputFailure(error, target.path)
    }
  }
}

extension OutputFailure {
  init(_ failure: BodyReadFailure, _ path: String) {
    switch failure {
    case .damaged: self = .damaged
    case .source(let error): self = .source(error)
    case .sink(let error): self = .file(path: path, error.code)
    }
  }
}
