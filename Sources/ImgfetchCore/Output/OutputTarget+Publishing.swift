// An image gets a name: it is written beside it, marked, and renamed or linked in one step.
extension OutputTarget {
  /// Writes a new file. False: the name is taken.
  func create(_ body: ImageBody, _ wish: OutputWish) throws(OutputFailure) -> Bool {
    let file: TemporaryFile
    do { file = try TemporaryFile(in: folder.descriptor) } catch { throw failure(error) }
    try fill(file.descriptor, with: body, wish)
    do throws(SystemError) {
      try file.publish(as: name, replacing: false)
      return true
    } catch {
      if error.code == .fileExists { return false }
      throw failure(error)
    }
  }

  /// Writes in the place of what has the name. False: that is not what was seen any more.
  func replace(_ seen: OutputSight, by body: ImageBody, _ wish: OutputWish) throws(OutputFailure) -> Bool {
    let file: TemporaryFile
    // What will be renamed over another needs a name anyway; an unnamed file would only add a link.
    do { file = try TemporaryFile(in: folder.descriptor, named: true) } catch { throw failure(error) }
    try fill(file.descriptor, with: body, wish)
    guard seen.status.kind == .regular else {
      do { try file.publish(as: name, replacing: true) } catch { throw failure(error) }
      return true
    }
    do { try file.descriptor.setMode(seen.status.mode & 0o777) } catch { throw failure(error) }
    guard let lock = try OutputLock.take(self, seen: seen) else { return false }
    do { try file.publish(as: name, replacing: true) } catch { throw failure(error) }
    lock.release()
    return true
  }

  /// Gives a file that has the bytes already the time that is wanted and this image's mark. False: it is not what was seen any more.
  func confirm(_ body: ImageBody, _ wish: OutputWish, _ seen: OutputSight) throws(OutputFailure) -> Bool {
    let isRightTime = wish.modified == nil || wish.modified == seen.status.modified
    let isMarked = wish.key == nil || !folder.takesMarks || seen.mark?.key == wish.key
    // A mark on another user's file would not be believed.
    if isRightTime && (isMarked || seen.status.owner != folder.user) { return true }
    guard let lock = try OutputLock.take(self, seen: seen) else { return false }
    // Times and marks are its owner's to give; where that is not this user, the bytes are right all the same.
    if let file = lock.file {
      if let modified = wish.modified { try? file.file.setTimes(accessed: nil, modified: modified) }
      mark(file.file, body, wish)
    }
    lock.release()
    return true
  }

  private func fill(_ file: borrowing Descriptor, with body: ImageBody, _ wish: OutputWish) throws(OutputFailure) {
    try copy(body, to: file)
    if let modified = wish.modified {
      do { try file.setTimes(accessed: nil, modified: modified) } catch { throw failure(error) }
    }
    // Before it gets the mode of the file that it replaces, which may forbid to write to it.
    mark(file, body, wish)
  }

  /// An image is written all the same where the file system takes no attributes, or has no room for one.
  private func mark(_ file: borrowing Descriptor, _ body: ImageBody, _ wish: OutputWish) {
    guard let key = wish.key, folder.takesMarks else { return }
    do throws(SystemError) {
      let status = try file.status()
      guard status.size == body.count, let hash = try? body.contentHash() else { return }
      let mark = OutputMark(key: key, hash: hash, size: status.size, modified: status.modified)
      try file.setAttribute(OutputMark.attribute, to: mark.words)
    } catch {
      if error.code == .notSupported { folder.noteThatMarksAreRefused() }
    }
  }

  private func copy(_ body: ImageBody, to file: borrowing Descriptor) throws(OutputFailure) {
    if case .file(let stored) = body.content, body.isChecked {
      // Between two files of one file system that can, this shares the blocks and copies nothing.
      let copied: Int
      do {
        copied = try stored.descriptor.file.copy(from: 0, count: Int(stored.length), to: file, at: 0)
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

extension OutputFailure {
  init(_ failure: BodyReadFailure, _ path: String) {
    switch failure {
    case .damaged: self = .damaged
    case .source(let error): self = .source(error)
    case .sink(let error): self = .file(path: path, error.code)
    }
  }
}
