import Glibc

extension Array<UInt8> {
  /// Whether these are the same bytes. `==` compares one at a time, which was a sixth of what a hit cost whose output is there.
  package func isSame(as other: [UInt8]) -> Bool { span.isSame(as: other.span) }
}

extension Span where Element == UInt8 {
  /// The same of bytes that lie anywhere.
  package func isSame(as other: borrowing Span<UInt8>) -> Bool {
    guard count == other.count else { return false }
    // Proof: both pointers lead to `count` bytes within the closures; of none there is nothing to compare.
    return unsafe withUnsafeBytes { mine in
      unsafe other.withUnsafeBytes { theirs in
        guard let left = mine.baseAddress, let right = theirs.baseAddress else { return true }
        return unsafe memcmp(left, right, mine.count) == 0
      }
    }
  }
}
