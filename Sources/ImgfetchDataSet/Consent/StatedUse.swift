/// A use that an owner allows or forbids.
package struct StatedUse: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case training
    case search
    /// Every use by a machine.
    case everything
    /// One that is neither, such as an answer made from it.
    case other
  }

  package let kind: Kind
  package let allows: Bool

  package init(_ kind: Kind, allows: Bool) {
    self.kind = kind
    self.allows = allows
  }

  /// Returns whether it counts for a purpose. With none, all do.
  func concerns(_ purpose: UsePurpose) -> Bool {
    switch purpose {
    case .any: true
    case .training: kind == .training || kind == .everything
    case .search: kind == .search || kind == .everything
    }
  }
}
