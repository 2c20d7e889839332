/// The state of the entry when a claimant looked it up. An entry that was stored later answers the claimant.
package enum EarlierLookup: Sendable {
  /// The claimant looked and found nothing that it could trust.
  case missed
  /// The claimant looked and found an entry that was not good enough.
  case saw(EntryStamp)
  /// The claimant did not look, or may not have seen everything. The time is that of its start.
  case skipped(WallTime)

  /// The time before a look-up within which an entry may have been written that got its name only after the look-up.
  ///
  /// A file's time is that of its last write, and its holder renames it later. With 10 ms, which covers the kernel's
  /// tick, a process downloaded an image a second time if the holder that it waited for was interrupted in between.
  private static let lag = Instant.Span.seconds(2)

  /// The claimant looked at this time and found nothing, but may not have seen everything: an old entry that could not
  /// be read for a moment is not taken for a new one.
  package static func missed(at time: WallTime) -> EarlierLookup { .skipped(time.earlier(lag)) }

  func isAnswered(by entry: CachedEntry) -> Bool {
    // A mark by another process, which found the image gone, is not an answer: failures are not shared. Neither is an
    // entry whose successor could not be written.
    if entry.metadata.gone != nil || entry.isExpired { return false }
    return switch self {
    case .missed: true
    case .saw(let stamp): entry.stamp != stamp
    case .skipped(let began): entry.stored > began
    }
  }
}
