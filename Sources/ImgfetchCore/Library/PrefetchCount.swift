/// The progress of a list of prefetched images.
public struct PrefetchCount: Sendable, Hashable {
  /// Requests that are done, the skipped ones among them.
  public var finished = 0
  /// The requests among them that have no image: failed, or cancelled.
  public var skipped = 0

  /// Creates a count, by default of nothing.
  public init(finished: Int = 0, skipped: Int = 0) {
    self.finished = finished
    self.skipped = skipped
  }
}
