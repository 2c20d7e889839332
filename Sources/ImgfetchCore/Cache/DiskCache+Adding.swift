/// Why a file could not be put into the cache.
package enum AddingFailure: Error, Sendable {
  /// The file could not be read.
  case unreadable(SystemError)
  /// It is no image, or not a whole one.
  case refused(InspectionFailure)
  /// The caller's own look at the pixels found something.
  case damaged(FetchError)
  case cache(CacheFailure)
}

extension DiskCache {
  /// Puts a file of the user's own in under a key, as if it had come over the network now from `url`. Unless `verification`
  /// is ``Verification/none`` it is inspected on the way. The answer is the entry as it is listed.
  ///
  /// - Parameter decode: looks at every pixel; called under ``Verification/decode``.
  package func add(
    _ file: borrowing Descriptor, as key: CacheKey, from url: String? = nil, verification: Verification = .structure,
    limits: InspectionLimits = InspectionLimits(),
    decode: (ImageBody, ImageFacts) throws(FetchError) -> Void = { _, _ throws(FetchError) in }
  ) throws(AddingFailure) -> Listed {
    let part: Part
    // A part of its own: whoever downloads the same URL meanwhile is not waited for, and the later of the two stays.
    do { part = try openPrivatePart(key) } catch { throw .cache(error) }
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
    let facts: ImageFacts?
    do { facts = try inspector?.finish() } catch { throw .refused(error) }
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
