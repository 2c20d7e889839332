/// The process in which strangers' pixels are touched.
///
/// The program's own binary, started again under a name of its own. It gives up everything but its channel before it reads the
/// first byte, then does what it is told, one job after another, until the channel ends. It ends with the program, however that
/// ends.
package enum SandboxHelper {
  /// What it is called, and by what it knows what it is.
  package static let name = "imgfetch-pixels"

  /// Three quarters of a gigabyte are the most that images are given (``PixelMemory``); an encoded one may be as large as 256 MB
  /// and lie there twice, and the rest is for the program itself.
  private static let memory: UInt64 = 1536 << 20

  /// Serves until there is nobody to serve. To be called first of all, in a process that has done nothing yet.
  package static func serve() {
    Surroundings.tuneMemory()
    ColourProfile.prepare()
    let channel = HelperChannel()
    let means = channel.shutIn(memory: memory)
    guard channel.send([UInt8(truncatingIfNeeded: means)]) else { return }
    while let head = channel.receive(SandboxMessage.Job.size) {
      guard let job = SandboxMessage.Job(head.bytes), let work = channel.receive(job.workLength)?.bytes else { return }
      let body: ImageBody
      if job.isFile {
        guard let file = head.file else { return }
        body = ImageBody(.file(.init(descriptor: file, length: job.bodyLength, expectedHash: nil)))
      } else {
        guard let length = Int(exactly: job.bodyLength), let bytes = channel.receive(length)?.bytes else { return }
        body = ImageBody(.bytes(bytes))
      }
      // From here on a death is this image's doing.
      guard channel.send([SandboxMessage.begun]) else { return }
      let answer = SandboxMessage.Reply.bytes(of: perform(work, body, job))
      guard channel.send(answer.head), answer.rest.isEmpty || channel.send(answer.rest) else { return }
    }
  }

  private static func perform(
    _ work: [UInt8], _ body: ImageBody, _ job: SandboxMessage.Job
  ) -> Result<[UInt8], PixelFailure> {
    do throws(PixelFailure) {
      if let check = work.first.flatMap(PixelCheck.init(rawValue:)) {
        return .success(try check.run(body, job.facts, memory: job.memory))
      }
      if let trial = SandboxTrial(encoded: work) {
        return .success(try trial.run(body, job.facts, memory: job.memory))
      }
      if let transform = ImageTransform(encoded: work) {
        return .success(try transform.run(body, job.facts, memory: job.memory))
      }
      return .failure(.changed)
    } catch { return .failure(error) }
  }
}

/// What goes over the channel between a program and the process that touches pixels for it.
///
/// A job is its head, the work, and the body unless that is handed over as a file. The helper says when it has all of it and
/// begins; then follows the answer: its head and what came of the work, or the words of a failure. The helper believes the program. The program believes nothing: whoever answers may
/// have been taken over by an image, so that every number is checked before it is used.
enum SandboxMessage {
  /// A job's head: what it says, in bytes of a fixed number.
  struct Job {
    static let size = 72

    var facts: ImageFacts
    var memory: Int64
    var workLength: Int
    var bodyLength: Int64
    /// The body is a file that comes with the head, and not what follows it.
    var isFile: Bool

    var bytes: [UInt8] {
      var writer = ByteWriter(capacity: Self.size)
      writer.put(UInt64(clamping: workLength))
      writer.put(bodyLength)
      writer.put(memory)
      for number in [facts.width, facts.height, facts.frames, facts.loopCount ?? -1] { writer.put(Int64(number)) }
      let format = ImageFormat.allCases.firstIndex(of: facts.format) ?? 0
      let model = ImageFacts.ColourModel.allCases.firstIndex(of: facts.colourModel) ?? 0
      for number in [format, model, facts.bits, facts.orientation] { writer.put(UInt8(clamping: number)) }
      for flag in [facts.hasAlpha, facts.hasColourProfile, isFile] { writer.put(UInt8(flag ? 1 : 0)) }
      writer.put(raw: repeatElement(0, count: max(0, Self.size - writer.bytes.count)))
      return writer.bytes
    }
  }

  /// An answer's head.
  struct Reply {
    static let size = 16

    var outcome: Outcome
    var errno: Int32
    var length: Int
  }

  /// The byte that says that the work is begun.
  static let begun: UInt8 = 1

  /// How the work went.
  enum Outcome: UInt8 {
    case done, damaged, tooLarge, unsupported, unreadable
    /// The job could not be understood: the helper is not of the same build.
    case strange
  }

  /// An image is answered by an image, of which a run has use for so much at the very most.
  static let longestAnswer = 1 << 30
  /// A library's words about a failure are shorter.
  static let longestReason = 1024
  static let longestWork = 1 << 20
}

