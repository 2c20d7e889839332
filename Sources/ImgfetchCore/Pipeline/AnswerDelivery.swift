/// Delivers an answer to those who wait for it: checks what each alone demands, makes what each wants of the image, and passes it to
/// each one's sink.
///
/// What several of them need is worked out once: the checksum, and what is made of the image.
struct AnswerDelivery: ~Copyable {
  let answer: Answer
  private let derivation: DerivationStage
  private let standingOutputs: Streak
  private var checksum: BodyChecksum
  /// Results by their makers' signatures. A cache may be too small for them, or not be wanted.
  private var made: [UInt64: Made] = [:]

  private struct Made {
    let image: InspectedImage
    /// What it was made of; nil: it is what came.
    let source: SourceImage?
  }

  init(_ answer: consuming Answer, _ derivation: DerivationStage, standingOutputs: Streak) {
    checksum = BodyChecksum(of: answer.body)
    self.answer = answer
    self.derivation = derivation
    self.standingOutputs = standingOutputs
  }

  /// Puts the outcome into the result, which is never copied on its way to the waiter: it holds a dozen texts.
  mutating func deliver(to waiter: Waiter, isFirst: Bool, _ result: inout FetchResult) {
    result.finalURL = answer.finalURL
    result.status = answer.status
    result.fieldSource = answer.fields
    result.warnings = isFirst ? answer.warnings : []
    result.facts = answer.facts
    result.mime = answer.mime
    result.bytes = answer.body.count
    do throws(FetchError) { try pass(to: waiter, &result) } catch {
      result.error = error
      return
    }
    // Those who joined an answer from a cache were answered from memory, if that is where the bytes were.
    let isInMemory = if case .bytes = answer.body.content { true } else { false }
    result.cache = !isFirst && answer.cache == .disk && isInMemory ? .memory : answer.cache
    result.isShared = answer.isShared || (!isFirst && answer.cache == .none)
    result.isRevalidated = answer.isRevalidated
    result.isStale = answer.isStale
  }

  private mutating func pass(to waiter: Waiter, _ result: inout FetchResult) throws(FetchError) {
    if let objection = try checksum.objection(to: waiter.request) { throw objection }
    var body = answer.body
    if let sink = waiter.request.sink {
      if let made = try derived(for: waiter.request) {
        body = made.image.body
        result.facts = made.image.facts
        result.mime = made.image.facts.format.mime
        result.bytes = body.count
        result.source = made.source
      }
      let image = DeliveredImage(
        facts: result.facts, key: waiter.key.hash, fields: answer.fields, body: body)
      let delivery = try sink.receive(image, for: waiter.request)
      result.output = delivery.output
      result.isOutputNew = delivery.isNew
      standingOutputs.note(!delivery.isNew)
    }
    if waiter.request.options.reportsChecksum {
      result.sha256 =
        body === answer.body ? try checksum.digest(for: result.url) : try body.sha256(for: result.url)
    }
  }

  /// What the waiter wants made of the image; nil: nothing.
  private mutating func derived(for request: FetchRequest) throws(FetchError) -> Made? {
    guard let wanted = request.derivation else { return nil }
    if let known = made[wanted.signature] { return known }
    let new = try derivation.workers.engage { () throws(FetchError) in
      let facts = if let known = answer.facts { known } else { try derivation.inspect(answer.body, for: request) }
      let image = try derivation.derive(answer, facts, for: request, by: wanted)
      let isOther = image.body !== answer.body
      return Made(image: image, source: isOther ? SourceImage(facts: facts, bytes: answer.body.count) : nil)
    }
    made[wanted.signature] = new
    return new
  }
}
