/// Does pixel work in sandboxed helper processes.
///
/// A helper is started when there is work and all others are busy, up to one per core, and is reused: starting one
/// takes two milliseconds, sending it an image some tens of microseconds. If one crashes, only its current image fails.
/// ``HelperDesk`` decides who gets which.
package struct SandboxedExecutor: PixelExecutor {
  private let state: Guarded<HelperDesk<HelperProcess>>
  private let path: String
  let clock: any Clock
  private let warn: @Sendable (String) -> Void
  /// The image of the work.
  private(set) var scope = PixelScope()

  /// The size up to which a file is copied to the helper; beyond it the descriptor is passed.
  /// Either way it is read once.
  private static let copyLimit: Int64 = 4 << 20

  /// - Parameters:
  ///   - path: The program to start, which must call ``SandboxHelper/serve()`` when it is started
  ///     under the helper's name.
  ///   - limit: The number of helpers.
  ///   - clock: Measures what helpers take.
  ///   - warn: Called once if the kernel supports only one of the two means of restriction.
  package init(
    _ path: String = "/proc/self/exe", limit: Int = Threads.cores, clock: any Clock = SystemClock(),
    warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.clock = clock
    state = Guarded(HelperDesk(limit: limit))
    self.warn = warn
  }

  package var isShutIn: Bool { true }

  /// The process numbers of idle helpers.
  package var idle: [Int32] { state.withLock { $0.idle.map(\.helper.pid) } }

  package func within(_ scope: PixelScope) -> any PixelExecutor {
    var scoped = self
    scoped.scope = scope
    return scoped
  }

  package func stop() {
    for helper in state.withLock({ $0.stop() }) { helper.breakOff() }
    state.broadcast()
  }

  package func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    if memory > MachineMemory.forOneProcess { throw .noMemory(facts.format, needed: memory) }
    let kind = HelperKind(for: work.formats(for: facts))
    let longest = work.longestResult(facts, encoded: body.count)
    let time = DecodingTime(facts, besides: work.encodingSeconds(facts))
    do throws(PixelFailure) {
      let (helper, began, result) = try pass(work.encoded, to: kind, body, facts, memory, longest: longest, time)
      release(helper, kind, after: clock.now() - began)
      return try result.get()
    } catch { throw Self.told(error, facts.format, memory) }
  }

  /// A failure for want of memory is this machine's, and not the image's, if a helper cannot have the memory that
  /// was reserved for the image. There a crash is one, too: libraries and the runtime end a process that gets none.
  private static func told(_ failure: PixelFailure, _ format: ImageFormat, _ memory: Int64) -> PixelFailure {
    switch failure {
    case .tooLarge, .crashed:
      memory > MachineMemory.forOneProcess - ownMemory ? .noMemory(format, needed: memory) : failure
    default: failure
    }
  }

  /// A helper maps so much beside what images take: itself, its libraries, its stack.
  private static let ownMemory: Int64 = 256 << 20

  enum Trouble: Error {
    /// The job failed before the helper was involved.
    case pixels(PixelFailure)
    case ended(hadJob: Bool)
    case stuck
    /// The helper has had as much time as an image is given, or as the request has.
    case slow
    case overtime
    /// The helper sent an invalid reply, and was killed for that.
    case invalidReply
  }

  static func failure(
    _ format: ImageFormat, _ signal: Int32?, _ trouble: Trouble, _ time: DecodingTime
  ) -> PixelFailure {
    switch (trouble, signal) {
    case (.overtime, _): .overtime
    case (.slow, _): .slow(format, reason: "decoding it takes more than \(time.wall) s")
    case (.stuck, _): .crashed(format, reason: "the decoder did not finish")
    // The signal is our own then.
    case (.invalidReply, _): .crashed(format, reason: "the decoder failed")
    // SIGKILL: the kernel sends it when the machine or the control group runs out of memory.
    case (_, 9): .tooLarge(format, reason: "the system killed its decoder, as it does when memory runs out")
    // SIGXCPU.
    case (_, 24): .slow(format, reason: "decoding it takes more than \(time.processor) s of a processor")
    case (_, let signal?): .crashed(format, reason: "the decoder crashed on it (signal \(signal))")
    case (_, nil): .crashed(format, reason: "the decoder failed")
    }
  }
}

// Starting and stopping helpers, and passing jobs to them.
extension SandboxedExecutor {
  /// Has a helper of this kind take on a job, and another one if it had died while it was idle. The helper is to be
  /// released. It has begun then, and the result is that of the job.
  func pass(
    _ encoded: [UInt8], to kind: HelperKind, _ body: ImageBody, _ facts: ImageFacts, _ memory: Int64, longest: Int,
    _ time: DecodingTime
  ) throws(PixelFailure) -> (HelperProcess, began: Instant, Result<[UInt8], PixelFailure>) {
    while true {
      let (helper, isUsed) = try acquire(kind)
      let began = clock.now()
      do throws(Trouble) {
        let result = try run(
          encoded, body, facts, memory, longest: longest, in: helper, time, time.patience(from: began, scope))
        return (helper, began, result)
      } catch {
        let signal = terminate(helper)
        if state.withLock({ $0.isStopped }) { throw .stopped }
        switch error {
        case .pixels(let failure): throw failure
        // It had died while it was idle, so this image is not to blame.
        case .ended(hadJob: false) where isUsed: continue
        case .ended, .stuck, .slow, .overtime, .invalidReply:
          throw Self.failure(facts.format, signal, error, time)
        }
      }
    }
  }

