/// Takes an entry of the remote cache into the disk cache, after it was checked like a download.
struct RemoteStage: Stage {
  let pipeline: Pipeline
  let remote: RemoteCache

  /// The new part for the remote cache's entry. Returns nil if the remote cache is not asked: there is no such part, or
  /// there is a stored copy that the origin is asked about.
  func part(in claim: Claim, for flight: Flight) -> Part? {
    guard remote.isRead, let part = claim.part, claim.beginning == nil, part.length == 0, flight.hop.copy == nil,
      RemoteRule.isHeld(flight.hop.entryKey)
    else { return nil }
    return part
  }

  /// The request for a flight's entry, or nil if its URL cannot be made.
  func request(for flight: Flight, into object: RemoteObject) -> FetchRequest? {
    guard let url = remote.objectURL(of: flight.hop.entryKey) else { return nil }
    var options = FetchOptions()
    options.policy = .off
    options.verification = .none
    options.acceptedStatuses = StatusSet(bounds: [200, 200])
    options.maximumRedirects = 0
    // Metadata and footer follow the body.
    let maximum = flight.options.maximumBytes.addingReportingOverflow(2 << 20)
    options.maximumBytes = maximum.overflow ? .max : maximum.partialValue
    let entry = RequestPurpose.Entry(
      connect: remote.settings.connectTimeout.inSeconds, answer: remote.settings.timeout.inSeconds,
      onward: flight.hop.url.origin)
    var request = FetchRequest(url, options: options, for: .entry(entry), sink: object)
    request.priority = flight.request.priority
    return request
  }

  /// Keeps the received entry in the flight's part. If that is not possible, the flight continues with what is left of
  /// its claim.
  func takeIn(_ object: RemoteObject, _ flight: Flight, into part: Part) -> Flight.Event {
    let body: ImageBody
    let entry: TransferredEntry
    do throws(TransferredEntry.Problem) {
      guard let received = object.body else { throw .wrong }
      body = received
      entry = try TransferredEntry(body, key: flight.hop.entryKey)
    } catch {
      remote.noteReading(error == .newer ? .newer : .wrong)
      let reason = error == .newer ? "of a newer version" : "no entry of this key"
      log.explain(flight) { "what the remote cache has is \(reason): not used" }
      return .claimed(Claim(part: part))
    }
    var metadata = entry.metadata
    let age = CachedEntry.age(of: metadata.responseTime, now: clock.wallTime())
    let isAnswer = (200..<300).contains(metadata.status) && metadata.status != 206 && age != nil
    switch isAnswer ? inspect(body, entry, &metadata, flight.options) : .wrong {
    case .right: remote.noteReading(.present)
    case .tooLarge:
      remote.noteReading(.present)
      log.explain(flight) { "what the remote cache has is larger than this run's limits allow: not used" }
      return .claimed(Claim(part: part))
    case .wrong:
      remote.noteReading(.wrong)
      log.explain(flight) { "what the remote cache has is damaged: not used" }
      return .claimed(Claim(part: part))
    }
    forgetWay(of: &metadata, flight)
    do throws(CacheFailure) {
      let now = clock.wallTime()
      try part.publish(
        metadata, body, length: entry.bodyLength, hash: entry.bodyHash,
        times: (stored: min(metadata.responseTime, now), used: now))
    } catch {
      flight.hop.warnings.append(part.notCached(because: error))
      return .claimed(Claim())
    }
    return .keptFromRemote
  }

  /// Forgets where the image came from, if that is none of the places that the user gave: where redirects led is the
  /// store's word. Then nothing tells which URL gave the validators, and another may have them for another image.
  private func forgetWay(of metadata: inout EntryMetadata, _ flight: Flight) {
    let source = (try? WebURL(metadata.finalURL))?.canonical
    if ([flight.hop.url] + flight.request.mirrors).contains(where: { $0.canonical == source }) { return }
    metadata.finalURL = flight.hop.url.displayWithScheme
    metadata.fields.remove(allOf: ["etag", "last-modified"])
  }

  private enum Finding {
    case right
    /// The image has more pixels than this run allows, which is not the store's fault.
    case tooLarge
    case wrong
  }

  /// Inspects the whole entry. The store is trusted about body, fields, times and key, and not about the images that
  /// this one has replaced: a user's file with such bytes would be replaced, too. The facts about the image are read
  /// from its own bytes. An image in one of the program's own formats is verified when it is served, and so is one
  /// of which only decoding shows whether it is whole.
  private func inspect(
    _ object: ImageBody, _ entry: TransferredEntry, _ metadata: inout EntryMetadata, _ options: FetchOptions
  ) -> Finding {
    metadata.facts = nil
    metadata.verification = .none
    metadata.details = nil
    metadata.provenance = Provenance()
    metadata.gone = nil
    metadata.earlierBodies = EarlierBodies()
    guard options.verification > .none else { return entry.readBody(of: object) { _ in } ? .right : .wrong }
    var inspector = BodyInspector(
      limits: InspectionLimits(maxPixels: options.maximumPixels), formats: configuration.ownFormats)
    // The inspector keeps a failure, and returns it at the end.
    guard entry.readBody(of: object, { piece in _ = try? inspector.feed(piece) }) else { return .wrong }
    do throws(InspectionFailure) {
      switch try inspector.verdict() {
      case nil: return .right
      case .accepted(let facts):
        metadata.facts = facts
        metadata.verification = .structure
      case .doubtful(let facts, _): metadata.facts = facts
      }
    } catch {
      if case .tooManyPixels = error { return .tooLarge }
      return .wrong
    }
    if let format = metadata.facts?.format { metadata.mime = format.mime }
    return .right
  }
}

/// Receives the bytes of an object of the remote cache.
final class RemoteObject: ImageSink {
  private let taken = Guarded<ImageBody?>(nil)

  var body: ImageBody? { taken.withLock { $0 } }

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    taken.withLock { $0 = image.body }
    return Delivery(output: nil, isNew: true)
  }
}
