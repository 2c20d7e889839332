extension DiskCache {
  /// The origin has said (304) that an entry is still right: it counts as stored now, with the fields that came.
  ///
  /// Where only fields changed that say nothing of the image, the file's time is all that is set. Else a new entry takes
  /// the old one's place. The answer is the entry as it is now; nil if nothing could be changed, and the old one is what
  /// there is.
  ///
  /// - Parameters:
  ///   - provenance: which way the bytes and the fields have come by now; nil: as before.
  ///   - isProvenanceNews: whether that is worth a new entry by itself.
  package func revalidated(
    _ entry: CachedEntry, _ answered: HeaderFields, provenance: Provenance? = nil, isProvenanceNews: Bool = false
  ) -> CachedEntry? {
    var fields = entry.metadata.fields
    let isAsItWas = !isProvenanceNews && !entry.isReadOnly && fields.isKept(by: answered)
    if !isAsItWas, fields.update(from: answered) || entry.isReadOnly || isProvenanceNews {
      var metadata = entry.metadata
      metadata.fields = fields
      if let provenance { metadata.provenance = provenance }
      return rewritten(entry, metadata)
    }
    let now = clock.wallTime()
    // A use is not moved back by a clock that was.
    let used = max(now, entry.lastUsed)
    guard (try? entry.file.file.setTimes(accessed: used, modified: now)) != nil else { return nil }
    return entry.storedAgain(at: now)
  }

  /// The same body with other metadata, in the entry's place; nil if it could not be written. The hash goes with the body
  /// unlooked at: if that is damaged, it stays so. What lies in a tier that is only read is copied up, or every run would
  /// ask the origin about it again.
  package func rewritten(_ entry: CachedEntry, _ metadata: EntryMetadata) -> CachedEntry? {
    do throws(CacheFailure) {
      let part = try openPrivatePart(entry.key)
      switch entry.body.content {
      case .bytes(let bytes): try part.publish(metadata, body: bytes, hash: entry.bodyHash)
      case .file(let stored):
        try part.copy(stored.descriptor, count: stored.length)
        _ = try part.publish(metadata, hash: entry.bodyHash)
      }
    } catch {
      tell(explain(error))
      return nil
    }
    return lookup(entry.key)
  }
}
