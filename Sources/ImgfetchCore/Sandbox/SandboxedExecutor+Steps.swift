// Work in several steps: after the job, a helper answers questions, each preceded by its length, until one has none.
extension SandboxedExecutor {
  package func begin(
    _ work: some SteppedPixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> any PixelSteps {
    let kind = HelperKind(for: [facts.format])
    let (helper, _, begun) = try pass(work.encoded, to: kind, body, facts, memory, longest: 0, DecodingTime(facts))
    if case .failure(let failure) = begun {
      // It could not begin, and takes the next job.
      release(helper, kind, after: Instant.Span(nanoseconds: 0))
      throw failure
    }
    return SandboxedSteps(helper, kind, of: self, facts, longest: work.longestAnswer)
  }

  fileprivate func ask(
    _ question: [UInt8], _ facts: ImageFacts, longest: Int, in helper: HelperProcess
  ) throws(Trouble) -> Result<[UInt8], PixelFailure> {
    let time = DecodingTime(facts)
    let patience = time.patience(from: clock.now(), scope)
    helper.allow(seconds: time.processor)
    do throws(HelperProcess.Failure) {
      try helper.send((SandboxMessage.length(of: question) + question).span, with: nil, patience)
    } catch { throw Self.trouble(error, hadJob: true) }
    return try Self.reply(of: helper, facts.format, longest: longest, patience)
  }
}

/// Stepped work in a helper. The helper is free for other work when this goes.
private final class SandboxedSteps: PixelSteps {
  private let executor: SandboxedExecutor
  private let kind: HelperKind
  private let facts: ImageFacts
  private let longest: Int
  /// The helper, or nil once it has failed.
  private var helper: HelperProcess?

  init(
    _ helper: HelperProcess, _ kind: HelperKind, of executor: SandboxedExecutor, _ facts: ImageFacts, longest: Int
  ) {
    self.helper = helper
    self.kind = kind
    self.executor = executor
    self.facts = facts
    self.longest = longest
  }

  deinit {
    guard let helper else { return }
    if (try? helper.send(SandboxMessage.length(of: []).span)) != nil {
      executor.release(helper, kind, after: Instant.Span(nanoseconds: 0))
    } else {
      executor.terminate(helper)
    }
  }

  func answer(_ question: [UInt8]) throws(PixelFailure) -> [UInt8] {
    guard let helper else { throw .crashed(facts.format, reason: "the decoder failed") }
    let result: Result<[UInt8], PixelFailure>
    do throws(SandboxedExecutor.Trouble) {
      result = try executor.ask(question, facts, longest: longest, in: helper)
    } catch {
      self.helper = nil
      let signal = executor.terminate(helper)
      throw SandboxedExecutor.failure(facts.format, signal, error, DecodingTime(facts))
    }
    return try result.get()
  }
}

extension SandboxMessage {
  /// The longest question. Present questions are a byte long.
  static let longestQuestion = 1 << 20

  /// The length that precedes a question. A length of 0 ends the work.
  static func length(of question: [UInt8]) -> [UInt8] {
    var writer = ByteWriter(capacity: 4)
    writer.put(UInt32(clamping: question.count))
    return writer.bytes
  }
}

extension SandboxHelper {
  /// Answers questions until the work ends. Returns false if the channel has ended.
  static func answer(
    _ work: ShownWork, _ body: ImageBody, _ job: SandboxMessage.Job, _ channel: borrowing HelperChannel
  ) -> Bool {
    let steps: any PixelSteps
    do throws(PixelFailure) { steps = try work.begin(body, job.facts, memory: job.memory) } catch {
      return send(.failure(error), channel)
    }
    guard send(.success([]), channel) else { return false }
    while let bytes = channel.receive(4)?.bytes {
      var reader = ByteReader(bytes)
      guard let length = reader.take(UInt32.self), length <= SandboxMessage.longestQuestion else { return false }
      if length == 0 { return true }
      guard let question = channel.receive(Int(length))?.bytes else { return false }
      let answer: Result<[UInt8], PixelFailure>
      do throws(PixelFailure) { answer = .success(try steps.answer(question)) } catch { answer = .failure(error) }
      guard send(answer, channel) else { return false }
    }
    return false
  }

  static func send(_ result: Result<[UInt8], PixelFailure>, _ channel: borrowing HelperChannel) -> Bool {
    let answer = SandboxMessage.Reply.bytes(of: result)
    return channel.send(answer.head) && (answer.rest.isEmpty || channel.send(answer.rest))
  }
}
