// The last stages, on a disk thread: taking the body in, storing it, and what to do when there is none.
extension Engine {
  /// Has somebody take what has come for a flight. Called on the network's thread.
  func receive(_ reception: Reception, _ departure: Departure, _ seeing: Workers.Seeing) {
    workers.add(seeing) { self.take(reception, departure) }
  }

  private func take(_ reception: Reception, _ departure: Departure) {
    while let items = reception.take() {
      for item in items {
        switch item {
        case .begin(let head, let isNotable): begin(reception, head, isNotable: isNotable, departure)
        case .resume(let head):
          let resumption = reception.resumption
          reception.head = head.completing(
            reception.head?.fields ?? resumption?.fields ?? HeaderFields(),
            reception.head?.provenance ?? resumption?.provenance ?? Provenance())
          reception.isJoined = true
        case .bytes(let piece), .lastBytes(let piece):
          defer { workers.letGo(piece.count) }
          do { try reception.taker?.take(piece) } catch { refuse(reception, departure, error) }
          if let taker = reception.taker, taker.count >= Self.notableLength { noteResumption(reception) }
        case .note: noteResumption(reception)
        case .end(.complete): complete(reception, departure)
        case .end(.brokenOff(let error)): breakOff(reception, departure, error)
        }
      }
    }
  }

  private func begin(
    _ reception: Reception, _ head: AnswerHead, isNotable: Bool, _ departure: Departure
  ) {
    reception.head = head
    reception.resumption = nil
    reception.isNotable = isNotable
    reception.isNoted = false
    reception.isJoined = false
    if reception.taker?.hasLostPart == true { reception.part = nil }
    var warning = claimLate(departure, reception)
    if let part = reception.part, part.length > 0 {
      do { try part.truncate() } catch {
        warning = Self.notCached(part, error)
        part.abandon(keepForResume: false)
        reception.part = nil
      }
    }
    reception.taker = makeTaker(reception.part, departure)
    if let warning { reception.taker?.warn(warning) }
  }

  private static func notCached(_ part: Part, _ error: CacheFailure) -> String {
    "\(part.cache.explain(error)); the image is not cached"
  }

  /// Has a part for the body that came instead of a 304. Whoever downloads the same by now began without asking, and is not waited
  /// for. The answer says why there is none.
  private func claimLate(_ departure: Departure, _ reception: Reception) -> String? {
    let hop = departure.hop
    guard departure.lock != nil, reception.taker == nil, reception.part == nil, let stored = hop.copy?.entry, let disk
    else { return nil }
    var claim = disk.claimPart(hop.place, after: .saw(stored.stamp))
    switch claim {
    case .claimed, .unavailable: break
    case .busy, .published, .entitled: claim = disk.claimPrivatePart(hop.place)
    }
    if case .claimed(let part) = claim { reception.part = part }
    if case .unavailable(let warning) = claim { return warning }
    return nil
  }

  private func breakOff(_ reception: Reception, _ departure: Departure, _ error: FetchError) {
    workers.letGo(reception.close())
    if departure.aside == nil { keep(reception, after: error) }
    failed(departure, error, hasReception: departure.aside == nil)
  }

  /// The body is no good: whoever waits is told at once, and the rest of it is not waited for.
  private func refuse(_ reception: Reception, _ departure: Departure, _ error: FetchError) {
    guard reception.taker != nil else { return }
    reception.taker = nil
    if reception.isJoined, error.isOfTheBody { return startOver(reception, departure, error) }
    reception.part?.abandon(keepForResume: false)
    reception.part = nil
    workers.letGo(reception.close())
    let refusal = error.answered(reception.head?.status)
    do { try conduct { $0.refuse(departure, because: refusal) } } catch {
      failed(departure, refusal, hasReception: false)
    }
  }

  private func complete(_ reception: Reception, _ departure: Departure) {
    guard let taker = reception.taker, let head = reception.head else { return }
    let flight = departure.flight
    let taken: BodyTaker.Taken
    do throws(FetchError) {
      taken = try taker.finish()
      try decode(taken, reception, flight)
    } catch { return refuse(reception, departure, error) }
    let (metadata, isKept) = entry(for: head, taken, departure)
    var warnings = departure.warnings + taker.warnings
    let body = store(taken, metadata, isKept: isKept, reception, &warnings)
    if flight.options.policy.storesInMemory, isKept, let bytes = bytesToKeep(of: body, flight) {
      memory.insert(
        metadata.key, metadata: metadata, body: bytes, hash: body.knownHash, stored: head.responseTime)
    }
    if flight.options.skipsFailedFor != nil { disk?.removeFailureNote(of: flight.urlKey) }
    var answer = Answer(cache: .none, metadata: metadata, body: body)
    answer.fields = .ready(head.fields)
    answer.warnings = warnings
    if !isKept { answer.place = nil }
    land(flight, answer, nil)
  }

