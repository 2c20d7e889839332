/// Derives the images that requests want, such as thumbnails. It looks in memory and on disk before an image is
/// decoded, and makes each result once.
struct DerivationStage: Stage {
  let pipeline: Pipeline

  /// Applies `derivation` to an answer. The result is the image itself if it need not be changed. An image in one of
  /// the program's own formats is converted to PNG.
  func derive(
    _ answer: borrowing Answer, for request: FetchRequest, by wanted: any Derivation, until deadline: Instant?
  ) throws(FetchError) -> DerivedImage {
    let derivation = wanted.within(PixelScope(url: answer.finalURL, deadline: deadline))
    let (url, pixels, body) = (request.url.display, request.options.maximumPixels, answer.body)
    switch try nature(of: answer, for: request) {
    case .image(let facts):
      let image = InspectedImage(body: body, facts: facts)
      guard try derivation.applies(to: facts, maximumPixels: pixels, url) else {
        return DerivedImage(image: image, source: nil)
      }
      let ready = answer.made?.signature == derivation.signature ? answer.made?.image : nil
      let made = try findOrMake(answer, for: request, by: derivation) { () throws(FetchError) in
        if let ready { return ready }
        if let standing = standing(of: image, for: request, by: derivation) { return standing }
        return try derivation.result(of: image, maximumPixels: pixels, url)
      }
      return DerivedImage(
        image: made, source: made.body === body ? nil : SourceImage(facts: facts, bytes: body.count))
    case .own(let format):
      // A stored result is looked for first: to see whether there is something to do, the pixels have to be decoded.
      let made = try findOrMake(answer, for: request, by: derivation) { () throws(FetchError) in
        let png = ImageBody(.bytes(try format.asPNG(body, maximumPixels: pixels, about: url)))
        let image = InspectedImage(body: png, facts: try inspect(png, for: request))
        guard try derivation.applies(to: image.facts, maximumPixels: pixels, url) else { return image }
        return try derivation.result(of: image, maximumPixels: pixels, url)
      }
      return DerivedImage(image: made, source: nil)
    }
  }

  /// The output of an earlier run whose mark says that it was made of these bytes by this derivation, and that was not
  /// changed since.
  private func standing(
    of image: InspectedImage, for request: FetchRequest, by derivation: any Derivation
  ) -> InspectedImage? {
    guard let sink = request.sink as? any StandingSink, let source = image.body.knownHash,
      let expected = derivation.expected(of: image.facts, maximumPixels: request.options.maximumPixels),
      let body = sink.standing(
        OutputOrigin(source: source, signature: derivation.signature), expected, for: request),
      let facts = try? inspect(body, for: request)
    else { return nil }
    log.emit { .explained(url: request.url.display, "what is to be made of it stands in its file") }
    return InspectedImage(body: body, facts: facts)
  }

  private func findOrMake(
    _ answer: borrowing Answer, for request: FetchRequest, by derivation: any Derivation,
    _ make: () throws(FetchError) -> InspectedImage
  ) throws(FetchError) -> InspectedImage {
    guard let entryKey = answer.entryKey else { return try make() }
    let origin = try hash(of: answer, request.url.display)
    let key = entryKey.derived(by: derivation.signature)
    return try pipeline.derivations.withLock(on: key) { () throws(FetchError) in
      if let found = find(key, madeOf: origin, for: request) { return found }
      let made = try make()
      keep(made, key, madeOf: origin, answer, for: request)
      return made
    }
  }

