/// Keeps whole answers in the caches, as far as the rules of caching allow.
struct StoreStage: Stage {
  let pipeline: Pipeline

  /// Stores a whole body. Returns its answer.
  func run(
    _ written: BodyWriter.Written, _ head: AnswerHead, _ body: BodyQueue, _ flight: Flight
  ) -> CompleteAnswer {
    var (metadata, obstacle) = entry(for: head, written, body, flight)
    if obstacle == nil, let mayStore = log.hooks.mayStore, flight.purpose.concernsProgram,
      !mayStore(flight.request, written.facts, head.fields)
    {
      obstacle = "the program declines it"
      dropSuperseded(by: head.status, flight.hop)
    }
    // Without that, the entry of a slow body would seem to have been confirmed when its last byte came.
    let now = clock.wallTime()
    if now.since(metadata.responseTime).seconds > 1 { metadata.received = now }
    let isKept = obstacle == nil
    var made: ReadyDerivation?
    if !flight.options.details.isEmpty {
      (metadata.details, made) = pipeline.details.ofArrival(
        image(of: written, body), written.facts, for: flight.request, configuration.pixelScope(of: flight))
    }
    var warnings = flight.hop.warnings + (body.writer?.warnings ?? [])
    let earlier = isKept ? noteEarlier(written, in: &metadata, body, flight) : nil
    let replacement = replacement(of: written, &metadata, isKept: isKept, body, flight, &warnings)
    let entryBody = replacement ?? entryBody(written, body)
    let image: ImageBody
    var isOnDisk = disk != nil
    if let replacement {
      image = replacement
    } else {
      (image, isOnDisk) = publish(written, metadata, isKept: isKept, body, &warnings)
    }
    if !isOnDisk, case .other(let entry) = earlier { outdate(entry, by: head, flight) }
    explain(obstacle, metadata, isOnDisk: isOnDisk, flight)
    if flight.options.policy.storesInMemory, isKept {
      // The user may have the sink's file, and may have changed it, by the time that its bytes are wanted again.
      memory.keep(
        entryBody ?? image, written.own == nil ? metadata : metadata.verified(flight.options.verification),
        stored: head.responseTime)
    }
    if flight.options.policy.storesOnDisk, isKept {
      pipeline.care.note(image.count)
      for tier in configuration.ownTiers { tier.keep(image, metadata, stored: head.responseTime) }
    }
    failures.forget(flight)
    var answer = Answer(cache: .network, metadata: metadata, body: image)
    answer.fields = .ready(head.fields)
    answer.warnings = warnings.map(\.text)
    // All warnings so far are about something that could not be kept.
    answer.cacheFailure = warnings.first
    if replacement == nil { answer.made = made }
    if !isKept { answer.entryKey = nil }
    answer.sharingObstacle = head.sharingObstacle
    switch earlier {
    case .other(let entry): answer.superseded = entry.asSuperseded
    case .same: answer.isAsStored = true
    case nil: break
    }
    return CompleteAnswer(answer)
  }

  /// The image that a new entry replaces.
  private enum EarlierImage {
    case same
    /// A different image.
    case other(CachedEntry)
  }

  /// Notes in a new entry which image it replaces. Returns nil if there is none.
  private func noteEarlier(
    _ written: BodyWriter.Written, in metadata: inout EntryMetadata, _ body: BodyQueue, _ flight: Flight
  ) -> EarlierImage? {
    guard let entry = entryToBeReplaced(flight), let earlier = entry.bodyHash,
      let hash = try? image(of: written, body).contentHash()
    else { return nil }
    metadata.earlierBodies = EarlierBodies(of: entry, replacedBy: hash)
    return earlier == hash ? .same : .other(entry)
  }

  /// Makes sure that a stored image is not served as fresh after its origin has sent another one that could not be
  /// stored: files would get the earlier image again.
  private func outdate(_ entry: CachedEntry, by head: AnswerHead, _ flight: Flight) {
    if flight.hop.rules.http != nil { return dropSuperseded(by: head.status, flight.hop) }
    disk?.expire(entry)
  }

