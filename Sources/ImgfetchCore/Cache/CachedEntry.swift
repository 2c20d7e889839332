/// An entry that was found: checked as far as its metadata, and (if it is small) its body too.
///
/// It holds on to the file that was read, so it stays what it is whatever happens to its name meanwhile.
package struct CachedEntry: Sendable {
  package let metadata: EntryMetadata
  /// When it was stored, or last called right by its origin.
  package let stored: WallTime
  /// When an answer was last made of it.
  package let lastUsed: WallTime
  /// The image. A large one is checked while it is read: who reads it must throw away what it made if that fails.
  package let body: ImageBody
  package let stamp: EntryStamp
  /// It lies in a tier that is never written to.
  package let isReadOnly: Bool
  let bodyHash: ContentHash
  let file: SharedDescriptor

  package var key: CacheKey { metadata.key }

  /// Seconds since it was stored; nil if its time lies so far ahead that nothing can be said, and it counts as expired.
  package func age(now: WallTime) -> Double? { Self.age(of: stored, now: now) }

  /// The same entry with its new times.
  func storedAgain(at time: WallTime) -> CachedEntry {
    CachedEntry(
      metadata: metadata, stored: time, lastUsed: time, body: body,
      stamp: EntryStamp(identity: stamp.identity, stored: time), isReadOnly: isReadOnly, bodyHash: bodyHash, file: file)
  }

  /// The same entry with what has turned out about the way of its bytes.
  func having(_ provenance: Provenance) -> CachedEntry {
    var metadata = metadata
    metadata.provenance = provenance
    return CachedEntry(
      metadata: metadata, stored: stored, lastUsed: lastUsed, body: body, stamp: stamp, isReadOnly: isReadOnly,
      bodyHash: bodyHash, file: file)
  }

  /// A clock that is a little off, or a file server's, is forgiven; one that is a day ahead is wrong.
  static func age(of stored: WallTime, now: WallTime) -> Double? {
    let (nanoseconds, over) = now.nanoseconds.subtractingReportingOverflow(stored.nanoseconds)
    let seconds = Double(nanoseconds) / 1e9
    if over || seconds < -86_400 { return nil }
    return max(0, seconds)
  }
}

/// Which state of an entry somebody has seen: another file, or another time of the same file, is a later one.
package struct EntryStamp: Hashable, Sendable {
  package let identity: FileStatus.Identity
  package let stored: WallTime
}
