/// The part or the lock that a flight has claimed for its answer. A reference, because it is passed on from stage to
/// stage.
final class Claim: Sendable {
  /// The part that receives the body, or nil if it does not go to the cache's disk.
  let part: Part?
  /// The lock on the stored entry, held in place of a part while the origin is asked about the entry.
  let lock: EntryLock?
  /// The bytes that an earlier run left in the part, ready for their rest.
  let beginning: BodyQueue?

  /// Creates a claim. By default it has neither.
  init(part: Part? = nil, lock: EntryLock? = nil, beginning: BodyQueue? = nil) {
    self.part = part
    self.lock = lock
    self.beginning = beginning
  }
}
