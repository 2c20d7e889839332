import ImgfetchCore

/// The hash over a shard's records, which detects a changed list. A pure value.
///
/// Each record is hashed by itself, and that hash is folded in with the record's number. So lines that were moved, and
/// two that became one, are noticed. A list of ten million lines is compared in the time that reading it takes.
package struct RecordsHash: Sendable {
  package private(set) var count = 0
  private var high: UInt64 = 0
  private var low: UInt64 = 0
  /// The header that the last record stood under.
  private var header: ContentHash?
  /// The sums after as many records as an existing shard has, of which this may be a continuation.
  private var mark: (count: Int, high: UInt64, low: UInt64)?

  package init() {}

  /// - Parameter count: the number of records that ``beginning`` covers.
  package init(markAt count: Int) { mark = (count, 0, 0) }

  /// The hash over the first records, as many as were to be marked, or nil if there were fewer.
  package var beginning: RecordsHash? {
    guard let mark, count >= mark.count, mark.count > 0 else { return nil }
    var hash = RecordsHash()
    (hash.count, hash.high, hash.low) = mark
    return hash
  }

  /// Adds the next record.
  ///
  /// - Parameters:
  ///   - record: its number in the list.
  ///   - text: its text.
  ///   - header: the hash of the line that names its columns, or nil for none. The same record under other names is
  ///     another one.
  package mutating func add(record: Int, _ text: borrowing Span<UInt8>, under header: ContentHash? = nil) {
    if let header, count == 0 || header != self.header {
      high = Self.fold(high, header.high)
      low = Self.fold(low, header.low)
    }
    self.header = header
    let hash = ContentHash(of: text)
    high = Self.fold(high, hash.high ^ UInt64(truncatingIfNeeded: record))
    low = Self.fold(low, hash.low)
    count += 1
    if count == mark?.count { mark = (count, high, low) }
  }

  /// The odd factor (of the golden ratio) makes the order matter, the shift carries the upper bits,
  /// which it would lose, down.
  private static func fold(_ sum: UInt64, _ value: UInt64) -> UInt64 {
    let product = (sum ^ value) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 29
  }

  package var value: ContentHash { ContentHash(high: high, low: low) }
}
