/// Identifies the state of an entry: another file, or another time of the same file, is a later state. In memory, where
/// there is no file, the identity is zero.
package struct EntryStamp: Hashable, Sendable {
  package let identity: FileStatus.Identity
  package let stored: WallTime

  /// The modification time of an entry that is not served before its origin is asked: one that is marked as gone, or
  /// whose successor could not be written. Programs that do not know the mark ask, too.
  static let expired = WallTime(nanoseconds: 0)
}
