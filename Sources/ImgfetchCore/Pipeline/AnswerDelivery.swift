/// Delivers an answer to its waiters: checks the demands of each, derives the image that each wants, and passes it to
/// the waiter's sink. `Pipeline.deliver` calls this, and then gives each waiter its result.
///
/// The checksum, and derived images that several waiters want, are computed once.
struct AnswerDelivery: ~Copyable {
  private let complete: CompleteAnswer
  private let pipeline: Pipeline
  /// The end of the flight's time, or nil if it has no limit.
  private let deadline: Instant?
  private var checksum: BodyChecksum
  /// The wanted details, once they are known: all waiters want the same.
  private var details: ImageDetails?
  /// Derived images, by the signatures of their derivations. The caches may be too small for them, or not wanted.
  private var made: [UInt64: DerivedImage] = [:]

  init(_ complete: CompleteAnswer, _ pipeline: Pipeline, until deadline: Instant?) {
    checksum = BodyChecksum(of: complete.answer.body)
    self.complete = complete
    self.pipeline = pipeline
    self.deadline = deadline
  }

  var answer: Answer { _read { yield complete.answer } }

  /// Writes the outcome into the result, which is never copied on its way to the waiter: it holds a dozen strings.
  ///
  /// - Returns: the rest of the delivery, or nil if it is complete.
  mutating func deliver(to waiter: Waiter, isFirst: Bool, _ result: inout FetchResult) -> PendingDelivery? {
    result.finalURL = answer.finalURL
    result.status = answer.status
    result.fieldSource = answer.fields
    result.address = answer.provenance.address
    result.warnings = isFirst ? answer.warnings : []
    result.cacheFailure = answer.cacheFailure
    result.isAsStored = answer.isAsStored
    result.facts = answer.facts
    result.mime = answer.mime
    result.bytes = answer.body.count
    let pending: PendingDelivery?
    do throws(FetchError) { pending = try pass(to: waiter, &result) } catch {
      // An answer that is not what was asked for has failed with its status, unlike one that could not be written.
      result.error = error.isOfTheBody || error.kind == .refused ? error.answered(answer.status) : error
      return nil
    }
    // Waiters that joined an answer from a cache were answered from memory, if the bytes are there.
    let isInMemory = if case .bytes = answer.body.content { true } else { false }
    result.cache = !isFirst && (answer.cache == .disk || answer.cache == .remote) && isInMemory ? .memory : answer.cache
    result.isShared = answer.isShared || (!isFirst && answer.cache == .network)
    result.isRevalidated = answer.isRevalidated
    result.isStale = answer.isStale
    return pending
  }

  private mutating func pass(to waiter: Waiter, _ result: inout FetchResult) throws(FetchError) -> PendingDelivery? {
    // The tags of an answer from the network were checked before its body. A stored one may come from a run that
    // accepts them.
    if answer.cache != .network, !waiter.request.options.refusedTags.isEmpty,
      let objection = answer.fields.fields.objection(by: waiter.request.options.refusedTags)
    {
      throw FetchError(.refused, waiter.request.url.display, objection)
    }
    if let objection = try checksum.objection(to: waiter.request) { throw objection }
    if !waiter.request.options.details.isEmpty { result.details = try described(for: waiter.request) }
    var body = answer.body
    var pending: PendingDelivery?
    if let sink = waiter.request.sink {
      if let made = try derived(for: waiter.request) {
        body = made.image.body
        result.facts = made.image.facts
        result.mime = made.image.facts.format.mime
        result.bytes = body.count
        result.source = made.source
      }
      let image = DeliveredImage(
        facts: result.facts, details: result.details, key: waiter.key.hash, fields: answer.fields, body: body,
        madeOf: body === answer.body ? nil : (answer.body, answer.facts?.format),
        history: ImageHistory(answer, deliveredBody: body, by: waiter.request.derivation),
        of: waiter.request.url.display, whenDamaged: whenDamaged(body))
      if waiter.request.defersDelivery, let sink = sink as? any DeferringSink {
        pending = try sink.prepare(image, for: waiter.request)
      } else {
        let delivery = try sink.receive(image, for: waiter.request)
        result.output = delivery.output
        result.isOutputNew = delivery.isNew
        result.written = delivery.written
        // An image that goes into memory or to a closure is not an output that was there before.
        pipeline.standingOutputs.note(!delivery.isNew && delivery.output != nil)
        keepWhatWasRead(body, by: sink)
      }
    }
    if waiter.request.options.reportsChecksum {
      result.sha256 =
        body === answer.body ? try checksum.digest(for: result.url) : try body.sha256(for: result.url)
      if body !== answer.body, let source = result.source {
        let digest = try checksum.digest(for: result.url)
        result.source = SourceImage(facts: source.facts, bytes: source.bytes, sha256: digest)
      }
    }
    return pending
  }