  /// What this process's memory keeps of a body that has come; nil: nothing. Beside a disk, where a large body lies, the memory
  /// keeps what is at hand; where it is all that is kept, it takes the body out of the file that it came to.
  private func bytesToKeep(of body: ImageBody, _ flight: Flight) -> [UInt8]? {
    if case .bytes(let bytes) = body.content { return bytes }
    guard !flight.options.policy.storesOnDisk, body.count <= Int64(memory.largest) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(body.count))
    do throws(BodyReadFailure) {
      try body.read { piece in bytes.append(addingCapacity: piece.count) { $0.append(copying: piece) } }
    } catch { return nil }
    return bytes
  }

  /// What decoding for a flight may cost, and where it is done.
  func pixelLimits(_ flight: Flight) -> PixelLimits {
    PixelLimits(maxPixels: flight.options.maximumPixels, executor: configuration.pixelExecutor)
  }

  /// Decodes every pixel of what came, where that is asked for.
  private func decode(_ taken: BodyTaker.Taken, _ reception: Reception, _ flight: Flight) throws(FetchError) {
    guard flight.options.verification == .decode, let facts = taken.facts else { return }
    let isInPart = if case .part = taken.content { true } else { false }
    let body = isInPart ? reception.part?.body : nil
    do {
      try workers.engage { () throws(PixelFailure) in
        try PixelCheck.verify(body ?? self.body(of: taken), facts, pixelLimits(flight))
      }
    } catch { throw error.fetchError(of: flight.request.url.display) }
  }

  /// The entry that an answer makes, and whether it is kept. Under the policies that go by age that are answers which are the
  /// image itself.
  private func entry(
    for head: AnswerHead, _ taken: BodyTaker.Taken, _ departure: Departure
  ) -> (EntryMetadata, isKept: Bool) {
    let flight = departure.flight
    let verification = flight.options.verification
    if let request = departure.hop.rules.http?.request {
      let (metadata, obstacle) = departure.hop.entry(
        for: head, length: taken.count, facts: taken.facts, verification: verification, request)
      tell(obstacle, metadata, departure.hop)
      if obstacle != nil { dropSuperseded(by: head.status, departure.hop) }
      return (metadata, obstacle == nil)
    }
    let metadata = EntryMetadata(
      key: flight.key, finalURL: head.url.displayWithScheme, status: head.status, fields: head.fields,
      varyFields: selectingFields(of: flight, for: head),
      requestTime: head.requestTime, responseTime: head.responseTime, facts: taken.facts,
      mime: EntryMetadata.mime(taken.facts, head.fields), verification: verification, provenance: head.provenance)
    let isKept = head.status == 200 || head.status == 203
    if flight.options.policy.storesInMemory || flight.options.policy.storesOnDisk {
      explain(flight) { isKept ? "stored" : "not stored: status \(head.status) is not the image itself" }
    }
    return (metadata, isKept)
  }

  private func store(
    _ taken: BodyTaker.Taken, _ metadata: EntryMetadata, isKept: Bool, _ reception: Reception,
    _ warnings: inout [String]
  ) -> ImageBody {
    let isInPart = if case .part = taken.content { true } else { false }
    guard let part = reception.part, reception.taker?.hasLostPart != true else { return body(of: taken) }
    defer { reception.part = nil }
    guard isKept || isInPart else {
      part.abandon(keepForResume: false)
      return body(of: taken)
    }
    do {
      switch taken.content {
      case .memory(let bytes):
        let hash = ContentHash(of: bytes.span)
        try part.publish(metadata, body: bytes, hash: hash)
        return ImageBody(.bytes(bytes), hash: hash)
      case .part(let hash):
        if isKept { return try part.publish(metadata, hash: hash) }
        defer { part.abandon(keepForResume: false) }
        return part.body(hash: hash)
      case .file:
        part.abandon(keepForResume: false)
        return body(of: taken)
      }
    } catch {
      warnings.append(Self.notCached(part, error))
      defer { part.abandon(keepForResume: false) }
      if case .part(let hash) = taken.content { return part.body(hash: hash) }
      return body(of: taken)
    }
  }

  private func body(of taken: BodyTaker.Taken) -> ImageBody {
    switch taken.content {
    case .memory(let bytes): ImageBody(.bytes(bytes))
    // A file without a name, which no other process can reach.
    case .file(let file, let hash):
      ImageBody(.file(.init(descriptor: file, length: taken.count, expectedHash: nil)), hash: hash)
    case .part: ImageBody(.bytes([]))
    }
  }
}