  /// The stored entry that a new one will replace. It is looked up only if the key was seen before, or was not looked
  /// for: under `reload`, and after a stored image did not have the checksum that was asked for.
  private func entryToBeReplaced(_ flight: Flight) -> CachedEntry? {
    guard flight.options.policy.storesOnDisk else { return nil }
    if let entry = flight.hop.copy?.entry, entry.key == flight.key { return entry }
    let isUnseen = flight.options.policy == .reload || flight.shared.distrustsCaches
    let isSeen = if case .saw = flight.hop.look { true } else { false }
    return isSeen || isUnseen ? disk?.lookup(flight.key, withBody: false) : nil
  }

  /// Stores the image that the program makes of the original, in its place. Returns nil if the program makes none.
  private func replacement(
    of written: BodyWriter.Written, _ metadata: inout EntryMetadata, isKept: Bool, _ body: BodyQueue, _ flight: Flight,
    _ warnings: inout [CacheWarning]
  ) -> ImageBody? {
    guard let make = log.hooks.beforeStoring, flight.hop.rules.http == nil, let facts = written.facts,
      let bytes = try? image(of: written, body).bytes(), let made = workers.engage({ make(bytes, facts) })
    else { return nil }
    do throws(InspectionFailure) {
      metadata.facts = try Inspector.facts(
        of: made, limits: InspectionLimits(maxPixels: flight.options.maximumPixels))
      // The verification and the details of the received image do not hold for this one: its pixels were not decoded,
      // and it has other details.
      metadata.verification = min(metadata.verification, .structure)
    } catch {
      warnings.append(
        CacheWarning(
          "\(flight.request.url.display): kept as it came, since what was made of it is no image: \(error)"))
      return nil
    }
    metadata.mime = EntryMetadata.mime(metadata.facts, metadata.fields)
    body.part?.abandon(keepForResume: false)
    body.part = nil
    let image = ImageBody(.bytes(made))
    metadata.details = pipeline.details.ofArrival(
      image, metadata.facts, flight.options, configuration.pixelScope(of: flight))
    if isKept, flight.options.policy.storesOnDisk { disk?.keep(image, metadata, stored: metadata.responseTime) }
    return image
  }

  /// Decodes every pixel of a body, on request, or if only that shows whether all pixels are there.
  func decode(_ written: inout BodyWriter.Written, _ body: BodyQueue, _ flight: Flight) throws(FetchError) {
    if let own = written.own {
      let image = image(of: written, body)
      return try workers.engage { () throws(FetchError) in
        try own.verify(image, flight.options, about: flight.request.url.display)
      }
    }
    guard let facts = written.facts else { return }
    let isDecoded = flight.options.verification == .decode || written.doubt != nil
    if !facts.hasKnownEnd, !isDecoded { written.facts = try settlingEnd(of: written, facts, body, flight) }
    guard isDecoded else { return }
    if let doubt = written.doubt, body.head?.hasCertainEnd != true || !configuration.pixelExecutor.isShutIn {
      throw doubt
    }
    let image = image(of: written, body)
    do {
      try workers.engage { () throws(PixelFailure) in
        let limits = configuration.pixelLimits(flight.options, configuration.pixelScope(of: flight))
        try PixelCheck.verify(image, facts, limits)
      }
    } catch {
      // If its time was over, or the run ended, nothing is known about the image.
      let isOver = error == .overtime || error == .stopped
      throw isOver
        ? error.fetchError(of: flight.request.url.display)
        : written.doubt
          ?? error.fetchError(of: flight.request.url.display)
    }
  }

  /// Decodes an image whose end is not visible in its structure, to see whether it is complete.
  private func settlingEnd(
    of written: BodyWriter.Written, _ facts: ImageFacts, _ body: BodyQueue, _ flight: Flight
  ) throws(FetchError) -> ImageFacts {
    let image = image(of: written, body)
    let limits = configuration.pixelLimits(flight.options, configuration.pixelScope(of: flight))
    let url = flight.request.url.display
    do throws(PixelFailure) {
      return try workers.engage { () throws(PixelFailure) in
        try PixelCheck.settlingEnd(of: image, facts, limits)
      }
    } catch {
      guard case .damaged = error else { throw error.fetchError(of: url) }
      throw InspectionFailure.truncated(facts.format, at: written.count).fetchError(of: url)
    }
  }

