import Synchronization

/// The result of claiming a part.
package enum PartClaim: Sendable {
  /// The part is ours to download into.
  case claimed(Part)
  /// The entry is ours to ask the origin about. A part is to be claimed if there is something to download.
  case lockedEntry(EntryLock)
  /// Another process has stored the image meanwhile.
  case published(CachedEntry)
  /// Another process is downloading it.
  case busy(BusyPart)
  /// There will be no entry, for this reason. The image can still be fetched.
  case unavailable(CacheWarning)
}
