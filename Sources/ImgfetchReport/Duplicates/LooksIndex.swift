/// Finds, for pictures that come one after another, the first earlier picture that looks the same.
///
/// Two pictures look the same if their dhashes differ in at most a few bits. The dhash is cut into one part more than
/// that, so at least one part is equal.
package struct LooksIndex: Sendable {
  private let rule: LooksRule
  private var looks: [Looks] = []
  /// For each part of the hash, the pictures in buckets by the value of that part.
  private var buckets: [[UInt32]]

  /// The bits of a part's value: a part has 2 to the power of this many buckets.
  private static let bits = 12

  package init(_ rule: LooksRule) {
    self.rule = rule
    buckets = [[UInt32]](repeating: [], count: (rule.bits + 1) << Self.bits)
  }

  /// Adds a picture, which gets the next number. Its hashes must tell something.
  package mutating func add(_ look: Looks) {
    for part in 0...rule.bits { buckets[bucket(look.dhash, part)].append(UInt32(looks.count)) }
    looks.append(look)
  }

  /// The number of the first picture that looks the same, or nil if there is none.
  package func first(_ look: Looks) -> Int? {
    var first: UInt32?
    for part in 0...rule.bits {
      for number in buckets[bucket(look.dhash, part)] {
        if let first, number >= first { break }
        if rule.areAlike(looks[Int(number)], look) { first = number }
      }
    }
    return first.map { Int($0) }
  }

  private func bucket(_ dhash: UInt64, _ part: Int) -> Int {
    let (start, end) = (64 * part / (rule.bits + 1), 64 * (part + 1) / (rule.bits + 1))
    let value = end - start == 64 ? dhash : dhash >> start & (1 << (end - start) - 1)
    return part << Self.bits | Int((value &* 0x9E37_79B9_7F4A_7C15) >> (64 - Self.bits))
  }
}
