/// One byte range of a Range field (RFC 9110 §14.1.2): `bytes=0-99`, `bytes=100-`, `bytes=-50`.
package enum ByteRangeAsked: Hashable, Sendable {
  case from(Int64, through: Int64?)
  case last(Int64)

  /// Nil for another unit than bytes, for several ranges, and for invalid text.
  package init?(_ field: String) {
    let sides = field.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
    guard sides.count == 2, sides[0].map(URLHost.lower).elementsEqual("bytes".utf8) else { return nil }
    let ends = sides[1].filter { !HeaderFields.isBlank($0) }
      .split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard ends.count == 2 else { return nil }
    if ends[0].isEmpty {
      guard let count = DecimalNumber.clamped(ends[1]) else { return nil }
      self = .last(Int64(count))
    } else {
      guard let first = DecimalNumber.exactly(ends[0]) else { return nil }
      if ends[1].isEmpty {
        self = .from(Int64(first), through: nil)
      } else {
        guard let last = DecimalNumber.clamped(ends[1]), last >= first else { return nil }
        self = .from(Int64(first), through: Int64(last))
      }
    }
  }

  /// The bytes it selects from a body of that length, or nil if it selects none.
  package func bytes(of length: Int64) -> ClosedRange<Int64>? {
    switch self {
    case .from(let first, let last): return first < length ? first...min(last ?? .max, length - 1) : nil
    case .last(let count): return count > 0 && length > 0 ? max(0, length - min(count, length))...(length - 1) : nil
    }
  }
}
