/// What the owner of a cache must know of a run that was told to be quiet: images were had, and all is not well. A line for each
/// matter, however often it came.
struct OwnerMatters {
  enum Matter: CaseIterable {
    /// There is no cache, or not the one that was meant.
    case noCache
    /// An image could not be put into the cache.
    case notCached
    /// A stored image was served past its age.
    case stale
  }

  private var found: [Matter: (count: Int, first: String?)] = [:]

  /// - Parameter message: nil where another image of the same answer has told already.
  mutating func note(_ matter: Matter, _ message: String?) {
    let before = found[matter]
    found[matter] = ((before?.count ?? 0) + 1, before?.first ?? message)
  }

  /// One line for each matter.
  var lines: [String] {
    Matter.allCases.compactMap { matter in
      guard let (count, first) = found[matter], let first else { return nil }
      if count == 1 { return first }
      let number = Amount.grouped(count)
      return switch matter {
      case .noCache: "\(number) caches cannot be used; the first: \(first)"
      case .notCached: "\(number) images could not be put into the cache; the first: \(first)"
      case .stale: "\(number) stored images past their age were served; the first: \(first)"
      }
    }
  }
}
