import CImageShim

/// The messages between a program and its helper.
///
/// A job is its head, the work, and the body unless that is passed as a file. The helper says when it has
/// received all of it and begins. Then it sends the reply: a head, and the result or an error text. The helper
/// trusts the program. The program does not trust the helper, which an image may have taken over, so every number
/// is checked before it is used.
enum SandboxMessage {
  /// A job's head, of fixed size.
  struct Job {
    static let size = 72

    var facts: ImageFacts
    var memory: Int64
    var workLength: Int
    var bodyLength: Int64
    /// True if the body is a file that comes with the head, instead of the bytes that follow.
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
      writer.put(facts.flaws.bits)
      writer.put(raw: repeatElement(0, count: max(0, Self.size - writer.bytes.count)))
      return writer.bytes
    }
  }

  /// A reply's head.
  struct Reply {
    static let size = 16
    /// The job could not be parsed: the helper is of another build.
    static let notUnderstood = IMGFETCH_NO_LIBRARY + 1

    /// The kind of trouble, in the numbers of the C libraries, or ``notUnderstood``.
    var kind: Int
    var errno: Int32
    var length: Int
  }

  /// The byte that the helper sends when it begins.
  static let begun: UInt8 = 1

  /// The longest result, which is an image; no run can use a larger one. Each work has a bound of its own within that.
  static let longestAnswer = 1 << 30
  /// The longest error text.
  static let longestReason = 1024
  static let longestWork = 1 << 20
}

extension SandboxMessage.Job {
  /// Nil where the bytes are not a job's head.
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
      let profile = reader.take(UInt8.self), let isFile = reader.take(UInt8.self), let flaws = reader.take(UInt32.self),
      workLength <= SandboxMessage.longestWork, bodyLength >= 0, width > 0, height > 0, frames > 0
    else { return nil }
    facts = ImageFacts(
      format: format, width: Int(width), height: Int(height), frames: Int(frames), bits: Int(bits),
      hasAlpha: alpha != 0, orientation: Int(orientation), loopCount: loops < 0 ? nil : Int(loops),
      hasColourProfile: profile != 0, colourModel: model, flaws: ImageFlaws(bits: flaws))
    self.memory = memory
    self.workLength = Int(workLength)
    self.bodyLength = bodyLength
    self.isFile = isFile != 0
  }
}

extension SandboxMessage.Reply {
  /// The reply to a result, as head and following bytes.
  static func bytes(of result: Result<[UInt8], PixelFailure>) -> (head: [UInt8], rest: [UInt8]) {
    let reply: SandboxMessage.Reply
    let rest: [UInt8]
    switch result {
    case .success(let bytes):
      rest = bytes
      reply = SandboxMessage.Reply(kind: IMGFETCH_FINE, errno: 0, length: rest.count)
    case .failure(let failure):
      let (kind, reason, errno): (Int, String, Int32) =
        switch failure {
        case .damaged(_, let reason): (IMGFETCH_DAMAGED, reason, 0)
        case .overLimit(_, let reason), .tooLarge(_, let reason): (IMGFETCH_TOO_LARGE, reason, 0)
        case .unsupported(_, let reason): (IMGFETCH_UNSUPPORTED, reason, 0)
        case .noLibrary(_, let name): (IMGFETCH_NO_LIBRARY, name, 0)
        case .unreadable(let error): (IMGFETCH_UNREADABLE, "", error.code.rawValue)
        case .slow, .crashed, .changed, .noHelper, .noSandbox, .noMemory, .overtime, .stopped: (notUnderstood, "", 0)
        }
      rest = Array(reason.utf8.prefix(SandboxMessage.longestReason))
      reply = SandboxMessage.Reply(kind: kind, errno: errno, length: rest.count)
    }
    var writer = ByteWriter(capacity: size)
    writer.put(UInt8(clamping: reply.kind))
    writer.put(raw: [0, 0, 0])
    writer.put(reply.errno)
    writer.put(Int64(reply.length))
    return (writer.bytes, rest)
  }

  /// Nil where the bytes are not a reply's head, or announce more than is accepted.
  init?(_ bytes: [UInt8], longest: Int = SandboxMessage.longestAnswer) {
    var reader = ByteReader(bytes)
    guard let kind = reader.take(UInt8.self).map(Int.init), kind <= Self.notUnderstood, reader.takeRaw(3) != nil,
      let errno = reader.take(Int32.self), let length = reader.take(Int64.self), length >= 0,
      length <= (kind == IMGFETCH_FINE ? min(longest, SandboxMessage.longestAnswer) : SandboxMessage.longestReason)
    else { return nil }
    self.init(kind: kind, errno: errno, length: Int(length))
  }

  /// The result in the bytes that followed the head, or nil where the work was not even begun.
  func result(_ rest: [UInt8], _ format: ImageFormat) -> Result<[UInt8], PixelFailure>? {
    switch kind {
    case IMGFETCH_FINE: .success(rest)
    case Self.notUnderstood: nil
    default: .failure(PixelFailure(kind, errno, rest, format))
    }
  }
}
