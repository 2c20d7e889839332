extension EntryMetadata {
  /// Creates the metadata that is stored with a program's own image.
  init(ofOwn bytes: [UInt8], for request: FetchRequest, in pipeline: Pipeline) throws(FetchError) {
    let options = request.options
    var facts: ImageFacts?
    if options.verification > .none {
      var inspector = BodyInspector(
        limits: InspectionLimits(maxPixels: options.maximumPixels), formats: pipeline.configuration.ownFormats)
      do throws(InspectionFailure) {
        try inspector.feed(bytes.span)
        switch try inspector.verdict() {
        case .accepted(let found)?: facts = found
        case .doubtful(_, let failure)?: throw failure
        case nil: break
        }
      } catch { throw error.fetchError(of: request.url.display) }
      try inspector.own?.verify(ImageBody(.bytes(bytes)), options, about: request.url.display)
    }
    let now = pipeline.clock.wallTime()
    self.init(
      key: pipeline.identity.key(of: request), finalURL: request.url.displayWithScheme, status: 200,
      fields: HeaderFields(),
      requestTime: now, responseTime: now, facts: facts, mime: facts?.format.mime ?? "application/octet-stream",
      verification: facts == nil ? .none : .structure, provenance: Provenance(.ownFile, otherOrigins: []))
  }
}
