/// The file, or other thing, that has an output's name, and its mark.
struct ExistingFile: Sendable {
  let status: FileStatus
  /// The file's mark, or nil if it has none that can be trusted.
  var mark: OutputMark? { isMarkValid ? ownMark : nil }
  /// The mark that this user's file has, valid or not.
  let ownMark: OutputMark?
  private let isMarkValid: Bool
  /// True if the mark could be read. There are two ways to read it, of which one may fail where the other does not.
  let isMarkKnown: Bool

  init(status: FileStatus, mark: OutputMark?, isMarkKnown: Bool = true) {
    self.status = status
    ownMark = mark
    isMarkValid = mark?.isOf(status) ?? false
    self.isMarkKnown = isMarkKnown
  }

  /// True if this is still the same file in the same state.
  func isSame(as other: ExistingFile) -> Bool {
    status.identity == other.status.identity && status.size == other.status.size
      && status.modified == other.status.modified
      && (ownMark == other.ownMark || !isMarkKnown || !other.isMarkKnown)
  }
}

extension OutputFolders {
  /// The file at that path, or nil if there is none that can be looked at. No folder is made for that.
  func existing(_ path: String) -> (target: OutputTarget, file: ExistingFile)? {
    guard let target = try? OutputTarget(path, in: self, makingFolder: false),
      let file = try? target.existingFile()
    else { return nil }
    return (target, file)
  }
}

// A mark is trusted on this user's own files only, where no other user can have set it, and only while the file is as
// it was written.
extension OutputTarget {
  /// The file that has the name, or nil if there is none.
  func existingFile() throws(OutputFailure) -> ExistingFile? {
    guard let status = try status() else { return nil }
    return existingFile(status) { () throws(SystemError) in
      try folder.descriptor.file.words(of: OutputMark.attribute, on: name)
    }
  }

  /// The same for an open file.
  func existingFile(of file: borrowing Descriptor) throws(SystemError) -> ExistingFile {
    let status = try file.status()
    // Read here, because a closure cannot capture a borrowed value.
    var words: AttributeWords?
    var failure: SystemError?
    if folder.takesMarks {
      do throws(SystemError) { words = try file.words(of: OutputMark.attribute) } catch { failure = error }
    }
    return existingFile(status) { () throws(SystemError) in
      if let failure { throw failure }
      return words
    }
  }

  private func existingFile(
    _ status: FileStatus, _ words: () throws(SystemError) -> AttributeWords?
  ) -> ExistingFile {
    var mark: OutputMark?
    var isMarkKnown = true
    if status.kind == .regular, status.owner == folder.user, folder.takesMarks {
      do throws(SystemError) { mark = try words().flatMap(OutputMark.init) } catch {
        isMarkKnown = false
        folder.noteRefusal(of: error)
      }
    }
    return ExistingFile(status: status, mark: mark, isMarkKnown: isMarkKnown)
  }
}

/// The owner of the file that has an output's name.
enum Ownership: Hashable, Sendable {
  case nothing
  /// The file is this image's, as it was written, or may be replaced whichever image's it is.
  case own
  /// Another image's, as it was written.
  case another
  /// A file that this program did not write, or that was changed since, with the wanted bytes.
  case same
  /// The file is this image's, but it was edited while the image has not changed.
  case edited
  /// Any other file, which must not be replaced.
  case stranger

  /// True of a file that is not replaced and has the image's name all the same.
  var stays: Bool { self == .same || self == .edited }
}

