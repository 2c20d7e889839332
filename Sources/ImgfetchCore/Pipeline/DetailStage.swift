/// Works out details of images that requests ask for and no cache knows, and keeps them with the images.
struct DetailStage: Sendable {
  let configuration: PipelineConfiguration
  let memory: MemoryCache
  let disk: DiskCache?
  let workers: Workers
  let log: FlightLog

  /// What `known` lacks of the wanted details.
  static func missing(_ wanted: ImageDetailSet, _ known: ImageDetails?) -> ImageDetailSet {
    known.map(\.known).map(wanted.subtracting) ?? wanted
  }

  /// All wanted details of an image, with those that are known.
  func details(
    of body: ImageBody, _ facts: ImageFacts, _ known: ImageDetails?, _ options: FetchOptions
  ) throws(PixelFailure) -> ImageDetails? {
    let missing = Self.missing(options.details, known)
    if missing.isEmpty { return known }
    return try workers.engage { () throws(PixelFailure) in
      try DetailWork(missing).details(of: body, facts, configuration.pixelLimits(options)).completed(by: known)
    }
  }

  /// The details of an image that just came; nil where they cannot be had, which those who asked for it are told when it is delivered. So
  /// they are stored with it at once.
  func ofArrival(_ body: ImageBody, _ facts: ImageFacts?, _ options: FetchOptions) -> ImageDetails? {
    guard !options.details.isEmpty, let facts else { return nil }
    return try? details(of: body, facts, nil, options)
  }

  /// The details that a request wants of its answer. What was worked out only now is kept where the answer came from.
  func details(
    of answer: borrowing Answer, _ facts: ImageFacts, for request: FetchRequest
  ) throws(FetchError) -> ImageDetails? {
    let options = request.options
    let made: ImageDetails?
    do { made = try details(of: answer.body, facts, answer.details, options) } catch {
      throw error.fetchError(of: request.url.display)
    }
    guard let made, made !== answer.details, let entry = answer.entry, entry.metadata.facts != nil else { return made }
    let url = request.url.display
    log.emit { .explained(url: url, "its details were not stored with it, and were worked out") }
    var metadata = entry.metadata
    metadata.details = made
    if options.policy.storesInMemory, case .bytes = answer.body.content {
      memory.keep(answer.body, metadata, stored: entry.stored)
    }
    if options.policy.storesOnDisk { disk?.annotate(entry, metadata) }
    return made
  }
}
