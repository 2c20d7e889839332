/// A set of details, in one byte.
public struct ImageDetailSet: Hashable, Sendable {
  package private(set) var bits: UInt8

  /// A set of these.
  public init(_ details: [ImageDetail] = []) {
    bits = 0
    for detail in details { insert(detail) }
  }

  /// Bits without a detail are dropped.
  package init(bits: UInt8) { self.init(ImageDetail.allCases.filter { bits & 1 << $0.rawValue != 0 }) }

  /// True if there is no detail.
  public var isEmpty: Bool { bits == 0 }

  /// True if the set contains a detail.
  public func contains(_ detail: ImageDetail) -> Bool { bits & 1 << detail.rawValue != 0 }

  /// True if the set contains all of `others`.
  public func contains(_ others: ImageDetailSet) -> Bool { bits & others.bits == others.bits }

  /// Adds one.
  public mutating func insert(_ detail: ImageDetail) { bits |= 1 << detail.rawValue }

  /// The details that are in either set.
  public func union(_ others: ImageDetailSet) -> ImageDetailSet {
    var all = self
    all.bits |= others.bits
    return all
  }

  /// The details without the others.
  public func subtracting(_ others: ImageDetailSet) -> ImageDetailSet { ImageDetailSet(bits: bits & ~others.bits) }

  /// True if any of the details is made of the pixels.
  package var needsPixels: Bool { ImageDetail.fingerprints.contains(where: contains) }
}