extension Ownership {
  /// Decides it for an image that has arrived. A file whose bytes count is read for that: where no mark tells,
  /// and before one is replaced.
  init(of existing: ExistingFile?, _ target: OutputTarget, _ body: ImageBody, _ options: OutputOptions)
    throws(OutputFailure)
  {
    guard let existing else {
      self = .nothing
      return
    }
    // Whatever has the name is replaced, or kept.
    if options.replaces == .any {
      self = .own
      return
    }
    if options.keepsExisting {
      self = Ownership(of: existing, options)
      return
    }
    switch existing.status.kind {
    case .directory: self = .stranger
    case .symbolicLink: self = target.leadsToOwnStream(existing.status) ? .own : .stranger
    case .other: self = target.isTrusted(existing.status) ? .own : .stranger
    case .regular where options.isNamedByContent: self = try target.holds(body, existing, options) ? .same : .stranger
    case .regular:
      if let mark = existing.mark {
        self = try Self.marked(mark, existing, target, body, options)
      } else {
        self = try Self.unmarked(existing, target, body, options)
      }
    }
  }

  private static func marked(
    _ mark: OutputMark, _ existing: ExistingFile, _ target: OutputTarget, _ body: ImageBody, _ options: OutputOptions
  ) throws(OutputFailure) -> Ownership {
    let isOwn = options.isOwn(mark.key)
    if !isOwn && options.replaces == .own { return .another }
    // A file of another key is compared byte for byte.
    let isUnchanged = isOwn ? try isWanted(mark, body, target) : false
    if !isUnchanged {
      // Times can be set back. A file is replaced only if its bytes are those that were written.
      let content = target.content(existing)
      if content != mark.hash {
        let wanted = try hash(of: body, target)
        return content == wanted ? .same : .stranger
      }
    }
    return isOwn ? .own : .another
  }

  private static func unmarked(
    _ existing: ExistingFile, _ target: OutputTarget, _ body: ImageBody, _ options: OutputOptions
  ) throws(OutputFailure) -> Ownership {
    if try target.holds(body, existing, options) { return .same }
    if target.folder.takesMarks {
      guard let mark = existing.ownMark, mark.nature != .placeholder, options.isOwn(mark.key) else { return .stranger }
      return try isWanted(mark, body, target) ? .edited : .stranger
    }
    guard existing.status.owner == target.folder.user else { return .stranger }
    return target.hasContent(ofAny: options.earlier, existing) ? .own : .stranger
  }

  private static func isWanted(
    _ mark: OutputMark, _ body: ImageBody, _ target: OutputTarget
  ) throws(OutputFailure) -> Bool {
    try hash(of: body, target) == mark.hash
  }

  private static func hash(of body: ImageBody, _ target: OutputTarget) throws(OutputFailure) -> ContentHash {
    do { return try body.contentHash() } catch { throw OutputFailure(error, target.path) }
  }

  /// Decides it for an image that has not arrived, by the file's mark alone.
  init(of existing: ExistingFile, _ options: OutputOptions) {
    if existing.status.kind == .directory {
      self = .stranger
    } else if let mark = existing.mark {
      self = options.isOwn(mark.key) ? .own : .another
    } else {
      self = .same
    }
  }
}

extension OutputTarget {
  /// True if bytes written to this device, pipe or socket reach only its owner, who is this user or root.
  func isTrusted(_ status: FileStatus) -> Bool { status.owner == folder.user || status.owner == 0 }

  fileprivate func hasContent(ofAny hashes: [ContentHash], _ existing: ExistingFile) -> Bool {
    guard !hashes.isEmpty, let content = content(existing) else { return false }
    return hashes.contains(content)
  }

  /// The hash of the file's bytes, or nil if they cannot be read, or it is another file by now.
  fileprivate func content(_ existing: ExistingFile) -> ContentHash? {
    guard let file = try? folder.descriptor.file.open(name, [.read, .noFollow, .nonBlocking]),
      (try? file.status().identity) == existing.status.identity
    else { return nil }
    var hasher = ContentHasher()
    var piece: [UInt8] = []
    var length: Int64 = 0
    // A file that grows while it is read may have no end.
    while length <= existing.status.size {
      piece.removeAll(keepingCapacity: true)
      guard let count = try? file.read(into: &piece, count: Self.pieceSize) else { return nil }
      if count == 0 { return length == existing.status.size ? hasher.value : nil }
      hasher.update(piece.span)
      length += Int64(count)
    }
    return nil
  }
}
