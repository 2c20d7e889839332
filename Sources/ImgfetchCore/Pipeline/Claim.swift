import Synchronization

/// The place where a flight's answer will be kept.
struct Claim: Sendable {
  /// The part that receives the body, or nil if it does not go to the cache's disk.
  var part: Part?
  /// Held while the origin is asked about the stored entry, in place of a part.
  var lock: EntryLock?
  /// The bytes that an earlier run left in the part, ready for their rest.
  var beginning: BodyQueue?
}
