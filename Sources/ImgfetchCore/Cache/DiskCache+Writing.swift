// Storing entries that are not downloads: rewritten ones, derived images and users' own files.
extension DiskCache {
  /// Updates an entry that its origin has confirmed (304), with the header fields of that answer.
  ///
  /// If they say nothing new about the image, only the file's time is set. Otherwise a new entry replaces the old one.
  /// Returns the entry as it is now, or nil if nothing could be written and the old one is unchanged.
  ///
  /// - Parameters:
  ///   - provenance: the current source of bytes and fields, or nil if it has not changed.
  ///   - isProvenanceNews: true if that alone requires a new entry.
  package func revalidated(
    _ entry: CachedEntry, _ answered: HeaderFields, provenance: Provenance? = nil, isProvenanceNews: Bool = false
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
    let now = clock.wallTime()
    // If the clock was set back, the last use is not moved back.
    let used = max(now, entry.lastUsed)
    guard let file = entry.file, (try? file.file.setTimes(accessed: used, modified: now)) != nil else { return nil }
    return entry.storedAgain(at: now)
  }

  /// Replaces an entry by one with the same body and other metadata. Returns the new entry, or nil if it could not be
  /// written. The body's hash is copied unchecked: a damaged body stays recognisable as damaged. An entry of a
  /// read-only cache is copied to this one, or every run would ask the origin about it again.
  package func rewritten(_ entry: CachedEntry, _ metadata: EntryMetadata) -> CachedEntry? {
    do { try write(entry.body, metadata) } catch {
      location.tell(location.explain(error).text)
      return nil
    }
    return lookup(entry.key)
  }

  /// Replaces an entry by one that has more facts about the same body, and is as old. If it cannot be written, the
  /// facts are computed again later.
  package func annotate(_ entry: CachedEntry, _ metadata: EntryMetadata) {
    // An entry that was stored meanwhile is newer, and may be another image.
    guard !entry.isReadOnly, !location.isTrial, entry.file != nil,
      lookup(entry.key)?.stamp == entry.stamp
    else { return }
    try? write(entry.body, metadata, times: (entry.stored, max(entry.stored, entry.lastUsed)))
  }

  /// Stores an image that was derived from another. A failure is reported once.
  package func keep(_ body: [UInt8], _ metadata: EntryMetadata) {
    keep(ImageBody(.bytes(body)), metadata, consequence: "what was made of images is not cached")
  }

  /// Stores an image that did not come through a part. A failure is reported once. The time of the entry is the current
  /// one.
  package func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    keep(body, metadata, consequence: "images are not cached")
  }

  /// Stores an image of the user's own. The time of the entry is the current one.
  package func store(_ body: ImageBody, _ metadata: EntryMetadata) throws(CacheFailure) {
    try write(body, metadata)
    removeFailureNote(of: metadata.key)
  }

  /// Stores an image that did not come through a part.
  ///
  /// - Parameter consequence: follows the reason in the sentence that reports a failure.
  private func keep(_ body: ImageBody, _ metadata: EntryMetadata, consequence: String) {
    if location.isTrial { return }
    do { try write(body, metadata) } catch { location.tell("\(location.explain(error).text); \(consequence)") }
  }

  /// Stores a body in a private part, so that no other process is waited for. Of two such stores, the later one wins. A
  /// hash that is known is stored unchecked.
  ///
  /// - Parameter times: the times at which it was stored and last used, or nil for now.
  func write(_ body: ImageBody, _ metadata: EntryMetadata, times: Part.Times? = nil) throws(CacheFailure) {
    let hash: ContentHash
    do { hash = try body.contentHash() } catch { throw .damaged }
    try openPrivate(metadata.key).publish(metadata, body, length: body.count, hash: hash, times: times)
  }

  /// Adds a user's own file under a key, as if it had just been downloaded from `url`. Unless `verification` is
  /// ``Verification/none``, the file is inspected. Returns the entry as it is listed.
  ///
  /// - Parameters:
  ///   - decode: checks every pixel; called under ``Verification/decode``.
  ///   - dispelsDoubt: returns true if a file has every pixel that only decoding can check.
  package func add(
    _ file: borrowing Descriptor, as key: CacheKey, from url: String? = nil, verification: Verification = .structure,
    limits: InspectionLimits = InspectionLimits(),
    decode: (ImageBody, ImageFacts) throws(FetchError) -> Void = { _, _ throws(FetchError) in },
    dispelsDoubt: (ImageBody, ImageFacts) -> Bool = { _, _ in false }
  ) throws(AddingFailure) -> Listed {
    let part: Part
    // In a private part, so that no download of the same URL is waited for. Whichever is stored later stays.
    do { part = try openPrivate(key) } catch { throw .cache(error) }
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
    let now = clock.wallTime()
    let metadata = EntryMetadata(
      key: key, finalURL: url ?? key.url, status: 200, fields: HeaderFields(), requestTime: now, responseTime: now,
      facts: facts, mime: facts?.format.mime ?? "application/octet-stream", verification: verification,
      provenance: Provenance(.ownFile, otherOrigins: []))
    do {
      let body = try part.publish(metadata, hash: hasher.value)
      removeFailureNote(of: key)
      return Listed(
        metadata: metadata, bytes: body.count, stored: now, lastUsed: now, path: "\(part.folder.path)/\(key.path)")
    } catch { throw .cache(error) }
  }
}
