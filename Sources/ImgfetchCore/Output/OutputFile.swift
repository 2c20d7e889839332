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
    /// It was there, and was to stay.
    case kept
  }

  /// Where an image went.
  package struct Written: Sendable {
    package let path: String
    package let outcome: Outcome
    /// Whether the name got digits that it has not had before, because a file of another image has the name without.
    package var hasNewDigits = false
    /// Whether the file that was replaced had other bytes, and nothing told that it was an earlier version of the image.
    package var hasReplacedUnknown = false
  }

  /// The folders that are open; share one among all writers of a run.
  package let folders: OutputFolders

  package init(folders: OutputFolders) { self.folders = folders }

  /// Each turn means that another process was quicker; so many in a row mean that something is broken.
  private static let mostTurns = 64

  /// Writes the body under one of its names, of which `path` tells the places (see ``NameSearch``).
  ///
  /// A file that is replaced keeps its mode; a new one has 0666 less the umask. A symbolic link is replaced and not
  /// followed, unless it leads to a device, pipe or socket, which is written to as it is.
  package func write(
    _ body: ImageBody, _ wish: OutputWish, path: (Int) -> String
  ) throws(OutputFailure) -> Written {
    do {
      return try settle(body, wish, path)
    } catch {
      // Where the folder was removed or moved while it was open here, it is made again, as a new run would.
      guard case .file(let failed, _) = error else { throw error }
      let target = try OutputTarget(failed, in: folders)
      folders.forget(target.folderPath)
      let anew = try OutputTarget(failed, in: folders)
      guard anew.folderIdentity != target.folderIdentity else { throw error }
      return try settle(body, wish, path)
    }
  }

  /// The file that is there for a wish, whatever it holds; nil: there is none. Another image's file under a name that holds is none.
  ///
  /// - Parameter candidates: the paths that the image may get, for each of its names; nil where that shows only with the image.
  package func existing(_ wish: OutputWish, candidates: (Int) -> [String]?) -> String? {
    var search = NameSearch(holds: wish.holds, first: wish.first)
    var place = search.start
    var plain: String?
    while true {
      guard let paths = candidates(place) else { return nil }
      var seen = NameSearch.Seen.nothing
      var found: String?
      for path in paths where seen != .own {
        guard let target = try? OutputTarget(path, in: folders, makingFolder: false),
          let sight = try? target.sight()
        else { continue }
        let one = NameSearch.Seen(sight, for: wish.key)
        // Where files of one stem differ, this image's own counts before one that nothing is known of, and that before another's.
        if found == nil || one == .own || (one == .unknown && seen == .another) { (seen, found) = (one, path) }
      }
      if place == 0, seen == .unknown { plain = found }
      switch search.next(after: seen) {
      case .look(let next): place = next
      case .take(let taken, _): return taken == place ? found : plain
      case .giveUp: return nil
      }
    }
  }

  /// A name, and what has it.
  private struct Place {
    let target: OutputTarget
    /// Nil: nothing has it, or that is assumed.
    let sight: OutputSight?
    var isNew = false
  }

  private func settle(
    _ body: ImageBody, _ wish: OutputWish, _ path: (Int) -> String
  ) throws(OutputFailure) -> Written {
    // Not looking first spares one call in five. Whatever is in the way of this is met again by looking.
    var isAssumingNew = folders.expectsNew.load(ordering: .relaxed)
    for _ in 0..<Self.mostTurns {
      let place = try find(wish, path, isAssumingNew: isAssumingNew)
      if let outcome = try put(body, wish, place) {
        if outcome == .created, !isAssumingNew { folders.expectsNew.store(true, ordering: .relaxed) }
        var written = Written(path: place.target.path, outcome: outcome)
        written.hasNewDigits = place.isNew && outcome == .created
        written.hasReplacedUnknown =
          outcome == .replaced && wish.holds && !wish.isRepeated && place.sight?.status.kind == .regular
          && place.sight?.mark == nil
        return written
      }
      if isAssumingNew { folders.expectsNew.store(false, ordering: .relaxed) }
      isAssumingNew = false
    }
    throw .file(path: path(wish.first), .tryAgain)
  }

  private func find(
    _ wish: OutputWish, _ path: (Int) -> String, isAssumingNew: Bool
  ) throws(OutputFailure) -> Place {
    var search = NameSearch(holds: wish.holds, first: wish.first)
    var place = search.start
    var plain: Place?
    while true {
      let target = try OutputTarget(path(place), in: folders)
      let isAssumed = isAssumingNew && place == wish.first
      let sight = isAssumed ? nil : try target.sight()
      let found = Place(target: target, sight: sight)
      if place == 0 { plain = found }
      switch search.next(after: NameSearch.Seen(sight, for: wish.key), folderWasEmpty: target.folder.wasEmpty()) {
      case .look(let next): place = next
      case .take(let taken, let isNew):
        var chosen = taken == place ? found : plain ?? found
        chosen.isNew = isNew
        return chosen
      case .giveUp: throw .file(path: target.path, .fileExists)
      }
    }
  }

  /// Nil: it is not as it was seen any more, and to be looked at again.
  private func put(_ body: ImageBody, _ wish: OutputWish, _ place: Place) throws(OutputFailure) -> Outcome? {
    let target = place.target
    guard let sight = place.sight else { return try target.create(body, wish) ? .created : nil }
    if wish.keepsExisting { return .kept }
    switch sight.status.kind {
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
      if try target.holds(body, sight, key: wish.key) {
        return try target.confirm(body, wish, sight) ? .unchanged : nil
      }
    }
    return try target.replace(sight, by: body, wish) ? .replaced : nil
  }
}
