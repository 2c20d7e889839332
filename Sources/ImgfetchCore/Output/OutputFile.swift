/// How an image is to be written.
package struct OutputOptions: Sendable {
  /// Identifies the image; nil: the file gets no mark.
  package var key: OutputKey?
  /// The first of its names that no other image of this run has, see ``NameSearch``.
  package var first = 0
  /// Whether the name is made from the URL alone, and so is kept across runs. Otherwise a file with that name is
  /// replaced.
  package var holds = false
  /// Whether this run has already written an image of this key under this name.
  package var isRepeated = false
  /// Whether an existing file is kept.
  package var keepsExisting = false
  /// Whether an existing file is compared byte by byte, even where its mark says what it has.
  package var readsAll = false
  /// The modification time for the file; nil: now. A file that already has the bytes gets it too.
  package var modified: WallTime?

  /// The defaults, for an image with this key.
  package init(key: OutputKey? = nil) { self.key = key }

  /// How many names an image may get.
  package static let nameCount = NameSearch.count
}

/// Writes images to files: completely or not at all, and not at all if the file already has the same bytes.
///
/// An image is written beside its final place and renamed in one step, so a reader never sees half of it. Where nothing
/// changed, file times stay as they are for tools that look at them (`make`, `rsync`). Safe to use from several
/// threads.
package struct OutputFile: Sendable {
  /// What happened to the file.
  package enum Outcome: Sendable {
    /// There was none before.
    case created
    /// It had other bytes, or was a symbolic link.
    case replaced
    /// It already had these bytes.
    case unchanged
    /// It is a device, pipe or socket, and was written to.
    case written
    /// It existed and was to be kept.
    case kept
  }

  /// Where an image was written.
  package struct Written: Sendable {
    package let path: String
    package let outcome: Outcome
    /// Whether the name got digits for the first time, because another image's file has the plain name.
    package var hasNewDigits = false
    /// Whether a file with other bytes was replaced that was not known to be an earlier version of the image.
    package var hasReplacedUnknown = false
  }

  /// The open folders. All writers of a run share them.
  package let folders: OutputFolders

  /// A writer into these folders.
  package init(folders: OutputFolders) { self.folders = folders }

  /// Each retry means that another process was faster. So many in a row mean that something is broken.
  private static let maximumTries = 64

  /// Writes the body under one of its names, whose paths `path` returns (see ``NameSearch``). A replaced file keeps its
  /// mode. A new one gets 0666 less the umask. A symbolic link is replaced and not followed, unless it leads to a
  /// device, pipe or socket, which is written to.
  package func write(
    _ body: ImageBody, _ options: OutputOptions, path: (Int) -> String
  ) throws(OutputFailure) -> Written {
    do {
      return try settle(body, options, path)
    } catch {
      // If the folder was removed or moved while it was open here, it is made again, as a new run would.
      guard case .file(let failed, _) = error else { throw error }
      let target = try OutputTarget(failed, in: folders)
      folders.forget(target.folderPath)
      let anew = try OutputTarget(failed, in: folders)
      guard anew.folderIdentity != target.folderIdentity else { throw error }
      return try settle(body, options, path)
    }
  }

  /// The path of the existing file that an output would get; nil if there is none. A file of another image does not
  /// count if names are kept across runs.
  ///
  /// - Parameter candidates: the paths that the image may get for each of its names; nil if the path depends on the
  ///   image.
  package func existing(_ options: OutputOptions, candidates: (Int) -> [String]?) -> String? {
    var search = NameSearch(holds: options.holds, first: options.first)
    var place = search.start
    var plain: String?
    while true {
      guard let paths = candidates(place) else { return nil }
      var occupant = NameSearch.Occupant.nothing
      var found: String?
      for path in paths where occupant != .own {
        guard let target = try? OutputTarget(path, in: folders, makingFolder: false),
          let existing = try? target.existingFile()
        else { continue }
        let one = NameSearch.Occupant(existing, for: options.key)
        // Of several candidates, this image's own file counts before one of unknown origin, and that before another
        // image's.
        if found == nil || one == .own || (one == .unknown && occupant == .another) { (occupant, found) = (one, path) }
      }
      if place == 0, occupant == .unknown { plain = found }
      switch search.next(after: occupant) {
      case .look(let next): place = next
      case .take(let taken, _): return taken == place ? found : plain
      case .giveUp: return nil
      }
    }
  }

  /// A file without a name beside `path`, to be written under that name later; nil if the file system has no such files, or there is no
  /// such folder. A file that has to have a name all the time would be seen, and be left over after a kill.
  package func lend(beside path: String, makingFolder: Bool) -> LentFile? {
    guard let target = try? OutputTarget(path, in: folders, makingFolder: makingFolder), target.mayBeFile,
      let file = try? target.folder.descriptor.file.open(".", [.unnamed, .readWrite], mode: 0o666)
    else { return nil }
    let folder = target.folderPath
    return LentFile(SharedDescriptor(file), in: folder.isEmpty ? "." : folder)
  }

  private struct Place {
    let target: OutputTarget
    /// Nil: there is none, or none is assumed.
    let existing: ExistingFile?
    var isNew = false
  }

  private func settle(
    _ body: ImageBody, _ options: OutputOptions, _ path: (Int) -> String
  ) throws(OutputFailure) -> Written {
    // Skipping the first look saves one system call in five. If something is in the way, it is found by looking then.
    var isAssumingNew = folders.expectsNew.load(ordering: .relaxed)
    for _ in 0..<Self.maximumTries {
      let place = try find(options, path, isAssumingNew: isAssumingNew)
      if let outcome = try put(body, options, place) {
        if outcome == .created, !isAssumingNew { folders.expectsNew.store(true, ordering: .relaxed) }
        var written = Written(path: place.target.path, outcome: outcome)
        written.hasNewDigits = place.isNew && outcome == .created
        written.hasReplacedUnknown =
          outcome == .replaced && options.holds && !options.isRepeated && place.existing?.status.kind == .regular
          && place.existing?.mark == nil
        return written
      }
      if isAssumingNew { folders.expectsNew.store(false, ordering: .relaxed) }
      isAssumingNew = false
    }
    throw .file(path: path(options.first), .tryAgain)
  }

  private func find(
    _ options: OutputOptions, _ path: (Int) -> String, isAssumingNew: Bool
  ) throws(OutputFailure) -> Place {
    var search = NameSearch(holds: options.holds, first: options.first)
    var place = search.start
    var plain: Place?
    while true {
      let target = try OutputTarget(path(place), in: folders)
      let isAssumed = isAssumingNew && place == options.first
      let existing = isAssumed ? nil : try target.existingFile()
      let found = Place(target: target, existing: existing)
      if place == 0 { plain = found }
      let occupant = NameSearch.Occupant(existing, for: options.key)
      switch search.next(after: occupant, folderWasEmpty: target.folder.wasEmpty())
      {
      case .look(let next): place = next
      case .take(let taken, let isNew):
        var chosen = taken == place ? found : plain ?? found
        chosen.isNew = isNew
        return chosen
      case .giveUp: throw .file(path: target.path, .fileExists)
      }
    }
  }

  /// Returns nil if the file has changed since it was looked at, so that it must be looked at again.
  private func put(_ body: ImageBody, _ options: OutputOptions, _ place: Place) throws(OutputFailure) -> Outcome? {
    let target = place.target
    guard let existing = place.existing else { return try target.create(body, options) ? .created : nil }
    if options.keepsExisting { return .kept }
    switch existing.status.kind {
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
      if try target.holds(body, existing, options) {
        return try target.confirm(body, options, existing) ? .unchanged : nil
      }
    }
    return try target.replace(existing, by: body, options) ? .replaced : nil
  }
}
