/// Does pixel work in sandboxed helper processes.
///
/// A helper is started when there is work and all others are busy, up to one per core, and is reused: starting one takes two milliseconds,
/// sending it an image some tens of microseconds. If one crashes, only its current image fails.
package final class SandboxedExecutor: PixelExecutor {
  private struct State {
    var idle: [(helper: HelperProcess, kind: HelperKind)] = []
    /// The number of living helpers, including busy ones.
    var count = 0
    /// Whether the kernel can restrict helpers; nil before the first was started.
    var canSandbox: Bool?
    /// True: helpers end with their work.
    var isClosed = false
  }

  private let state = Guarded(State())
  private let path: String
  private let limit: Int
  private let warn: @Sendable (String) -> Void

  /// The processor time for one image, in seconds: what the largest one (256 million pixels) takes from one lossless WebP to another.
  static let seconds: Int64 = 300
  /// Up to this size a file is copied to the helper, beyond it the descriptor is passed. Either way it is read once.
  private static let copyLimit: Int64 = 4 << 20

  /// - Parameters:
  ///   - path: The program to start, which must call ``SandboxHelper/serve()`` when it is started under the helper's name.
  ///   - limit: The number of helpers.
  ///   - warn: Called once if the kernel supports only one of the two means of restriction.
  package init(
    _ path: String = "/proc/self/exe", limit: Int = Threads.cores, warn: @escaping @Sendable (String) -> Void
  ) {
    self.path = path
    self.limit = max(1, limit)
    self.warn = warn
  }

  package var isShutIn: Bool { true }

  /// The process numbers of idle helpers.
  package var idle: [Int32] { state.withLock { $0.idle.map(\.helper.pid) } }

  package func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    let kind = HelperKind(for: work.formats(for: facts))
    if memory > MachineMemory.forOneProcess { throw .noMemory(facts.format, needed: memory) }
    while true {
      let (helper, isUsed) = try acquire(kind)
      let result: Result<[UInt8], PixelFailure>?
      var trouble = Trouble.stuck
      do throws(Trouble) {
        result = try run(encoded: work.encoded, body, facts, memory, in: helper)
      } catch {
        result = nil
        trouble = error
      }
      if let result {
        release(helper, kind)
        do throws(PixelFailure) { return try result.get() } catch { throw Self.told(error, facts.format, memory) }
      }
      let signal = terminate(helper)
      switch trouble {
      case .pixels(let failure): throw failure
      // It had died while it was idle, so this image is not to blame.
      case .ended(hadJob: false) where isUsed: continue
      case .ended, .stuck, .invalidReply:
        throw Self.told(Self.failure(facts.format, signal, trouble), facts.format, memory)
      }
    }
  }

  /// A failure for want of memory is this machine's, and not the image's, where a helper cannot have what was reserved for the image.
  private static func told(_ failure: PixelFailure, _ format: ImageFormat, _ memory: Int64) -> PixelFailure {
    guard case .tooLarge = failure, memory > MachineMemory.forOneProcess - ownMemory else { return failure }
    return .noMemory(format, needed: memory)
  }

  /// A helper maps so much beside what images take: itself, its libraries, its stack.
  private static let ownMemory: Int64 = 256 << 20

  enum Trouble: Error {
    /// The job failed before the helper was involved.
    case pixels(PixelFailure)
    case ended(hadJob: Bool)
    case stuck
    /// It sent an invalid reply, and was killed for that.
    case invalidReply
  }

  static func failure(_ format: ImageFormat, _ signal: Int32?, _ trouble: Trouble) -> PixelFailure {
    switch (trouble, signal) {
    case (.stuck, _): .damaged(format, reason: "the decoder did not finish")
    // The signal is our own then.
    case (.invalidReply, _): .damaged(format, reason: "the decoder failed")
    // SIGKILL: the kernel sends it when the machine or the control group runs out of memory.
    case (_, 9): .tooLarge(format, reason: "the system killed its decoder, as it does when memory runs out")
    // SIGXCPU.
    case (_, 24): .tooLarge(format, reason: "it takes more than \(seconds) s to decode")
    case (_, let signal?): .damaged(format, reason: "the decoder crashed on it (signal \(signal))")
    case (_, nil): .damaged(format, reason: "the decoder failed")
    }
  }
}

