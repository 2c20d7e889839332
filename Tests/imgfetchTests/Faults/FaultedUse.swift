import Glibc
import ImgfetchCore
import TestSupport

@testable import imgfetch

/// The activity of the program while a system call fails again and again.
enum FaultedUse: String, Sendable {
  /// One image that is too large to be held in memory while it comes. There are no files before.
  case get
  /// One that is held in memory.
  case small
  /// One by the name that its URL gives it, which its file notes.
  case named
  /// The same for the second time; and when the origin has another image by then.
  case again, update
  /// One that is stored; is stored and past its age, and is confirmed; or is not the origin's any
  /// more, and is held in memory.
  case hit, confirm, renew
  /// One that is stored, and stays in its file until it is written.
  case hitLarge
  /// One of which a part is there; and when the origin has another image by then.
  case resume, restart
  /// The server breaks off the answer.
  case breakOff
  /// One that is not to be stored; that is stored and whose checksum is demanded; with the time that the server names.
  case uncached, checked, dated
  /// There is a configuration; the URL is in a list, comes through a pipe, or out of a file that
  /// was read in part before.
  case configured, listed, piped, redirected
  /// The pixels are decoded, by the program as it is and by a process that does start.
  case decode, helper
  /// The output is a socket.
  case toSocket
  /// All of the cache goes.
  case clean

  /// The needs of the use that the test provides.
  struct Stage: Codable, Sendable {
    /// The server's.
    let origin: String
    /// The path of the program.
    let program: String
  }

  /// A run in which nothing fails.
  var ending: FaultedOutcome.Ending {
    switch self {
    case .breakOff: .init(code: 3, words: "broken off")
    default: .wordless
    }
  }

  /// The program that runs the tests is not the one that decodes, and at the socket nothing listens.
  var canEndWell: Bool { self != .decode && self != .toSocket }

  var name: String { self == .small ? "small.jpg" : "a.jpg" }
  private func url(_ stage: Stage) -> String { "\(stage.origin)/\(rawValue)/\(name)" }
  func key(_ stage: Stage) -> CacheKey { CacheKey(url: url(stage)) }

  private static let newImage = FaultedOperation.image("a.jpg")
  private static let oldImage = FaultedOperation.image("a.jpg", isNew: false)
  private static let smallImage = TestImages.jpeg(bytes: 20_000, seed: 99)
  private static let oldSmallImage = TestImages.jpeg(bytes: 20_000, seed: 97)
  /// Large enough for the disk to be waited for when it is broken off.
  static let largeImage = TestImages.jpeg(bytes: 400_000, seed: 98)

  /// The contents of the file and the cache before, and after a success.
  var file: (before: [UInt8]?, after: [UInt8]?) {
    switch self {
    case .breakOff, .decode, .helper, .toSocket, .clean: (nil, nil)
    case .renew: (Self.oldSmallImage, Self.smallImage)
    case .update: (Self.oldImage, Self.newImage)
    case .again: (Self.newImage, Self.newImage)
    case .small: (nil, Self.smallImage)
    case .checked, .hitLarge: (nil, Self.largeImage)
    default: (nil, Self.newImage)
    }
  }
  var entry: (before: [UInt8]?, after: [UInt8]?) {
    switch self {
    case .breakOff, .decode, .helper, .uncached: (nil, nil)
    case .renew: (Self.oldSmallImage, Self.smallImage)
    case .update: (Self.oldImage, Self.newImage)
    case .again, .hit, .confirm: (Self.newImage, Self.newImage)
    case .checked, .hitLarge: (Self.largeImage, Self.largeImage)
    case .clean: (Self.newImage, nil)
    case .small: (nil, Self.smallImage)
    default: (nil, Self.newImage)
    }
  }

  /// Has a server answer.
  func serve(on server: TestServer) {
    let isOther = [.renew, .update, .restart].contains(self)
    let new = Resource(
      self == .breakOff ? Self.largeImage : entry.after ?? Self.newImage, etag: "\"new\"",
      lastModified: self == .dated ? "Sun, 06 Nov 1994 08:49:37 GMT" : nil)
    let old = isOther ? Resource(entry.before ?? Self.oldImage, etag: "\"old\"") : new
    let cut: Int? = self == .resume || self == .restart ? 60_000 : self == .breakOff ? 300_000 : nil
    server.on("/\(rawValue)/\(name)") { request in
      let isFirst = request.ordinal == 1
      let answer = (isFirst ? old : new).answer(request)
      guard let cut, isFirst || self == .breakOff else { return answer }
      return answer.cutAfter(cut)
    }
  }

