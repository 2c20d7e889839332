/// The looks of a picture, as far as they tell one picture from another: two hashes, its
/// proportions and its average colour.
package struct Looks: Sendable, Hashable {
  package var dhash: UInt64
  package var phash: UInt64
  package var width: Int
  package var height: Int
  /// The average colour: red, green and blue.
  package var colour: (red: UInt8, green: UInt8, blue: UInt8)

  package init(
    dhash: UInt64, phash: UInt64, width: Int, height: Int, colour: (red: UInt8, green: UInt8, blue: UInt8)
  ) {
    self.dhash = dhash
    self.phash = phash
    self.width = width
    self.height = height
    self.colour = colour
  }

  /// True if the hashes tell anything: those of blanks, of swatches and of a line on a ground have
  /// hardly a bit of one kind.
  package var areTelling: Bool {
    [dhash, phash].allSatisfy { (Self.leastBits...(64 - Self.leastBits)).contains($0.nonzeroBitCount) }
  }

  private static let leastBits = 8

  package static func == (one: Looks, other: Looks) -> Bool {
    one.dhash == other.dhash && one.phash == other.phash && one.width == other.width && one.height == other.height
      && one.colour == other.colour
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(dhash)
    hasher.combine(phash)
  }
}
