/// The result of claiming a part, or the lock on an entry.
package enum PartClaim: Sendable {
  /// The part is this claimant's to download into.
  case claimed(Part)
  /// The entry is this claimant's to ask the origin about. If there is something to download, a part has to be claimed.
  case lockedEntry(EntryLock)
  /// Another process has stored the image meanwhile.
  case published(CachedEntry)
  /// Another process is downloading it.
  case busy(BusyPart)
  /// There will be no entry, for this reason. The image can still be fetched.
  case unavailable(CacheWarning)
}