  /// The action for a stored body that is read after its delivery and turns out to be damaged. Nil means that its
  /// bytes are known to be right.
  private func whenDamaged(_ body: ImageBody) -> (@Sendable () -> Void)? {
    guard !body.isChecked, body === answer.body, let copy = answer.copy else { return nil }
    return { [pipeline] in pipeline.forgetDamaged(copy.entry) }
  }

  /// Keeps the bytes that the sink has read, so that they are not read again for this process's memory.
  private func keepWhatWasRead(_ body: ImageBody, by sink: any ImageSink) {
    // The types are compared first: the cast alone costs a hundredth of a hit.
    guard case .file = body.content, body === answer.body, let key = answer.entryKey, type(of: sink) == MemorySink.self,
      let bytes = (sink as? MemorySink)?.readBytes
    else { return }
    pipeline.memory.take(bytes, of: body, key)
  }

  /// The details of the answer that the waiter wants, or nil for a part of an image.
  private mutating func described(for request: FetchRequest) throws(FetchError) -> ImageDetails? {
    if let details { return details }
    var facts = answer.facts
    if facts == nil, request.options.verification == .none {
      facts = try pipeline.derivation.inspect(answer.body, for: request)
    }
    guard let facts else { return nil }
    details = try pipeline.details.details(of: answer, facts, for: request, until: deadline)?.only(
      request.options.details)
    return details
  }

  /// The derived image that the waiter wants, or nil if it wants none.
  private mutating func derived(for request: FetchRequest) throws(FetchError) -> DerivedImage? {
    guard let wanted = request.derivation else { return nil }
    if let known = made[wanted.signature] { return known }
    let new = try pipeline.workers.engage { () throws(FetchError) in
      try pipeline.derivation.derive(answer, for: request, by: wanted, until: deadline)
    }
    made[wanted.signature] = new
    return new
  }
}

extension ImageHistory {
  /// Creates the history of an answer, and of the image derived from it for a request.
  init(_ answer: borrowing Answer, deliveredBody body: ImageBody, by derivation: (any Derivation)?) {
    earlier = answer.earlier.hashes
    // The file of an original has nothing to do with what is made of the next one.
    if answer.superseded?.facts.format != answer.facts?.format { superseded = answer.superseded }
    finalURL = answer.finalURL
    if let derivation, body !== answer.body, let source = answer.body.knownHash {
      origin = OutputOrigin(source: source, signature: derivation.signature)
    }
  }
}

/// The SHA-256 of an answer's bytes. It is computed when it is first needed, and only once.
struct BodyChecksum {
  private let body: ImageBody
  private var known: [UInt8]?

  init(of body: ImageBody) { self.body = body }

  /// The digest of the bytes.
  ///
  /// - Parameter url: the subject of errors.
  mutating func digest(for url: String) throws(FetchError) -> [UInt8] {
    if let known { return known }
    let digest = try body.sha256(for: url)
    known = digest
    return digest
  }

  /// An error if the bytes do not have the checksum that the request names, or nil if they do, or it names none.
  mutating func objection(to request: FetchRequest) throws(FetchError) -> FetchError? {
    if let wanted = request.sha256 {
      let found = try digest(for: request.url.display)
      if found != wanted { return Self.objection(request, "SHA-256", found, wanted) }
    }
    if let wanted = request.md5 {
      let found = try body.md5(for: request.url.display)
      if found != wanted { return Self.objection(request, "MD5", found, wanted) }
    }
    return nil
  }

  private static func objection(
    _ request: FetchRequest, _ name: String, _ found: [UInt8], _ wanted: [UInt8]
  ) -> FetchError {
    FetchError(
      .checksum, request.url.display, "its \(name) is \(Hex.text(found)), and \(Hex.text(wanted)) was asked for")
  }
}