// Starting and stopping helpers, and passing jobs to them.
extension SandboxedExecutor {
  /// Returns an idle helper of this kind or a new one, for which an idle one of another kind is ended if the limit is reached. Waits where
  /// all are busy.
  func acquire(_ kind: HelperKind) throws(PixelFailure) -> (HelperProcess, isUsed: Bool) {
    enum Source {
      case idle(HelperProcess)
      case new(inPlaceOf: HelperProcess?)
      case none
    }
    let source = state.wait { state -> Source? in
      if state.canSandbox == false { return Source.none }
      if let place = state.idle.lastIndex(where: { $0.kind == kind }) {
        return .idle(state.idle.remove(at: place).helper)
      }
      if state.count >= limit {
        guard !state.idle.isEmpty else { return nil }
        // The one that has been idle for longest. Its place in the count goes to the new one.
        return .new(inPlaceOf: state.idle.removeFirst().helper)
      }
      state.count += 1
      return .new(inPlaceOf: nil)
    }
    switch source {
    case .idle(let helper): return (helper, true)
    case .none?, nil: throw .noSandbox
    case .new(let other):
      _ = other?.end()
      do throws(PixelFailure) { return (try start(kind), false) } catch {
        uncount()
        throw error
      }
    }
  }

  private func start(_ kind: HelperKind) throws(PixelFailure) -> HelperProcess {
    let helper: HelperProcess
    let means: UInt8
    do throws(SystemError) { helper = try HelperProcess(path, name: kind.processName) } catch {
      throw .noHelper(error)
    }
    do throws(HelperProcess.Failure) { means = try helper.receive(1).first ?? 0 } catch {
      throw .noHelper(SystemError(.spawn, .noSuchProcess, path: path))
    }
    let canSandbox = HelperChannel.isShut(means)
    let isFirst = state.withLock { state in
      defer { state.canSandbox = canSandbox }
      return state.canSandbox == nil
    }
    // It has read nothing yet and must not: a flaw in a codec would give away all rights of this program's user.
    guard canSandbox else { throw .noSandbox }
    if isFirst, !HelperChannel.hasLandlock(means) {
      warn("this kernel has no Landlock: what decodes images is kept from files and the network by seccomp alone")
    }
    return helper
  }

  func release(_ helper: HelperProcess, _ kind: HelperKind) {
    let isKept = state.withLock { state in
      if !state.isClosed { state.idle.append((helper, kind)) }
      return !state.isClosed
    }
    if isKept { state.signal() } else { _ = terminate(helper) }
  }

  package func close() {
    let idle = state.withLock { state in
      state.isClosed = true
      defer { state.idle = [] }
      return state.idle
    }
    for (helper, _) in idle { _ = terminate(helper) }
  }

  func terminate(_ helper: HelperProcess) -> Int32? {
    let signal = helper.end()
    uncount()
    return signal
  }

  private func uncount() {
    state.withLock { $0.count -= 1 }
    state.signal()
  }

  /// Sends the job and waits for its result.
  func run(
    encoded: [UInt8], _ body: ImageBody, _ facts: ImageFacts, _ memory: Int64, in helper: HelperProcess
  ) throws(Trouble) -> Result<[UInt8], PixelFailure> {
    let file = try Self.file(of: body)
    let head = SandboxMessage.Job(
      facts: facts, memory: memory, workLength: encoded.count, bodyLength: body.count, isFile: file != nil)
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
    // Only a helper that was taken over sends an invalid reply.
    guard let result else { throw .invalidReply }
    return result
  }

  /// The file that contains a large body, after its checksum was verified. A helper gets no file in which other images are.
  private static func file(of body: ImageBody) throws(Trouble) -> SharedDescriptor? {
    guard case .file(let stored) = body.content, stored.length > copyLimit, !stored.isShared else { return nil }
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

  static func trouble(_ failure: HelperProcess.Failure, hadJob: Bool) -> Trouble {
    switch failure {
    case .ended: .ended(hadJob: hadJob)
    case .stuck: .stuck
    case .system(let error): .pixels(.noHelper(error))
    }
  }
}

/// A kind of helper: which libraries it loads before it gives up the right to.
package struct HelperKind: Sendable, Hashable {
  /// Those whose libraries are loaded late; none for everything that is linked.
  let formats: Set<ImageFormat>

  /// The kind for work on these formats.
  init(for formats: Set<ImageFormat>) { self.formats = formats.filter { $0.lateLibrary != nil } }

  /// The kind of a process with this name; nil: it is no helper.
  package init?(processName: String) {
    guard processName.hasPrefix(Self.prefix) else { return nil }
    let words = processName.dropFirst(Self.prefix.count).split(separator: "-")
    formats = Set(words.compactMap { ImageFormat(rawValue: String($0)) })
  }

  /// The process name by which the program recognises that it is a helper, and of which kind.
  package var processName: String {
    formats.map(\.rawValue).sorted().reduce(Self.prefix) { "\($0)-\($1)" }
  }

  private static let prefix = "imgfetch-pixels"

  /// Whether a library decodes on a thread of its own, and cannot without.
  var needsThreads: Bool {
    formats.contains { format in
      if case .late(_, usesThreads: true) = format.traits.library { true } else { false }
    }
  }

  /// Loads the libraries and decodes a sample with each. A failure is that of the image to come, which will meet it too.
  func prepare() {
    for format in formats { format.prepareDecoder() }
  }
}