extension SandboxMessage.Job {
  init(_ facts: ImageFacts, memory: Int64, workLength: Int, bodyLength: Int64, isFile: Bool) {
    (self.facts, self.memory, self.workLength) = (facts, memory, workLength)
    (self.bodyLength, self.isFile) = (bodyLength, isFile)
  }

  /// Nil where the bytes are no job's.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    func index<Element>(_ number: UInt8, _ all: [Element]) -> Element? {
      Int(number) < all.count ? all[Int(number)] : nil
    }
    guard bytes.count == Self.size, let workLength = reader.take(UInt64.self), let bodyLength = reader.take(Int64.self),
      let memory = reader.take(Int64.self), let width = reader.take(Int64.self), let height = reader.take(Int64.self),
      let frames = reader.take(Int64.self), let loops = reader.take(Int64.self),
      let format = reader.take(UInt8.self).flatMap({ index($0, ImageFormat.allCases) }),
      let model = reader.take(UInt8.self).flatMap({ index($0, ImageFacts.ColourModel.allCases) }),
      let bits = reader.take(UInt8.self), let orientation = reader.take(UInt8.self),
      let alpha = reader.take(UInt8.self),
      let profile = reader.take(UInt8.self), let isFile = reader.take(UInt8.self),
      workLength <= SandboxMessage.longestWork, bodyLength >= 0, width > 0, height > 0, frames > 0
    else { return nil }
    facts = ImageFacts(
      format: format, width: Int(width), height: Int(height), frames: Int(frames), bits: Int(bits),
      hasAlpha: alpha != 0, orientation: Int(orientation), loopCount: loops < 0 ? nil : Int(loops),
      hasColourProfile: profile != 0, colourModel: model)
    self.memory = memory
    self.workLength = Int(workLength)
    self.bodyLength = bodyLength
    self.isFile = isFile != 0
  }
}

extension SandboxMessage.Reply {
  /// What the helper says of the work, with the bytes that follow.
  static func bytes(of result: Result<[UInt8], PixelFailure>) -> (head: [UInt8], rest: [UInt8]) {
    let reply: SandboxMessage.Reply
    let rest: [UInt8]
    switch result {
    case .success(let bytes):
      rest = bytes
      reply = SandboxMessage.Reply(outcome: .done, errno: 0, length: rest.count)
    case .failure(let failure):
      let (outcome, reason, errno): (SandboxMessage.Outcome, String, Int32) =
        switch failure {
        case .damaged(_, let reason): (.damaged, reason, 0)
        case .tooLarge(_, let reason): (.tooLarge, reason, 0)
        case .unsupported(_, let reason): (.unsupported, reason, 0)
        case .unreadable(let error): (.unreadable, "", error.code.rawValue)
        case .changed, .noHelper, .notShutIn: (.strange, "", 0)
        }
      rest = Array(reason.utf8.prefix(SandboxMessage.longestReason))
      reply = SandboxMessage.Reply(outcome: outcome, errno: errno, length: rest.count)
    }
    var writer = ByteWriter(capacity: size)
    writer.put(reply.outcome.rawValue)
    writer.put(raw: [0, 0, 0])
    writer.put(reply.errno)
    writer.put(Int64(reply.length))
    return (writer.bytes, rest)
  }

  /// Nil where the bytes are no answer's, or promise more than is taken.
  init?(_ bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let outcome = reader.take(UInt8.self).flatMap(SandboxMessage.Outcome.init(rawValue:)),
      reader.takeRaw(3) != nil,
      let errno = reader.take(Int32.self), let length = reader.take(Int64.self), length >= 0,
      length <= (outcome == .done ? SandboxMessage.longestAnswer : SandboxMessage.longestReason)
    else { return nil }
    self.init(outcome: outcome, errno: errno, length: Int(length))
  }

  /// What the work came to, with the bytes that followed the head; nil where it did not even begin.
  func result(_ rest: [UInt8], _ format: ImageFormat) -> Result<[UInt8], PixelFailure>? {
    // The words end up in messages, and may be an attacker's.
    let reason = String(decoding: rest.map { 0x20...0x7E ~= $0 ? $0 : 0x3F }, as: UTF8.self)
    switch outcome {
    case .done: return .success(rest)
    case .damaged: return .failure(.damaged(format, reason: reason))
    case .tooLarge: return .failure(.tooLarge(format, reason: reason))
    case .unsupported: return .failure(.unsupported(format, reason: reason))
    case .unreadable: return .failure(.unreadable(SystemError(.pread, Errno(rawValue: errno))))
    case .strange: return nil
    }
  }
}
