/// The flaws of an image: a set, in one word of memory.
public struct ImageFlaws: Hashable, Sendable {
  /// One bit for each flaw, at its number.
  package private(set) var bits: UInt32

  /// No flaws.
  public init() { bits = 0 }

  /// Bits without a flaw, which a later program may have stored, are dropped.
  package init(bits: UInt32) {
    self.init()
    for flaw in ImageFlaw.allCases where bits & 1 << flaw.rawValue != 0 { insert(flaw) }
  }

  /// True if there is no flaw.
  public var isEmpty: Bool { bits == 0 }

  /// All of them, in the order of their numbers.
  public var all: [ImageFlaw] { ImageFlaw.allCases.filter(contains) }

  /// True if the set contains a flaw.
  public func contains(_ flaw: ImageFlaw) -> Bool { bits & 1 << flaw.rawValue != 0 }

  package mutating func insert(_ flaw: ImageFlaw) { bits |= 1 << flaw.rawValue }
}
