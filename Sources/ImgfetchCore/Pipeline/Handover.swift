/// Hands an answer to those who asked for it: checks what each alone demands, has made of it what each wants, gives it to each
/// one's sink, and says what became of it.
///
/// What several of them need is worked out once: the checksum, and what is made of the image.
struct Handover {
  let answer: Answer
  private let engine: Engine
  private var checksum: BodyChecksum
  /// Results by their makers' signatures. A cache may be too small for them, or not be wanted.
  private var made: [UInt64: Made] = [:]

  private struct Made {
    let image: InspectedImage
    /// What it was made of; nil: it is what came.
    let source: SourceImage?
  }

  init(_ answer: Answer, _ engine: Engine) {
    self.answer = answer
    self.engine = engine
    checksum = BodyChecksum(of: answer.body)
  }

  /// Puts what became of it into the result, which is never copied on its way to the asker: it holds a dozen texts.
  mutating func deliver(to ask: Ask, isFirst: Bool, _ result: inout FetchResult) {
    result.finalURL = answer.finalURL
    result.status = answer.status
    result.fieldSource = answer.fields
    result.warnings = isFirst ? answer.warnings : []
    result.facts = answer.facts
    result.mime = answer.mime
    result.bytes = answer.body.count
    do throws(FetchError) { try give(to: ask, &result) } catch {
      result.error = error
      return
    }
    // Who joined an answer out of a cache was answered from memory, if that is where the bytes were.
    let isInMemory = if case .bytes = answer.body.content { true } else { false }
    result.cache = !isFirst && answer.cache == .disk && isInMemory ? .memory : answer.cache
    result.isShared = answer.isShared || (!isFirst && answer.cache == .none)
    result.isRevalidated = answer.isRevalidated
    result.isStale = answer.isStale
  }

  private mutating func give(to ask: Ask, _ result: inout FetchResult) throws(FetchError) {
    if let objection = try checksum.objection(to: ask.request) { throw objection }
    var body = answer.body
    if let sink = ask.request.sink {
      if let made = try derived(for: ask.request) {
        body = made.image.body
        result.facts = made.image.facts
        result.mime = made.image.facts.format.mime
        result.bytes = body.count
        result.source = made.source
      }
      let image = DeliveredImage(
        facts: result.facts, key: ask.key.hash, fields: answer.fields, body: body)
      let delivery = try sink.receive(image, for: ask.request)
      result.output = delivery.output
      result.isOutputNew = delivery.isNew
      engine.standingOutputs.note(!delivery.isNew)
    }
    if ask.request.options.reportsChecksum {
      result.sha256 =
        body === answer.body ? try checksum.digest(for: result.url) : try body.sha256(for: result.url)
    }
  }

  /// What the asker wants made of the image; nil: nothing.
  private mutating func derived(for request: FetchRequest) throws(FetchError) -> Made? {
    guard let derivation = request.derivation else { return nil }
    if let known = made[derivation.signature] { return known }
    let new = try engine.workers.engage { () throws(FetchError) in
      let facts = if let known = answer.facts { known } else { try engine.inspect(answer.body, for: request) }
      let image = try engine.derive(answer, facts, for: request, by: derivation)
      let isOther = image.body !== answer.body
      return Made(image: image, source: isOther ? SourceImage(facts: facts, bytes: answer.body.count) : nil)
    }
    made[derivation.signature] = new
    return new
  }
}
