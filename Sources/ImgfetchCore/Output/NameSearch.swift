/// Chooses which of its names an output gets. An image has several names: first the plain one, then names with more and
/// more digits of its key's hash. A file that is not this program's is never replaced, unless the user has named that
/// very file. A pure value: it takes the finding for a name, and returns the name to look at next, or the one to use.
struct NameSearch {
  enum Step: Hashable, Sendable {
    case look(at: Int)
    /// - Parameter digits: the reason why it is not the name that this run expected, or nil if it is.
    case take(Int, digits: NameDigits?)
    /// Give up, because none of the names may be taken.
    case giveUp
  }

  /// The plain name, then 8, 16 and 32 digits of the key's hash, then 32 of its SHA-256. No two keys are known that
  /// agree in all of them.
  static let count = 5

  /// The name with 8 digits that the same key has with the other scheme.
  static let ofOtherScheme = 5

  private let replaces: Replaceable
  /// The first name that no other image of this run has.
  private let first: Int
  private let hasOtherScheme: Bool
  private var place: Int
  /// True if the plain name may be used if no other name is this image's.
  private var isPlainFree = false
  private var reason = NameDigits.ofAnother
  /// The name that is taken unless the other scheme's is this image's.
  private var candidate: Int?

  init(_ replaces: Replaceable, first: Int, hasOtherScheme: Bool = false) {
    self.replaces = replaces
    self.first = min(first, Self.count - 1)
    self.hasOtherScheme = hasOtherScheme
    // An image that may not have the plain name in this run may have it from an earlier one.
    place = replaces == .own ? 0 : self.first
  }

  var start: Int { place }

  /// Returns the next step after `occupant` was found under the current name.
  ///
  /// - Parameter folderWasEmpty: true if the folder was empty before this run.
  mutating func next(after occupant: Ownership, folderWasEmpty: @autoclosure () -> Bool = false) -> Step {
    switch replaces {
    case .any: return .take(place, digits: nil)
    case .ours: return nextGiven(occupant)
    case .own: break
    }
    if let candidate { return occupant == .own ? .take(place, digits: nil) : .take(candidate, digits: reason) }
    if place == 0 {
      if occupant == .own { return .take(0, digits: nil) }
      isPlainFree = first == 0 && (occupant == .nothing || occupant.stays)
      if occupant.stays || occupant == .stranger { reason = .ofStranger }
      // The image may have got a name with digits in an earlier run, when something else had the plain one.
      if isPlainFree, occupant == .nothing, folderWasEmpty() { return .take(0, digits: nil) }
      return look(at: max(1, first))
    }
    switch occupant {
    case .own: return .take(place, digits: nil)
    case .same, .edited: return .take(isPlainFree ? 0 : place, digits: nil)
    case .nothing:
      if isPlainFree { return .take(0, digits: nil) }
      if place <= first { return .take(place, digits: nil) }
      guard hasOtherScheme else { return .take(place, digits: reason) }
      candidate = place
      return look(at: Self.ofOtherScheme)
    case .another where place + 1 < Self.count: return look(at: place + 1)
    case .another, .stranger: return isPlainFree ? .take(0, digits: nil) : .giveUp
    }
  }

  private mutating func nextGiven(_ occupant: Ownership) -> Step {
    guard occupant == .stranger else { return .take(place, digits: place > first ? .ofStranger : nil) }
    return place == 0 ? look(at: 1) : .giveUp
  }

  private mutating func look(at place: Int) -> Step {
    self.place = place
    return .look(at: place)
  }
}
