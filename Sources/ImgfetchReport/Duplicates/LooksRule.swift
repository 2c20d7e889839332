/// Decides whether two pictures look the same.
package struct LooksRule: Sendable, Hashable {
  /// The number of bits in which the dhashes of two copies may differ; for phashes it is twice that.
  package let bits: Int

  /// - Parameter bits: 0 to 8; 4 by default. With more, different pictures would count as copies.
  package init(bits: Int = 4) { self.bits = min(max(bits, 0), 8) }

  /// True if the two look the same: hashes within the bits, proportions within 2 %, colours within 8 of 255.
  package func areAlike(_ one: Looks, _ other: Looks) -> Bool {
    one.areTelling && other.areTelling && areNear(dhash: one.dhash, other.dhash)
      && areNear(phash: one.phash, other.phash)
      && LooksTable.areNear(LooksTable.proportion(one), LooksTable.proportion(other))
      && Self.areNear(one.colour, other.colour)
  }

  func areNear(dhash: UInt64, _ other: UInt64) -> Bool { (dhash ^ other).nonzeroBitCount <= bits }

  func areNear(phash: UInt64, _ other: UInt64) -> Bool { (phash ^ other).nonzeroBitCount <= 2 * bits }

  static func areNear(
    _ one: (red: UInt8, green: UInt8, blue: UInt8), _ other: (red: UInt8, green: UInt8, blue: UInt8)
  ) -> Bool { areNear(one.red, other.red) && areNear(one.green, other.green) && areNear(one.blue, other.blue) }

  private static func areNear(_ one: UInt8, _ other: UInt8) -> Bool { max(one, other) - min(one, other) <= 8 }
}