  /// The folder as it is before.
  func prepared(_ stage: Stage) throws -> TemporaryFolder {
    let place = try FaultedRun.place()
    let first: [String]? =
      switch self {
      case .again, .update: ["get", "--retry", "0", url(stage)]
      case .hit, .hitLarge, .confirm, .renew, .checked, .resume, .restart, .clean:
        ["prefetch", "--retry", "0", url(stage)]
      default: nil
      }
    if let first {
      let run = try FaultedRun(first, in: place)
      let expected: Int32 = self == .resume || self == .restart ? 3 : 0
      guard run.exitCode == expected else { throw CommandError("\(self) cannot be prepared: \(run)") }
    }
    if [.confirm, .renew, .update].contains(self) {
      for file in place.files(in: "home/.cache/imgfetch/v1/default") where file != "ledger" {
        try Command.setTimes(of: place.path("home/.cache/imgfetch/v1/default/\(file)"), daysAgo: 30)
      }
    }
    switch self {
    case .renew:
      try place.write("work/a.jpg", Self.oldSmallImage)
      // Another mode than a new file's, so that it has to be set.
      try Command.setMode(of: place.path("work/a.jpg"), 0o600)
      // The same of the group, which root alone can give away.
      _ = chown(place.path("work/a.jpg"), uid_t.max, 1)
    case .configured: try place.write("home/.config/imgfetch/config", "retry = 0\n")
    case .listed: try place.write("work/list.txt", "\(url(stage))\n")
    case .checked:
      let hex = SHA256.digest(of: Self.largeImage.span).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      try place.write("work/list.txt", "\(url(stage))\ta.jpg\tsha256=\(hex)\n")
    default: break
    }
    return place
  }

  func run(_ stage: Stage, in place: TemporaryFolder, _ decide: @escaping FaultedRun.Decision) throws -> FaultedRun {
    let get = ["get", "--retry", "0", "--no-auto-clean"]
    let one = get + ["-o", name]
    switch self {
    case .clean: return try FaultedRun(["cache", "clean", "--max-size", "1"], in: place, decide)
    case .named, .again, .update: return try FaultedRun(get + [url(stage)], in: place, decide)
    case .listed, .checked: return try FaultedRun(get + ["-i", "list.txt"], in: place, decide)
    case .decode: return try FaultedRun(one + ["--verify", "decode", url(stage)], in: place, decide)
    case .uncached: return try FaultedRun(one + ["--cache", "off", url(stage)], in: place, decide)
    case .dated: return try FaultedRun(one + ["--remote-time", url(stage)], in: place, decide)
    case .piped:
      let input = try Self.pipe(of: "\(url(stage))\n")
      return try FaultedRun(get + ["-i", "-"], in: place, input: input.raw, decide)
    case .redirected:
      let before = "\(stage.origin)/none.jpg\n"
      let input = try Descriptor.open(place.write("list.txt", "\(before)\(url(stage))\n"), .read)
      lseek(input.raw, before.utf8.count, SEEK_SET)
      return try FaultedRun(get + ["-i", "-"], in: place, input: input.raw, decide)
    case .helper: return try FaultedRun(in: place, decide) { Self.decode(by: stage.program) }
    case .toSocket:
      try Self.bind(place.path("work/\(name)"))
      return try FaultedRun(one + [url(stage)], in: place, decide)
    default: return try FaultedRun(one + [url(stage)], in: place, decide)
    }
  }

  /// The exit code of `--verify decode` if the program is not the one that runs the tests.
  private static func decode(by program: String) -> Int32 {
    let bytes = TestImages.png(width: 9, height: 9)
    var inspector = Inspector()
    guard (try? inspector.feed(bytes.span)) != nil, let facts = try? inspector.finish() else { return EX_DATAERR }
    let executor = SandboxedExecutor(program) { _ in }
    do throws(PixelFailure) {
      try PixelCheck.verify(ImageBody(.bytes(bytes)), facts, PixelLimits(executor: executor))
      return ExitCode.success
    } catch {
      let error = error.fetchError(of: "a.png")
      Messages().error(error.message)
      return ExitCode.code(of: error.kind)
    }
  }

  private static func pipe(of text: String) throws -> Descriptor {
    let (reader, writer) = try Pipes.open()
    try Descriptor(owning: writer).write(Array(text.utf8).span)
    return Descriptor(owning: reader)
  }

  private static func bind(_ path: String) throws {
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    if !isBound { throw CommandError("no socket can be bound at \(path)") }
  }
}
