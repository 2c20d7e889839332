/// A part, or the lock on an entry, that another process holds. Its claimant polls it, each time after
/// ``delay(randomness:)``. It keeps the file open, so that a poll takes four or five system calls.
package struct BusyPart: Sendable {
  private let claiming: PartClaiming
  /// The number of bytes that the file had just now.
  package let length: Int64

  init(_ claiming: PartClaiming, length: Int64) {
    self.claiming = claiming
    self.length = length
  }

  /// Tries again. If the holder has died or given up, the caller may succeed it. If a second holder has followed the
  /// first, it is not waited for: the claim is then for a private part.
  package func poll() -> PartClaim {
    var claiming = claiming
    return claiming.resume()
  }

  /// The time until the next poll: 10 to 50 ms, so that waiters are answered within about the time of a download, and a
  /// hundred of them do not poll at once. `randomness` is a number from 0 to 1.
  package static func delay(randomness: Double) -> Instant.Span {
    .milliseconds(10 + Int(40 * min(1, max(0, randomness))))
  }
}