  /// Checks the SHA-256 that the leader wants. If no mirror is left, this is skipped: each waiter's is checked at the
  /// delivery.
  func check(_ written: BodyWriter.Written, _ body: BodyQueue, _ flight: Flight) throws(FetchError) {
    var checksum = BodyChecksum(of: image(of: written, body))
    if let objection = try checksum.objection(to: flight.leader.request) { throw objection }
  }

  /// True if the body came from a mirror, and the checksum that the leader wants shows that it is not the URL's image:
  /// requests without a checksum would have it from the cache as that.
  private func isWrongMirror(_ written: BodyWriter.Written, _ body: BodyQueue, _ flight: Flight) -> Bool {
    guard body.mirrors.count < flight.leader.request.mirrors.count else { return false }
    do throws(FetchError) {
      try check(written, body, flight)
      return false
    } catch {
      return true
    }
  }

  /// The entry that an answer makes, with the reason why it is not kept, or nil if it is. The policies that go by age
  /// keep only answers that are the image itself.
  private func entry(
    for head: AnswerHead, _ written: BodyWriter.Written, _ body: BodyQueue, _ flight: Flight
  ) -> (EntryMetadata, obstacle: String?) {
    // Disk and tiers may be read by programs without an own format, so there such an image counts as not verified.
    let verification = written.own == nil ? flight.options.verification : .none
    if let request = flight.hop.rules.http?.request {
      let (metadata, obstacle) = flight.hop.entry(
        for: head, length: written.count, facts: written.facts, verification: verification, request)
      if obstacle != nil { dropSuperseded(by: head.status, flight.hop) }
      return (metadata, obstacle?.description)
    }
    let leader = flight.leader
    let metadata = EntryMetadata(
      key: flight.key, finalURL: head.url.displayWithScheme, status: head.status, fields: head.fields,
      varyFields: identity.selectingFields(of: leader.request, for: head),
      requestTime: head.requestTime, responseTime: head.responseTime, facts: written.facts,
      mime: EntryMetadata.mime(written.facts, head.fields), verification: verification, provenance: head.provenance)
    // A request for an origin's rules accepts a 4xx: the absence of the file is an answer that is worth keeping.
    let isAbsence = flight.purpose.isForOriginRules && (400..<500).contains(head.status)
    let isKept = head.status == 200 || head.status == 203 || isAbsence
    guard isKept else { return (metadata, "status \(head.status) is not the image itself") }
    let isWrong = isWrongMirror(written, body, flight)
    return (metadata, isWrong ? "a mirror has sent it, and it has not the checksum that was asked for" : nil)
  }

  /// Gives the part of a flight its name in the cache. Returns the image, and true if it is on disk.
  private func publish(
    _ written: BodyWriter.Written, _ metadata: EntryMetadata, isKept: Bool, _ body: BodyQueue,
    _ warnings: inout [CacheWarning]
  ) -> (ImageBody, isOnDisk: Bool) {
    let isInPart = if case .part = written.content { true } else { false }
    guard let part = body.part, body.writer?.hasLostPart != true else { return (image(of: written), false) }
    defer { body.part = nil }
    guard isKept || isInPart else {
      part.abandon(keepForResume: false)
      return (image(of: written), false)
    }
    do {
      switch written.content {
      case .memory(let bytes):
        let hash = ContentHash(of: bytes.span)
        try part.publish(metadata, body: bytes, hash: hash)
        return (ImageBody(.bytes(bytes), hash: hash), true)
      case .part(let hash, _):
        if isKept { _ = try part.publish(metadata, hash: hash) } else { part.abandon(keepForResume: false) }
        return (image(in: part, written, hash), isKept)
      case .file:
        part.abandon(keepForResume: false)
        return (image(of: written), false)
      }
    } catch {
      warnings.append(part.notCached(because: error))
      defer { part.abandon(keepForResume: false) }
      if case .part(let hash, _) = written.content { return (image(in: part, written, hash), false) }
      return (image(of: written), false)
    }
  }

  /// The body before it is published.
  private func image(of written: BodyWriter.Written, _ body: BodyQueue) -> ImageBody {
    if case .part = written.content, let part = body.part { return part.body }
    return image(of: written)
  }

