/// The hash over a shard's records, by which a list that was changed is noticed. A pure value.
///
/// Each record is hashed by itself, and what comes of it is folded in with its number: neither lines that moved nor two that became one
/// go unnoticed, and a list of ten million lines is compared in the time that reading it takes.
package struct RecordsHash: Hashable, Sendable {
  package private(set) var count = 0
  private var high: UInt64 = 0
  private var low: UInt64 = 0

  package init() {}

  /// Adds the next record.
  ///
  /// - Parameters:
  ///   - record: its number in the list.
  ///   - text: what stands there.
  package mutating func add(record: Int, _ text: borrowing Span<UInt8>) {
    let hash = ContentHash(of: text)
    high = Self.fold(high, hash.high ^ UInt64(truncatingIfNeeded: record))
    low = Self.fold(low, hash.low)
    count += 1
  }

  /// The odd factor (of the golden ratio) makes the order matter, the shift carries the upper bits, which it would lose, down.
  private static func fold(_ sum: UInt64, _ value: UInt64) -> UInt64 {
    let product = (sum ^ value) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
  }

  package var value: ContentHash { ContentHash(high: high, low: low) }
}
