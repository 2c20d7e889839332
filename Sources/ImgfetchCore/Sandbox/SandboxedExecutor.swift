/// Does work on pixels in helper processes that can do nothing else.
///
/// A helper is started when there is work and all others are busy, up to one a core, and is used again and again: starting
/// one costs two milliseconds, handing it an image some tens of microseconds. One that crashes takes its image with it,
/// and no other.
package final class SandboxedExecutor: PixelExecutor {
  private struct State {
    var idle: [HelperProcess] = []
    /// All that live, busy ones included.
    var count = 0
    /// Whether the kernel lets helpers be shut in; nil: none was started yet.
    var isShut: Bool?
  }

  private let state = Guarded(State())
  private let path: String
  private let limit: Int
  private let warn: @Sendable (String) -> Void

  /// What one image may take of a processor, in seconds: the most that the largest one that is allowed (256 million pixels)
  /// takes, as a lossless WebP that becomes another one.
  private static let seconds: Int64 = 300
  /// Up to here a file is copied to the helper, beyond that it is handed over: it is read once either way.
  private static let copyLimit: Int64 = 4 << 20

  /// - Parameters:
  ///   - path: The program that is started: one that calls ``SandboxHelper/serve()`` when it is called by its name.
  ///   - limit: How many at once.
  ///   - warn: Told once if the kernel lacks one of the two means by which helpers are shut in, and they have the other.
  package init(
    _ path: String = "/proc/self/exe", limit: Int = Threads.cores, warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.limit = max(1, limit)
    self.warn = warn
  }

  /// The helpers that wait for work, by their numbers.
  package var idle: [Int32] { state.withLock { $0.idle.map(\.pid) } }

  package func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    while true {
      let (helper, isUsed) = try take()
      let result: Result<[UInt8], PixelFailure>?
      var trouble = Trouble.stuck
      do throws(Trouble) {
        result = try hand(work, body, facts, memory, to: helper)
      } catch {
        result = nil
        trouble = error
      }
      if let result {
        give(back: helper)
        return try result.get()
      }
      let signal = drop(helper)
      switch trouble {
      case .pixels(let failure): throw failure
      // One that had died while it had nothing to do: no image is to blame.
      case .ended(hadJob: false) where isUsed: continue
      case .ended, .stuck, .senseless: throw Self.failure(facts.format, signal, trouble)
      }
    }
  }

  private enum Trouble: Error {
    /// The job failed before the helper had any part in it.
    case pixels(PixelFailure)
    case ended(hadJob: Bool)
    case stuck
    /// It said what is no answer, and was ended for that.
    case senseless
  }

  private static func failure(_ format: ImageFormat, _ signal: Int32?, _ trouble: Trouble) -> PixelFailure {
    switch (trouble, signal) {
    case (.stuck, _): .damaged(format, reason: "the decoder came to no end")
    // The signal is our own then.
    case (.senseless, _): .damaged(format, reason: "the decoder gave up on it")
    // SIGKILL: what the kernel sends where memory runs out, be it the machine's or that of a group of processes.
    case (_, 9): .tooLarge(format, reason: "the system ended its decoder, as it does where memory runs short")
    // SIGXCPU.
    case (_, 24): .tooLarge(format, reason: "it takes more than \(seconds) s to decode")
    case (_, let signal?): .damaged(format, reason: "the decoder crashed on it (signal \(signal))")
    case (_, nil): .damaged(format, reason: "the decoder gave up on it")
    }
  }
}

// The helpers.
extension SandboxedExecutor {
  /// One that has nothing to do, or a new one; waits for one where there are as many as there may be.
  private func take() throws(PixelFailure) -> (HelperProcess, isUsed: Bool) {
    enum Way {
      case idle(HelperProcess)
      case new, none
    }
    let way = state.wait { state -> Way? in
      if state.isShut == false { return Way.none }
      if let helper = state.idle.popLast() { return .idle(helper) }
      if state.count >= limit { return nil }
      state.count += 1
      return .new
    }
    switch way {
    case .idle(let helper): return (helper, true)
    case .none?, nil: throw .notShutIn
    case .new:
      do throws(PixelFailure) { return (try start(), false) } catch {
        forgetOne()
        throw error
      }
    }
  }

