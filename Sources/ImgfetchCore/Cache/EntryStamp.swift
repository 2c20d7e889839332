/// Identifies the state of an entry: another file, or another time of the same file, is a later state. In memory, where
/// there is no file, the identity is zero.
package struct EntryStamp: Hashable, Sendable {
  package let identity: FileStatus.Identity
  package let stored: WallTime
}
