/// Writes images to files: completely or not at all, and not at all if the file already has the same bytes.
///
/// An image is written beside its final place and renamed in one step, so a reader never sees half of it. Where nothing
/// changed, file times stay as they are for tools that look at them (`make`, `rsync`). A file that this program did not
/// write, or that was changed since, is never replaced unless the user says so. Safe to use from several threads.
package struct OutputFile: Sendable {
  /// The effect on the file.
  package enum Outcome: Sendable {
    /// No file existed before.
    case created
    /// The file had other bytes, or was a symbolic link.
    case replaced
    /// The file already had these bytes.
    case unchanged
    /// The file is a device, pipe or socket, and was written to.
    case written
    /// The file existed and was to be kept.
    case kept

    /// The same as it is reported.
    package var change: OutputChange {
      switch self {
      case .created, .written: .new
      case .replaced: .changed
      case .unchanged: .same
      case .kept: .kept
      }
    }
  }

  /// The result of writing an image.
  package struct Written: Sendable {
    package let path: String
    package let outcome: Outcome
    /// The reason why the name got digits for the first time, or nil if it did not.
    package var newDigits: NameDigits?
    /// The reason why the file has the time of its writing and not the wanted one, or nil.
    package var timeRefusal: Errno?
  }

  /// The open folders. All writers of a run share them.
  package let folders: OutputFolders

  package init(folders: OutputFolders) { self.folders = folders }

  /// Each retry means that another process was faster. This many in a row mean that something is broken.
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
      guard anew.folderIdentity != target.folderIdentity else {
        // In a removed working directory, kernels refuse a file without a name as if the user had no right to make one.
        throw anew.hasNoFolder ? .file(path: failed, .noSuchFile) : error
      }
      return try settle(body, options, path)
    }
  }

  /// Predicts the result of writing, without doing it.
  package func foresee(
    _ body: ImageBody, _ options: OutputOptions, path: (Int) -> String
  ) throws(OutputFailure) -> Written {
    let place: Place
    do { place = try find(body, options, path, isAssumingNew: false) } catch {
      guard case .file(_, .noSuchFile) = error else { throw error }
      return Written(path: path(options.first), outcome: .created)
    }
    var written = Written(path: place.target.path, outcome: try fate(body, options, place))
    if written.outcome == .created { written.newDigits = place.digits }
    return written
  }

  private func fate(_ body: ImageBody, _ options: OutputOptions, _ place: Place) throws(OutputFailure) -> Outcome {
    guard let existing = place.existing else { return .created }
    if options.keepsExisting, existing.mark?.nature != .placeholder { return .kept }
    switch existing.status.kind {
    case .directory: throw .isFolder(path: place.target.path)
    case .other: return .written
    case .symbolicLink: return place.target.leadsToOwnStream(existing.status) ? .written : .replaced
    case .regular:
      if place.ownership == .edited { return .kept }
      let hasBytes = place.ownership == .same ? true : try place.target.holds(body, existing, options)
      return hasBytes ? .unchanged : existing.mark?.nature == .placeholder ? .created : .replaced
    }
  }

  /// The path of the existing file that an output would get, or nil if there is none. A placeholder does not count. A
  /// file of another image does not either if names are kept across runs.
  ///
  /// - Parameter candidates: the paths that the image may get for each of its names, or nil if the
  ///   path depends on the image.
  package func existing(_ options: OutputOptions, candidates: (Int) -> [String]?) -> String? {
    var search = options.search
    var place = search.start
    var plain: String?
    while true {
      guard let paths = candidates(place) else { return nil }
      var occupant = Ownership.nothing
      var found: String?
      for path in paths where occupant != .own {
        guard let (_, existing) = folders.existing(path), existing.mark?.nature != .placeholder else { continue }
        let one = Ownership(of: existing, options)
        // Among several candidates, this image's own file counts before one of unknown origin, and
        // that before another image's.
        if found == nil || one == .own || (one.stays && occupant == .another) { (occupant, found) = (one, path) }
      }
      if place == 0, occupant.stays { plain = found }
      switch search.next(after: occupant) {
      case .look(let next): place = next
      case .take(let taken, _): return taken == place ? found : taken == 0 ? plain : nil
      case .giveUp: return nil
      }
    }
  }

  /// The name that an image will get that has not come yet, and the present file of that name, if any. A file without a
  /// mark counts as another program's, since there are no bytes to compare it with.
  ///
  /// - Parameter candidates: as for ``existing(_:candidates:)``.
  package func expected(_ options: OutputOptions, candidates: (Int) -> [String]?) -> (choice: Int, path: String?) {
    var search = options.search
    var place = search.start
    while true {
      var occupant = Ownership.nothing
      var found: String?
      for path in candidates(place) ?? [] where occupant != .own {
        guard let (_, existing) = folders.existing(path) else { continue }
        let one = Ownership(of: existing, options)
        (occupant, found) = (one == .same ? .stranger : one, path)
      }
      switch search.next(after: occupant) {
      case .look(let next): place = next
      case .take(let taken, _): return (taken, taken == place && occupant == .own ? found : nil)
      case .giveUp: return (options.first, nil)
      }
    }
  }

  /// The number of the name whose file is the image's own and is no placeholder, or nil if there is none.
  package func ownChoice(_ options: OutputOptions, path: (Int) -> String) -> Int? {
    (0..<OutputOptions.nameCount).first { choice in
      guard let mark = folders.existing(path(choice))?.file.mark else { return false }
      return options.isOwn(mark.key) && mark.nature != .placeholder
    }
  }

  /// The path of the placeholder that stands for an image, or nil if there is none.
  ///
  /// - Parameter candidates: as for ``existing(_:candidates:)``.
  package func placeholder(_ options: OutputOptions, candidates: (Int) -> [String]?) -> String? {
    (candidates(options.first) ?? []).first { path in
      guard let mark = folders.existing(path)?.file.mark else { return false }
      return options.isOwn(mark.key) && mark.nature == .placeholder
    }
  }

  /// The existing file that was made from this source by this transform, according to its mark, or nil if there is
  /// none.
  package func standing(_ origin: OutputOrigin, _ options: OutputOptions, path: (Int) -> String) -> ImageBody? {
    var search = options.search
    var place = search.start
    while true {
      guard let target = try? OutputTarget(path(place), in: folders, makingFolder: false) else { return nil }
      let existing = try? target.existingFile()
      if let existing, let mark = existing.mark, options.isOwn(mark.key), mark.nature == .derived(origin) {
        guard let file = try? target.folder.descriptor.file.open(target.name, [.read, .noFollow, .nonBlocking]),
          (try? file.status().identity) == existing.status.identity
        else { return nil }
        return ImageBody(
          .file(ImageBody.Stored(descriptor: SharedDescriptor(file), length: mark.size, expectedHash: mark.hash)))
      }
      let occupant = existing.map { Ownership(of: $0, options) } ?? .nothing
      guard case .look(let next) = search.next(after: occupant) else { return nil }
      place = next
    }
  }

  /// A file without a name beside `path`, to be written under that name later, or nil if the file system has
  /// no such files, or there is no such folder. A file that has to have a name all the time would be seen, and
  /// be left over after a kill.
  package func lend(beside path: String, makingFolder: Bool) -> LentFile? {
    guard let target = try? OutputTarget(path, in: folders, makingFolder: makingFolder), target.mayBeFile,
      let file = try? target.folder.descriptor.file.open(".", [.unnamed, .readWrite], mode: 0o666)
    else { return nil }
    let folder = target.folderPath
    return LentFile(SharedDescriptor(file), in: folder.isEmpty ? "." : folder)
  }

  /// Removes the files of an image that are void now: under these paths, and as they were written, with these bytes.
  ///
  /// - Parameter hash: nil: those of a placeholder.
  package func remove(_ paths: [String], _ options: OutputOptions, having hash: ContentHash?) {
    for path in paths {
      guard let (target, existing) = folders.existing(path), let mark = existing.mark, options.isOwn(mark.key),
        hash == nil ? mark.nature == .placeholder : mark.nature == .image && mark.hash == hash
      else { continue }
      target.remove(existing)
    }
  }

  private struct Place {
    let target: OutputTarget
    /// The existing file, or nil if there is none, or none is expected.
    let existing: ExistingFile?
    let ownership: Ownership
    var digits: NameDigits?
  }

  private func settle(
    _ body: ImageBody, _ options: OutputOptions, _ path: (Int) -> String
  ) throws(OutputFailure) -> Written {
    // Skipping the first look saves one system call in five. If something is in the way, it is found by looking then.
    var isAssumingNew = folders.expectsNew.load(ordering: .relaxed)
    for _ in 0..<Self.maximumTries {
      let place = try find(body, options, path, isAssumingNew: isAssumingNew)
      if let outcome = try put(body, options, place) {
        if outcome == .created, !isAssumingNew { folders.expectsNew.store(true, ordering: .relaxed) }
        var written = Written(path: place.target.path, outcome: outcome)
        if outcome == .created { written.newDigits = place.digits }
        if options.modified != nil, outcome == .created || outcome == .replaced {
          written.timeRefusal = place.target.folder.timeRefusal
        }
        return written
      }
      if isAssumingNew { folders.expectsNew.store(false, ordering: .relaxed) }
      isAssumingNew = false
    }
    throw .file(path: path(options.first), .tryAgain)
  }

  private func find(
    _ body: ImageBody, _ options: OutputOptions, _ path: (Int) -> String, isAssumingNew: Bool
  ) throws(OutputFailure) -> Place {
    var search = options.search
    var place = search.start
    // Names to come back to, seldom more than one.
    var looked: [(at: Int, place: Place)] = []
    while true {
      let target = try OutputTarget(path(place), in: folders)
      let isAssumed = isAssumingNew && place == options.first
      let existing = isAssumed ? nil : try target.existingFile()
      let ownership = try Ownership(of: existing, target, body, options)
      let found = Place(target: target, existing: existing, ownership: ownership)
      switch search.next(after: ownership, folderWasEmpty: target.folder.wasEmpty()) {
      case .look(let next):
        looked.append((place, found))
        place = next
      case .take(let taken, let digits):
        var chosen = taken == place ? found : looked.last { $0.at == taken }?.place ?? found
        chosen.digits = digits
        return chosen
      case .giveUp: throw .isTaken(path: target.path)
      }
    }
  }

  /// Returns nil if the file has changed since it was looked at, so that it must be looked at again.
  private func put(_ body: ImageBody, _ options: OutputOptions, _ place: Place) throws(OutputFailure) -> Outcome? {
    let target = place.target
    guard let existing = place.existing else { return try target.create(body, options) ? .created : nil }
    if options.keepsExisting, existing.mark?.nature != .placeholder { return .kept }
    switch existing.status.kind {
    case .directory: throw .isFolder(path: target.path)
    case .other:
      guard options.isNamed || target.isTrusted(existing.status) else { throw .isTaken(path: target.path) }
      let stream = try target.openedStream(existing.status, isNamed: options.isNamed)
      try OutputStream.write(body, to: stream, named: target.path)
      return .written
    case .symbolicLink:
      if let stream = try target.streamBehind(existing.status, isNamed: options.isNamed) {
        try OutputStream.write(body, to: stream, named: target.path)
        return .written
      }
    case .regular:
      if place.ownership == .edited { return .kept }
      let hasBytes = place.ownership == .same ? true : try target.holds(body, existing, options)
      if hasBytes { return try target.confirm(body, options, existing) ? .unchanged : nil }
    }
    guard try target.replace(existing, by: body, options) else { return nil }
    // A placeholder in the image's place was no image.
    return existing.mark?.nature == .placeholder && options.nature != .placeholder ? .created : .replaced
  }
}
