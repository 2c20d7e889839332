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