  /// The stored result of this derivation for the same bytes. Results that this run made are used from memory whatever
  /// the policy: they are no older than the answer.
  private func find(_ key: CacheKey, madeOf origin: ContentHash, for request: FetchRequest) -> InspectedImage? {
    if let kept = memory.lookup(key), kept.metadata.origin == origin, let facts = kept.metadata.facts,
      ProvenanceRule.verdict(on: kept.metadata.provenance, to: kept.metadata.finalURL, request.shared) == .allowed
    {
      return InspectedImage(body: kept.image, facts: facts)
    }
    guard request.options.cachesDerived, request.options.policy.readsDisk,
      let entry = disk?.lookup(key, madeOf: origin), let facts = entry.metadata.facts,
      ProvenanceRule.verdict(on: entry.metadata.provenance, to: entry.metadata.finalURL, request.shared) == .allowed
    else { return nil }
    log.emit { .explained(url: request.url.display, "what is to be made of it is on disk") }
    return InspectedImage(body: entry.body, facts: facts)
  }

  private func keep(
    _ made: InspectedImage, _ key: CacheKey, madeOf origin: ContentHash, _ answer: borrowing Answer,
    for request: FetchRequest
  ) {
    // An image in which there was nothing to change is in the caches already.
    guard made.body !== answer.body, case .bytes(let bytes) = made.body.content else { return }
    let now = clock.wallTime()
    // Status and fields are those of the answer, which is available whenever this is used.
    let metadata = EntryMetadata(
      key: key, finalURL: answer.finalURL, status: answer.status, fields: HeaderFields(), requestTime: now,
      responseTime: now, facts: made.facts, mime: made.facts.format.mime, verification: .structure, origin: origin,
      provenance: answer.provenance)
    // With the caches off, later requests get an answer of their own, and derive their own image.
    if request.options.policy != .off { memory.insert(bytes, metadata, stored: now) }
    if request.options.cachesDerived, request.options.policy.storesOnDisk { disk?.keep(bytes, metadata) }
  }

  private func hash(of answer: borrowing Answer, _ url: String) throws(FetchError) -> ContentHash {
    do { return try answer.body.contentHash() } catch {
      throw FetchError(.damaged, url, "its stored bytes cannot be read", isTransient: true)
    }
  }

  private enum Nature {
    case image(ImageFacts)
    case own(any OwnFormat)
  }

  private func nature(of answer: borrowing Answer, for request: FetchRequest) throws(FetchError) -> Nature {
    if let facts = answer.facts { return .image(facts) }
    if !configuration.ownFormats.isEmpty {
      let beginning = answer.body.bytes(from: 0, atMost: BodyInspector.beginning)
      if let own = configuration.ownFormats.first(where: { $0.recognises(beginning) }) { return .own(own) }
    }
    return .image(try inspect(answer.body, for: request))
  }

  /// Inspects a body that was not verified yet: only an image can be derived from.
  func inspect(_ body: ImageBody, for request: FetchRequest) throws(FetchError) -> ImageFacts {
    let url = request.url.display
    var inspector = Inspector(limits: InspectionLimits(maxPixels: request.options.maximumPixels))
    // The inspector keeps a failure, and returns it at the end.
    do { try body.read { piece in _ = try? inspector.feed(piece) } } catch {
      throw FetchError(.damaged, url, "its stored bytes cannot be read", isTransient: true)
    }
    do { return try inspector.finish() } catch { throw error.fetchError(of: url) }
  }
}

/// The image made of an answer for a request.
struct DerivedImage {
  let image: InspectedImage
  /// The source, or nil if the image is the answer itself, or is the answer converted from a format of the program's
  /// own.
  let source: SourceImage?
}

/// A lock for each key. Threads that work for one key follow one another, so that the second finds the first one's
/// result.
final class KeyedLock: Sendable {
  private let busy = Guarded<Set<CacheKey>>([])

  /// Calls `body` while no other thread works for this key. It must not lock another key.
  func withLock<Value, Failure: Error>(
    on key: CacheKey, _ body: () throws(Failure) -> Value
  ) throws(Failure) -> Value {
    _ = busy.wait { $0.insert(key).inserted ? true : nil }
    defer {
      busy.withLock { _ = $0.remove(key) }
      busy.broadcast()
    }
    return try body()
  }
}
