/// What came of asking for a part.
package enum PartClaim: Sendable {
  /// It is ours to download into.
  case claimed(Part)
  /// It is ours to ask the origin about the entry; a part is to be claimed when there is something to download.
  case entitled(EntryLock)
  /// Meanwhile somebody else stored the image.
  case published(CachedEntry)
  /// Somebody else is downloading it.
  case busy(BusyPart)
  /// There will be no entry, and this is why; the image can be had without.
  case unavailable(String)
}

/// What the asker knew of the entry when it began to ask; an entry that is stored later answers it.
package enum FirstLook: Sendable {
  /// It looked, and there was nothing that it could believe.
  case missed
  /// It looked, and what it found was not good enough.
  case saw(EntryStamp)
  /// It did not look, or cannot say whether it saw all that is there. This is when it began to ask.
  case skipped(WallTime)

  /// How far the times of files may be behind the clock: they are those of the kernel's last tick.
  static let lag = Instant.Span.milliseconds(10)

  /// Whether an entry was stored after that.
  func isAnswered(by entry: CachedEntry) -> Bool {
    switch self {
    case .missed: true
    case .saw(let stamp): entry.stamp != stamp
    case .skipped(let began): entry.stored > began
    }
  }
}

/// A part, or an entry's lock, that somebody else holds: to be asked for again after ``delay(randomness:)``. It keeps the file
/// open, so that each asking costs four calls, or five.
package struct BusyPart: Sendable {
  private let claiming: PartClaiming
  /// How many bytes that file had just now.
  package let length: Int64

  init(_ claiming: PartClaiming, length: Int64) {
    self.claiming = claiming
    self.length = length
  }

  /// Looks again. A holder that has died, or has given up, is taken over from; one that a second holder has followed is
  /// not waited for again: the part is then a private one.
  package func poll() -> PartClaim {
    var claiming = claiming
    return claiming.resume()
  }

  /// How long to wait before the next look: 10 to 50 ms, so that a picture's waiters are answered within the time of
  /// its download, and a hundred of them do not look at once. `randomness` is anything from 0 to 1.
  package static func delay(randomness: Double) -> Instant.Span {
    .milliseconds(10 + Int(40 * min(1, max(0, randomness))))
  }
}
