/// Computes the details of images that requests want and no cache has, and keeps them with the images.
struct DetailStage: Stage {
  let pipeline: Pipeline

  /// The wanted details that `known` lacks.
  static func missing(_ wanted: ImageDetailSet, _ known: ImageDetails?) -> ImageDetailSet {
    known.map(\.known).map(wanted.subtracting) ?? wanted
  }

  /// All wanted details of an image, with those that are known.
  func details(
    of body: ImageBody, _ facts: ImageFacts, _ known: ImageDetails?, _ options: FetchOptions, _ scope: PixelScope
  ) throws(PixelFailure) -> ImageDetails? {
    let missing = Self.missing(options.details, known)
    if missing.isEmpty { return known }
    return try workers.engage { () throws(PixelFailure) in
      try DetailWork(missing).details(of: body, facts, configuration.pixelLimits(options, scope)).completed(by: known)
    }
  }

  /// The details of an image that just came, so that they are stored with it. They are nil if they cannot be computed;
  /// the delivery then tells the waiters.
  func ofArrival(
    _ body: ImageBody, _ facts: ImageFacts?, _ options: FetchOptions, _ scope: @autoclosure () -> PixelScope
  ) -> ImageDetails? {
    guard !options.details.isEmpty, let facts else { return nil }
    return try? details(of: body, facts, nil, options, scope())
  }

  /// The same, together with the image that will be derived for the request, if doing both at once saves work.
  func ofArrival(
    _ body: ImageBody, _ facts: ImageFacts?, for request: FetchRequest, _ scope: @autoclosure () -> PixelScope
  ) -> (details: ImageDetails?, made: ReadyDerivation?) {
    let options = request.options
    guard !options.details.isEmpty, let facts else { return (nil, nil) }
    let scope = scope()
    if let derivation = request.derivation, request.sink != nil {
      let result = workers.engage {
        derivation.within(scope).result(
          of: InspectedImage(body: body, facts: facts), describing: options.details,
          maximumPixels: options.maximumPixels)
      }
      if let result { return (result.details, ReadyDerivation(signature: derivation.signature, image: result.made)) }
    }
    return (ofArrival(body, facts, options, scope), nil)
  }

  /// The details that a request wants of its answer. Newly computed ones are kept in the cache
  /// that the answer came from.
  func details(
    of answer: borrowing Answer, _ facts: ImageFacts, for request: FetchRequest, until deadline: Instant?
  ) throws(FetchError) -> ImageDetails? {
    let options = request.options
    let made: ImageDetails?
    let scope = PixelScope(url: answer.finalURL, deadline: deadline)
    do { made = try details(of: answer.body, facts, answer.details, options, scope) } catch {
      throw error.fetchError(of: request.url.display)
    }
    guard let made, made !== answer.details, let entry = answer.copy?.entry, entry.metadata.facts != nil else {
      return made
    }
    let url = request.url.display
    log.emit { .explained(url: url, "its details were not stored with it, and were worked out") }
    var metadata = entry.metadata
    metadata.details = made
    if options.policy.storesInMemory { memory.keep(answer.body, metadata, stored: entry.stored) }
    if options.policy.storesOnDisk { disk?.annotate(entry, metadata) }
    return made
  }
}