  /// Returns an idle helper of this kind or a new one, for which another one is ended if the limit is reached.
  /// Waits where all are busy.
  private func acquire(_ kind: HelperKind) throws(PixelFailure) -> (HelperProcess, isUsed: Bool) {
    while true {
      state.withLock { $0.queue(scope.origin) }
      let place = state.wait(until: scope.deadline) { $0.place(for: kind, scope.origin) }
      state.withLock { $0.unqueue(scope.origin) }
      switch place {
      case nil: throw .overtime
      case .idle(let helper): return (helper, true)
      case .stopped: throw .stopped
      case .unprotected: throw .noSandbox
      case .new(let other):
        _ = other?.end()
        do throws(PixelFailure) { return (try start(kind), false) } catch {
          let hasOthers = state.withLock { $0.failed(scope.origin, isScarce: error.isOfScarcity) }
          state.broadcast()
          guard hasOthers else { throw error }
        }
      }
    }
  }

  private func start(_ kind: HelperKind) throws(PixelFailure) -> HelperProcess {
    let helper: HelperProcess
    let means: UInt8
    let began = clock.now()
    do throws(SystemError) { helper = try HelperProcess(path, name: kind.processName, clock: clock) } catch {
      throw .noHelper(error)
    }
    let patience = HelperProcess.Patience(deadline: scope.deadline)
    do throws(HelperProcess.Failure) { means = try helper.receive(1, patience).first ?? 0 } catch {
      if case .overtime = error { throw .overtime }
      throw .noHelper(SystemError(.spawn, .noSuchProcess, path: path))
    }
    let canSandbox = HelperChannel.isShut(means)
    let (isFirst, isStopped) = state.withLock { $0.started(helper, isShut: canSandbox, after: clock.now() - began) }
    if isStopped { throw .stopped }
    // It has read nothing yet and must not: a flaw in a codec would give away all rights of this program's user.
    guard canSandbox else { throw .noSandbox }
    if isFirst, !HelperChannel.hasLandlock(means) {
      warn("this kernel has no Landlock: what decodes images is kept from files and the network by seccomp alone")
    }
    return helper
  }

  func release(_ helper: HelperProcess, _ kind: HelperKind, after time: Instant.Span) {
    let (isKept, areEqual) = state.withLock { desk in
      (desk.release(helper, kind, scope.origin, after: time), desk.isOneWaiting)
    }
    guard isKept else {
      terminate(helper)
      return
    }
    if areEqual { state.signal() } else { state.broadcast() }
  }

  package func close() {
    for helper in state.withLock({ $0.close() }) { helper.end() }
    state.broadcast()
  }

  @discardableResult
  func terminate(_ helper: HelperProcess) -> Int32? {
    let signal = helper.end()
    state.withLock { $0.ended(helper, scope.origin) }
    state.broadcast()
    return signal
  }

  /// Sends the job and waits for its result.
  private func run(
    _ encoded: [UInt8], _ body: ImageBody, _ facts: ImageFacts, _ memory: Int64, longest: Int, in helper: HelperProcess,
    _ time: DecodingTime, _ patience: HelperProcess.Patience
  ) throws(Trouble) -> Result<[UInt8], PixelFailure> {
    let file = try Self.file(of: body)
    let head = SandboxMessage.Job(
      facts: facts, memory: memory, workLength: encoded.count, bodyLength: body.count, isFile: file != nil)
    helper.allow(seconds: time.processor)
    do throws(HelperProcess.Failure) { try helper.send((head.bytes + encoded).span, with: file, patience) } catch {
      throw Self.trouble(error, hadJob: false)
    }
    if file == nil { try Self.send(body, to: helper, patience) }
    do throws(HelperProcess.Failure) { _ = try helper.receive(1, patience) } catch {
      throw Self.trouble(error, hadJob: false)
    }
    return try Self.reply(of: helper, facts.format, longest: longest, patience)
  }

  /// Waits for the reply to a job or a question.
  static func reply(
    of helper: HelperProcess, _ format: ImageFormat, longest: Int, _ patience: HelperProcess.Patience
  ) throws(Trouble) -> Result<[UInt8], PixelFailure> {
    let result: Result<[UInt8], PixelFailure>?
    do throws(HelperProcess.Failure) {
      let reply = SandboxMessage.Reply(try helper.receive(SandboxMessage.Reply.size, patience), longest: longest)
      result = try reply?.result(helper.receive(reply?.length ?? 0, patience), format)
    } catch { throw trouble(error, hadJob: true) }
    // Only a helper that was taken over sends an invalid reply.
    guard let result else { throw .invalidReply }
    return result
  }

  /// The file that contains a large body, after its checksum was verified. A helper gets no file
  /// in which other images are.
  private static func file(of body: ImageBody) throws(Trouble) -> SharedDescriptor? {
    guard case .file(let stored) = body.content, stored.length > copyLimit, !stored.isShared else { return nil }
    if !body.isChecked {
      do throws(BodyReadFailure) { try body.read { (_) throws(SystemError) in } } catch {
        throw .pixels(PixelFailure(error))
      }
    }
    return stored.descriptor
  }

  private static func send(
    _ body: ImageBody, to helper: HelperProcess, _ patience: HelperProcess.Patience
  ) throws(Trouble) {
    var lost: HelperProcess.Failure?
    do throws(BodyReadFailure) {
      try body.read { (piece) throws(SystemError) in
        guard lost == nil else { return }
        do throws(HelperProcess.Failure) { try helper.send(piece, with: nil, patience) } catch { lost = error }
      }
    } catch { throw .pixels(PixelFailure(error)) }
    if let lost { throw trouble(lost, hadJob: false) }
  }

  static func trouble(_ failure: HelperProcess.Failure, hadJob: Bool) -> Trouble {
    switch failure {
    case .ended: .ended(hadJob: hadJob)
    case .stuck: .stuck
    case .slow: .slow
    case .overtime: .overtime
    case .system(let error): .pixels(.noHelper(error))
    }
  }
}
