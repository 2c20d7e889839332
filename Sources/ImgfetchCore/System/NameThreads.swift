import CPosixShim

/// Threads that look up names. The system's resolver blocks, and a name that is never answered holds its thread until
/// the resolver gives up: 10 s with one name server.
///
/// They start when there are more questions than idle threads, and end when they have had nothing to do for some time.
/// Their number is bounded by their caller (``NameBook``).
package final class NameThreads: Sendable {
  /// Looks one name up. It may block.
  package typealias LookUp = @Sendable (_ name: String) -> NameAnswer
  package typealias Taker = @Sendable (NameAnswer) -> Void

  private struct Question {
    let name: String
    let take: Taker
  }

  private struct State {
    var questions: [Question] = []
    var idle = 0
    var isClosed = false
    /// The time at which a name server was last heard of.
    var lastAnswer: Instant?
  }

  private let state = Guarded(State())
  private let clock: any Clock
  private let patience: Instant.Span
  private let lookUp: LookUp
  private let isReachable: @Sendable () -> Bool

  /// The time for which a thread without work stays.
  private static let idleTime = Instant.Span.seconds(5)
  /// The time after an answer within which a failure is about its name. After that, the network is checked.
  private static let freshness = Instant.Span.seconds(2)

  /// Threads that ask the system.
  ///
  /// - Parameter patience: how long the resolver should wait for a name server, as near as it knows how.
  package convenience init(_ family: AddressFamily, patience: Instant.Span) {
    self.init(
      patience: patience, clock: SystemClock(), isReachable: { imgfetch_resolver_is_reachable() },
      lookUp: { NameLookup.addresses(of: $0, family) })
  }

  init(
    patience: Instant.Span, clock: any Clock, isReachable: @escaping @Sendable () -> Bool, lookUp: @escaping LookUp
  ) {
    self.patience = patience
    self.clock = clock
    self.isReachable = isReachable
    self.lookUp = lookUp
  }

  deinit { close() }

  /// Looks a name up on one of the threads. Never blocks. `take` is called once, on that thread, or at once if none can
  /// be started, and not at all after ``close()``.
  package func look(up name: String, take: @escaping Taker) {
    let needsThread = state.withLock { state in
      state.questions.append(Question(name: name, take: take))
      return state.questions.count > state.idle
    }
    guard needsThread else { return state.signal() }
    do throws(SystemError) {
      try Threads.start(name: "imgfetch-names") { [weak self, patience] in
        // Whole seconds, as resolv.conf has them.
        imgfetch_resolver_limit(Int32(clamping: max(1, patience.milliseconds / 1000)))
        while let question = self?.next() { self?.answer(question) }
      }
    } catch {
      let orphans = state.withLock { state in
        defer { state.questions = [] }
        return state.questions
      }
      for question in orphans { question.take(.failed(.resources)) }
    }
  }

  /// Ends the threads that have nothing to do. Threads that wait for the resolver end after it.
  package func close() {
    state.withLock { state in
      state.isClosed = true
      state.questions = []
    }
    state.broadcast()
  }

  /// The count of idle threads changes together with the questions, or one asked in between would be left
  /// to a thread that has gone.
  private func next() -> Question? {
    state.withLock { $0.idle += 1 }
    func take(_ state: inout State) -> Question? {
      state.idle -= 1
      return state.questions.isEmpty ? nil : state.questions.removeFirst()
    }
    let taken: Question?? = state.wait(until: clock.now() + Self.idleTime) { state in
      state.isClosed || !state.questions.isEmpty ? .some(take(&state)) : nil
    }
    return taken ?? state.withLock { take(&$0) }
  }

  private func answer(_ question: Question) {
    var answer = lookUp(question.name)
    let now = clock.now()
    let isAlone = state.withLock { state in
      guard case .failed(.noAnswer) = answer else {
        state.lastAnswer = now
        return false
      }
      return state.lastAnswer.map { now - $0 > Self.freshness } ?? true
    }
    if isAlone, !isReachable() { answer = .failed(.unreachable) }
    question.take(answer)
  }
}
