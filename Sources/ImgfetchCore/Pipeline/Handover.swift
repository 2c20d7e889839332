/// Hands an answer to one asker: checks what that asker alone demands, gives it to the asker's sink, and says what became of it.
enum Handover {
  static func deliver(
    _ answer: Answer, to ask: Ask, isFirst: Bool, _ checksum: inout BodyChecksum, _ engine: Engine
  ) -> FetchResult {
    var result = ask.blankResult(at: engine.clock.now())
    result.finalURL = answer.finalURL
    result.status = answer.status
    result.attempts = answer.attempts
    result.downloaded = answer.downloaded
    result.fieldSource = answer.fields
    result.warnings = isFirst ? answer.warnings : []
    result.facts = answer.facts
    result.mime = answer.mime
    result.bytes = answer.body.count
    do throws(FetchError) {
      if let objection = try checksum.objection(to: ask.request) { throw objection }
      if let sink = ask.request.sink {
        let image = DeliveredImage(
          facts: answer.facts, keyHash: ask.key.hash.hex, fields: answer.fields, body: answer.body)
        let delivery = try sink.receive(image, for: ask.request)
        result.output = delivery.output
        result.isOutputNew = delivery.isNew
        if let made = delivery.made {
          result.facts = made.facts
          result.mime = made.facts.format.mime
          result.bytes = made.body.count
          if ask.request.options.reportsChecksum { result.sha256 = try made.body.sha256(for: result.url) }
        }
      }
      if ask.request.options.reportsChecksum, result.sha256 == nil {
        result.sha256 = try checksum.digest(for: result.url)
      }
    } catch {
      result.error = error
      result.elapsedMilliseconds = Double((engine.clock.now() - ask.begun).nanoseconds) / 1e6
      return result
    }
    // Who joined an answer out of a cache was answered from memory, if that is where the bytes were.
    let isInMemory = if case .bytes = answer.body.content { true } else { false }
    result.cache = !isFirst && answer.cache == .disk && isInMemory ? .memory : answer.cache
    result.isShared = answer.isShared || (!isFirst && answer.cache == .none)
    result.isRevalidated = answer.isRevalidated
    result.isStale = answer.isStale
    result.elapsedMilliseconds = Double((engine.clock.now() - ask.begun).nanoseconds) / 1e6
    return result
  }
}
