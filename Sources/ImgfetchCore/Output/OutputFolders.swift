import Synchronization

/// The folders of the outputs, each opened once.
///
/// Thousands of images go into one folder, and a call relative to its descriptor is cheaper than walking its path each
/// time. Safe to use from several threads.
package final class OutputFolders: Sendable {
  /// A name template with `{host}` spreads a run over many folders. Descriptors are scarce (often 1,024 a process), and
  /// a folder that is dropped from here stays open for those who still use it.
  private static let limit = 16

  /// The most recently used is last. Short enough that searching it costs nothing beside opening a folder.
  private let open = Guarded<[(path: String, folder: OutputFolder)]>([])
  private let makesMissing: Bool
  private let user: UInt32
  /// Whether the last output of this run was a new file. Then the next one is assumed to be new, too. Only a guess.
  let expectsNew = Atomic<Bool>(false)

  /// - Parameters:
  ///   - makesMissing: whether missing folders are made, with their parents.
  ///   - user: whose files are trusted.
  package init(makesMissing: Bool = true, user: UInt32 = Processes.user) {
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
    do {
      return OutputFolder(try .folder(path), isNew: false, user: user)
    } catch {
      guard making, error.code == .noSuchFile else { throw error }
    }
    // From the top down, each relative to its parent. A folder that another process makes meanwhile is as good.
    var parent = try Descriptor.folder(path.hasPrefix("/") ? "/" : ".")
    var isNew = false
    for part in path.split(separator: "/") where part != "." {
      let name = String(part)
      do throws(SystemError) {
        parent = try parent.open(name, [.read, .directory])
      } catch {
        guard error.code == .noSuchFile else { throw error.of(path) }
        do {
          isNew = try parent.makeFolder(name, mode: 0o777)
          parent = try parent.open(name, [.read, .directory])
        } catch { throw error.of(path) }
      }
    }
    return OutputFolder(parent, isNew: isNew, user: user)
  }
}

/// An open output folder, and what is known about it.
package final class OutputFolder: Sendable {
  package let descriptor: SharedDescriptor
  let user: UInt32
  private let emptiness: Atomic<UInt8>
  private let refusesMarks = Atomic<Bool>(false)

  private static let unknown: UInt8 = 0
  private static let empty: UInt8 = 1
  private static let filled: UInt8 = 2

  init(_ descriptor: consuming Descriptor, isNew: Bool, user: UInt32) {
    self.descriptor = SharedDescriptor(descriptor)
    self.user = user
    emptiness = Atomic(isNew ? Self.empty : Self.unknown)
  }

  /// Whether the folder was empty when this was called first. Then no earlier run has left names here, and none need to
  /// be looked for.
  func wasEmpty() -> Bool {
    let known = emptiness.load(ordering: .relaxed)
    if known != Self.unknown { return known == Self.empty }
    let found = (try? descriptor.file.isEmptyFolder()) == true ? Self.empty : Self.filled
    // The first look was before this run wrote anything.
    let (isFirst, earlier) = emptiness.compareExchange(expected: Self.unknown, desired: found, ordering: .relaxed)
    return (isFirst ? found : earlier) == Self.empty
  }

  /// Whether files here can carry marks, as far as is known.
  var takesMarks: Bool { !refusesMarks.load(ordering: .relaxed) }
  func noteThatMarksAreRefused() { refusesMarks.store(true, ordering: .relaxed) }
}

/// Chooses which of its names an output gets. An image has several names, and each is tried if the one before belongs
/// to another image: first the plain name, then names with more and more digits of its key's hash. Names made from URLs
/// are kept across runs: an image keeps a name that it has, and never takes one from another image. A pure value: it
/// takes what was found under a name, and returns where to look next or which name to use.
struct NameSearch {
  enum Occupant: Hashable, Sendable {
    case nothing
    /// This image's own file.
    case own
    /// Another image's file.
    case another
    /// A file without a valid mark: of unknown origin, or changed since it was written, or not a regular file.
    case unknown
  }

  enum Step: Hashable, Sendable {
    case look(at: Int)
    /// - Parameter isNew: the name is free, and not the one that this run expected, because of existing files.
    case take(Int, isNew: Bool)
    /// All names belong to other images.
    case giveUp
  }

  /// The plain name, then 8, 16 and 32 digits of the key's hash, then 32 of its SHA-256. No two keys are known that
  /// agree in all of them.
  static let count = 5

  /// Whether names are kept across runs. If not, the first that is free in this run is used, whatever has it.
  private let holds: Bool
  /// The first name that no other image of this run has.
  private let first: Int
  private var place: Int
  /// Whether the plain name may be used if no other name is this image's.
  private var isPlainFree = false

  init(holds: Bool, first: Int) {
    self.holds = holds
    self.first = min(first, Self.count - 1)
    // An image that may not have the plain name in this run may have it from an earlier one.
    place = holds ? 0 : self.first
  }

  var start: Int { place }

  /// Returns the next step after `occupant` was found under the current name.
  ///
  /// - Parameter folderWasEmpty: whether the folder was empty before this run.
  mutating func next(after occupant: Occupant, folderWasEmpty: @autoclosure () -> Bool = false) -> Step {
    guard holds else { return .take(place, isNew: false) }
    if place == 0 {
      if occupant == .own { return .take(0, isNew: false) }
      isPlainFree = first == 0 && occupant != .another
      // The image may have got a name with digits in an earlier run, when another had the plain one.
      if isPlainFree, occupant == .nothing, folderWasEmpty() { return .take(0, isNew: false) }
      return look(at: max(1, first))
    }
    switch occupant {
    // The digits identify this image, even if no attribute does.
    case .own, .unknown: return .take(place, isNew: false)
    case .nothing: return isPlainFree ? .take(0, isNew: false) : .take(place, isNew: place > first)
    case .another:
      if place + 1 < Self.count { return look(at: place + 1) }
      return isPlainFree ? .take(0, isNew: false) : .giveUp
    }
  }

  private mutating func look(at place: Int) -> Step {
    self.place = place
    return .look(at: place)
  }
}
