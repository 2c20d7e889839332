/// Stores entries that are not downloads: rewritten ones, derived images and users' own files.
struct EntryWriter: Sendable {
  let entries: EntryStore
  let parts: PartStore
  private var location: CacheLocation { entries.location }

  func revalidated(
    _ entry: CachedEntry, _ answered: HeaderFields, provenance: Provenance?, isProvenanceNews: Bool
  ) -> CachedEntry? {
    var fields = entry.metadata.fields
    // Removing a mark is a change, and so is another span, although its dates change with nearly every answer.
    let isNews =
      isProvenanceNews || entry.isReadOnly || entry.metadata.gone != nil
      || fields.changesSpan(by: answered, received: entry.metadata.responseTime)
    let isAsItWas = !isNews && fields.isKept(by: answered)
    if !isAsItWas, fields.update(from: answered) || isNews {
      var metadata = entry.metadata
      metadata.fields = fields
      metadata.gone = nil
      if let provenance { metadata.provenance = provenance }
      return rewritten(entry, metadata)
    }
    let now = entries.clock.wallTime()
    // If the clock was set back, the last use is not moved back.
    let used = max(now, entry.lastUsed)
    guard let file = entry.file, (try? file.file.setTimes(accessed: used, modified: now)) != nil else { return nil }
    return entry.storedAgain(at: now)
  }

  func rewritten(_ entry: CachedEntry, _ metadata: EntryMetadata) -> CachedEntry? {
    do { try store(entry.body, metadata) } catch {
      location.tell(location.explain(error).text)
      return nil
    }
    return entries.lookup(entry.key)
  }

  func annotate(_ entry: CachedEntry, _ metadata: EntryMetadata) {
    // An entry that was stored meanwhile is newer, and may be another image.
    guard !entry.isReadOnly, !location.isTrial, entry.file != nil,
      entries.lookup(entry.key)?.stamp == entry.stamp
    else { return }
    try? store(entry.body, metadata, times: (entry.stored, max(entry.stored, entry.lastUsed)))
  }

  /// See ``DiskCache/keep(_:_:)`` and ``CacheTier/keep(_:_:stored:)``.
  ///
  /// - Parameter consequence: follows the reason in the sentence that reports a failure.
  func keep(_ body: ImageBody, _ metadata: EntryMetadata, consequence: String) {
    if location.isTrial { return }
    do { try store(body, metadata) } catch { location.tell("\(location.explain(error).text); \(consequence)") }
  }

  /// Stores a body in a private part, so that no other process is waited for. Of two such stores, the later one wins. A
  /// hash that is known is stored unchecked.
  ///
  /// - Parameter times: the times at which it was stored and last used, or nil for now.
  func store(
    _ body: ImageBody, _ metadata: EntryMetadata, times: Part.Times? = nil
  ) throws(CacheFailure) {
    let hash: ContentHash
    do { hash = try body.contentHash() } catch { throw .damaged }
    let part = try parts.openPrivate(metadata.key)
    switch body.content {
    case .bytes(let bytes): try part.publish(metadata, body: bytes, hash: hash, times: times)
    case .file(let stored):
      try part.copy(stored, count: stored.length)
      _ = try part.publish(metadata, hash: hash, times: times)
    }
  }

  func add(
    _ file: borrowing Descriptor, as key: CacheKey, from url: String?, verification: Verification,
    limits: InspectionLimits, decode: (ImageBody, ImageFacts) throws(FetchError) -> Void,
    dispelsDoubt: (ImageBody, ImageFacts) -> Bool
  ) throws(AddingFailure) -> DiskCache.Listed {
    let part: Part
    // In a private part, so that no download of the same URL is waited for. Whichever is stored later stays.
    do { part = try parts.openPrivate(key) } catch { throw .cache(error) }
    var inspector = verification > .none ? Inspector(limits: limits) : nil
    var hasher = ContentHasher()
    var piece: [UInt8] = []
    while true {
      piece.removeAll(keepingCapacity: true)
      do {
        if try file.read(into: &piece, count: 128 << 10) == 0 { break }
      } catch { throw .unreadable(error) }
      hasher.update(piece.span)
      do { try inspector?.feed(piece.span) } catch { throw .refused(error) }
      do { try part.write(piece.span) } catch { throw .cache(error) }
    }
    var facts: ImageFacts?
    do throws(InspectionFailure) {
      switch try inspector?.verdict() {
      case .accepted(let found)?: facts = found
      case .doubtful(let found, let failure)?:
        guard dispelsDoubt(part.body, found) else { throw failure }
        facts = found
      case nil: break
      }
    } catch { throw .refused(error) }
    if verification == .decode, let facts {
      do { try decode(part.body, facts) } catch { throw .damaged(error) }
    }
    let now = entries.clock.wallTime()
    let metadata = EntryMetadata(
      key: key, finalURL: url ?? key.url, status: 200, fields: HeaderFields(), requestTime: now, responseTime: now,
      facts: facts, mime: facts?.format.mime ?? "application/octet-stream", verification: verification,
      provenance: Provenance(.ownFile, otherOrigins: []))
    do {
      let body = try part.publish(metadata, hash: hasher.value)
      return DiskCache.Listed(
        metadata: metadata, bytes: body.count, stored: now, lastUsed: now, path: "\(part.folder.path)/\(key.path)")
    } catch { throw .cache(error) }
  }
}
