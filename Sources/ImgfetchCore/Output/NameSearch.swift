/// Which of its names an output takes.
///
/// An image has several names, each tried when the one before is another image's: first the plain one, then with more and more
/// digits of its key's hash. Names that are made of URLs hold across runs: an image that has one keeps it, and another image's is not
/// taken from it. A pure value: told what has a name, it says where to look next, or which name it is to be.
struct NameSearch {
  /// What has a name.
  enum Seen: Hashable, Sendable {
    case nothing
    /// This image's own file.
    case own
    /// Another image's.
    case another
    /// A file that nothing tells anything of, or one that was changed since it was written; also what is no file.
    case unknown
  }

  enum Step: Hashable, Sendable {
    case look(at: Int)
    /// - Parameter isNew: it is another than this run had foreseen, because of files that were there, and nothing has it yet.
    case take(Int, isNew: Bool)
    /// Other images have them all.
    case giveUp
  }

  /// The plain one, then 8, 16 and 32 digits of the key's hash, then 32 of its SHA-256. Two keys that agree in all of them are not known.
  static let count = 5

  /// Whether names hold; else the first that this run lets it have is taken, whatever has it.
  private let holds: Bool
  /// The first that no other image has in this run.
  private let first: Int
  private var place: Int
  /// Whether the plain name may be taken where no other is this image's.
  private var isPlainFree = false

  init(holds: Bool, first: Int) {
    self.holds = holds
    self.first = min(first, Self.count - 1)
    // An image that must not have the plain name in this run may have it from an earlier one.
    place = holds ? 0 : self.first
  }

  /// Where to look first.
  var start: Int { place }

  /// - Parameter folderWasEmpty: whether there was nothing in the folder before this run.
  mutating func next(after seen: Seen, folderWasEmpty: @autoclosure () -> Bool = false) -> Step {
    guard holds else { return .take(place, isNew: false) }
    if place == 0 {
      if seen == .own { return .take(0, isNew: false) }
      isPlainFree = first == 0 && seen != .another
      // The image may have a name with digits since an earlier run, when another had the plain one.
      if isPlainFree, seen == .nothing, folderWasEmpty() { return .take(0, isNew: false) }
      return look(at: max(1, first))
    }
    switch seen {
    // The digits tell that it is this image's, also where no attribute does.
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