  private func image(of written: BodyWriter.Written) -> ImageBody {
    switch written.content {
    case .memory(let bytes): ImageBody(.bytes(bytes))
    case .file(let file, let hash, let isLent): image(in: file, written, hash, isLent: isLent)
    case .part: ImageBody(.bytes([]))
    }
  }

  /// The body that was written to a part: in the sink's own file, or in the part, which stays readable, and is checked
  /// when it is read.
  private func image(in part: Part, _ written: BodyWriter.Written, _ hash: ContentHash) -> ImageBody {
    if case .part(_, let copy?) = written.content { return image(in: copy, written, hash, isLent: true) }
    return part.body(hash: hash)
  }

  /// The body in a file without a name, which no other process can reach.
  private func image(
    in file: LentFile, _ written: BodyWriter.Written, _ hash: ContentHash, isLent: Bool
  ) -> ImageBody {
    ImageBody(.file(file.holding(written.count)), hash: hash, isLent: isLent && file.room == nil)
  }

  /// The body in the file that becomes the entry, or nil if it is not in the part.
  private func entryBody(_ written: BodyWriter.Written, _ body: BodyQueue) -> ImageBody? {
    guard case .part(let hash, _) = written.content else { return nil }
    return body.part?.body(hash: hash)
  }
}

// MARK: - HTTP's own rules

extension StoreStage {
  /// Settles the part of a flight that has no image: for the redirect or error that came instead, if the rules allow
  /// that, or for another attempt if nothing came.
  ///
  /// - Parameter keepingStored: true if the stored answer stays, whatever came instead.
  func settle(_ remains: DownloadRemains, of flight: Flight, keepingStored: Bool = false) {
    let part = remains.claim.part
    guard !keepingStored, let request = flight.hop.rules.http?.request, let side = remains.sideAnswer else {
      part?.abandon(keepForResume: remains.sideAnswer == nil)
      return
    }
    let (metadata, obstacle) = flight.hop.entry(
      for: side.head, length: Int64(side.body.count), facts: nil, verification: .none, request)
    guard obstacle == nil else {
      explain(obstacle?.description, metadata, isOnDisk: false, flight)
      part?.abandon(keepForResume: false)
      return dropSuperseded(by: metadata.status, flight.hop)
    }
    memory.insert(side.body, metadata, stored: metadata.responseTime)
    // A problem with the disk is reported when an image cannot be kept. A redirect is requested again.
    let hash = ContentHash(of: side.body.span)
    let isOnDisk = part.map { (try? $0.publish(metadata, body: side.body, hash: hash)) != nil } ?? false
    explain(nil, metadata, isOnDisk: isOnDisk, flight)
  }

  /// Removes a stored answer, which must not be served again after the origin has sent another one that is not kept.
  func dropSuperseded(by status: Int, _ hop: borrowing Hop) {
    guard HTTPRules.supersedes(status) else { return }
    memory.remove(hop.entryKey)
    // A request that distrusts the caches has not looked for it.
    let mayBeThere = if case .saw = hop.look { true } else { hop.rules.http?.isDistrusted == true }
    guard mayBeThere, let disk, let entry = disk.lookup(hop.entryKey) else { return }
    disk.forget(entry, because: .superseded)
  }

  /// Explains where an answer was kept, after that is done.
  ///
  /// - Parameter obstacle: the reason why it is not kept, or nil if it is.
  private func explain(_ obstacle: String?, _ metadata: EntryMetadata, isOnDisk: Bool, _ flight: Flight) {
    let policy = flight.options.policy
    guard policy.storesInMemory || policy.storesOnDisk else { return }
    log.explain(flight) {
      if let obstacle { return "not stored: \(obstacle)" }
      if policy.storesOnDisk, !isOnDisk { return "not stored on disk" }
      guard flight.hop.rules.http != nil else { return "stored" }
      if metadata.status == 206 { return "stored as a part" }
      let rule = StoredAnswer(metadata).reuse(for: RequestDirectives(), now: clock.wallTime())
      return "stored with status \(metadata.status), \(rule)"
    }
  }
}

extension CachedEntry {
  /// The image, as one that another has replaced, or nil if it was not inspected.
  fileprivate var asSuperseded: SupersededImage? {
    guard let hash = bodyHash, let facts = metadata.facts else { return nil }
    return SupersededImage(hash: hash, facts: facts)
  }
}