  private func start() throws(PixelFailure) -> HelperProcess {
    let helper: HelperProcess
    let means: UInt8
    do throws(SystemError) { helper = try HelperProcess(path, name: SandboxHelper.name) } catch {
      throw .noHelper(error)
    }
    do throws(HelperProcess.Failure) { means = try helper.receive(1).first ?? 0 } catch {
      throw .noHelper(SystemError(.spawn, .noSuchProcess, path: path))
    }
    let isShut = HelperChannel.isShut(means)
    let isFirst = state.withLock { state in
      defer { state.isShut = isShut }
      return state.isShut == nil
    }
    // It has read nothing yet, and shall not: a flaw in a codec would be one of this program, with all rights of its user.
    guard isShut else { throw .notShutIn }
    if isFirst, !HelperChannel.hasLandlock(means) {
      warn("this kernel has no Landlock: what decodes images is kept from files and the network by seccomp alone")
    }
    return helper
  }

  private func give(back helper: HelperProcess) {
    state.withLock { $0.idle.append(helper) }
    state.signal()
  }

  private func drop(_ helper: HelperProcess) -> Int32? {
    let signal = helper.end()
    forgetOne()
    return signal
  }

  private func forgetOne() {
    state.withLock { $0.count -= 1 }
    state.signal()
  }

  /// Hands the work over and waits for what comes of it.
  private func hand(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, _ memory: Int64, to helper: HelperProcess
  ) throws(Trouble) -> Result<[UInt8], PixelFailure> {
    let encoded = work.encoded
    let file = try Self.file(of: body)
    let head = SandboxMessage.Job(
      facts, memory: memory, workLength: encoded.count, bodyLength: body.count, isFile: file != nil)
    helper.allow(seconds: Self.seconds)
    do throws(HelperProcess.Failure) { try helper.send((head.bytes + encoded).span, with: file) } catch {
      throw Self.trouble(error, hadJob: false)
    }
    if file == nil { try Self.send(body, to: helper) }
    do throws(HelperProcess.Failure) { _ = try helper.receive(1) } catch { throw Self.trouble(error, hadJob: false) }
    let result: Result<[UInt8], PixelFailure>?
    do throws(HelperProcess.Failure) {
      let answer = SandboxMessage.Reply(try helper.receive(SandboxMessage.Reply.size))
      result = try answer?.result(helper.receive(answer?.length ?? 0), facts.format)
    } catch { throw Self.trouble(error, hadJob: true) }
    // What is no answer comes from a helper that is not itself any more.
    guard let result else { throw .senseless }
    return result
  }

  /// The file that a large body lies in, once that is known to be what was stored.
  private static func file(of body: ImageBody) throws(Trouble) -> SharedDescriptor? {
    guard case .file(let stored) = body.content, stored.length > copyLimit else { return nil }
    if !body.isChecked {
      do throws(BodyReadFailure) { try body.read { (_) throws(SystemError) in } } catch {
        throw .pixels(PixelFailure(error))
      }
    }
    return stored.descriptor
  }

  private static func send(_ body: ImageBody, to helper: HelperProcess) throws(Trouble) {
    var lost: HelperProcess.Failure?
    do throws(BodyReadFailure) {
      try body.read { (piece) throws(SystemError) in
        guard lost == nil else { return }
        do throws(HelperProcess.Failure) { try helper.send(piece) } catch { lost = error }
      }
    } catch { throw .pixels(PixelFailure(error)) }
    if let lost { throw trouble(lost, hadJob: false) }
  }

  private static func trouble(_ failure: HelperProcess.Failure, hadJob: Bool) -> Trouble {
    switch failure {
    case .ended: .ended(hadJob: hadJob)
    case .stuck: .stuck
    case .system(let error): .pixels(.noHelper(error))
    }
  }
}
