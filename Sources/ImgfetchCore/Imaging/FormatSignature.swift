/// Fixed bytes among the first twelve of a file, as numbers. Comparing them costs a few instructions and no allocation.
struct FormatSignature: Sendable {
  /// The first twelve bytes of a file, with zeros for those that are missing.
  struct Head {
    static let length = 12
    var start: UInt64 = 0
    var rest: UInt32 = 0
  }

  private let start: UInt64
  private let mask: UInt64
  private let rest: UInt32

  /// - Parameters:
  ///   - start: The first eight bytes.
  ///   - mask: The bits of them that are fixed; the others must be 0.
  ///   - rest: The four bytes after them; 0 for any.
  init(_ start: UInt64, mask: UInt64 = .max, then rest: UInt32 = 0) {
    (self.start, self.mask, self.rest) = (start, mask, rest)
  }

  /// An ISO base media file that is first of all of this brand.
  init(brand: BoxType) { self.init(UInt64(BoxType("ftyp").code), mask: 0xFFFF_FFFF, then: brand.code) }

  /// True if a file that begins with `head` has the signature.
  func matches(_ head: Head) -> Bool { head.start & mask == start && (rest == 0 || head.rest == rest) }

  /// True if a file that was cut after that many bytes may have had the signature. A signature of letters needs three
  /// bytes, since fewer could begin a word, and a box needs its length and type.
  func matches(_ head: Head, cutAt count: Int) -> Bool {
    count >= (start >> 63 == 1 ? 1 : mask >> 32 == 0 ? 8 : 3)
      && ((head.start ^ start) & mask) >> (8 * max(0, 8 - count)) == 0
      && (rest == 0 || (head.rest ^ rest) >> (8 * (Head.length - count)) == 0)
  }
}
