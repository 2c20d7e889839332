/// The order of the bytes of a number.
enum ByteOrder: Sendable {
  case big, little

  /// A number in this order, in so many bytes.
  func bytes(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (self == .big ? count - 1 - $0 : $0))) }
  }

  /// The number in at most eight bytes. One beyond what an Int64 holds becomes its largest.
  func number(_ bytes: some BidirectionalCollection<UInt8>) -> Int {
    func sum(_ bytes: some Sequence<UInt8>) -> Int { Int(clamping: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }) }
    return self == .big ? sum(bytes) : sum(bytes.reversed())
  }
}
