import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

/// The helper process: its results, its failures, and what happens when it ends.
@Suite("Decoding in the sandbox") struct SandboxTests {
  private let warnings = Guarded<[String]>([])
  private let executor: SandboxedExecutor

  init() {
    let warnings = warnings
    executor = SandboxedExecutor(Program.path, limit: 2) { warning in warnings.withLock { $0.append(warning) } }
  }

  private func facts(_ bytes: [UInt8]) throws -> ImageFacts {
    var inspector = Inspector()
    try inspector.feed(bytes.span)
    return try inspector.finish()
  }

  private func perform(_ work: some PixelWork, _ bytes: [UInt8] = TestImages.png(width: 9, height: 9)) throws -> [UInt8]
  {
    try executor.perform(work, ImageBody(.bytes(bytes)), try facts(bytes), memory: 64 << 20)
  }

  @Test("Pixels are the same as without it", arguments: TestImages.samples().map(\.bytes))
  func same(bytes: [UInt8]) throws {
    let body = ImageBody(.bytes(bytes))
    let facts = try facts(bytes)
    let limits = PixelLimits(executor: executor)
    #expect(try PixelCheck.checksum(body, facts, limits) == PixelCheck.checksum(body, facts))
    // A helper scales JPEGs by a decoder of its own, whose pixels the tests of that decoder compare.
    let scaling: [ImageTransform.Step] =
      facts.format == .jpeg ? [] : [.resize(Resize(.box(PixelSize(7, 6)), fit: .cover))]
    let transform = ImageTransform(
      steps: scaling + [
        .crop(Crop(PixelSize(5, 5), x: 1, y: nil)), .autoOrient,
        .resize(Resize(.percent(150))), .resize(Resize(.width(11))), .resize(Resize(.height(12), fit: .fill)),
        .turn(.quarter),
      ], target: .format(.png), quality: 80, background: .init(red: 1, green: 2, blue: 3), strips: true,
      takesFirstFrame: true)
    #expect(ImageTransform(encoded: transform.encoded) == transform)
    func made(_ limits: PixelLimits) throws -> [UInt8] {
      guard case .bytes(let bytes) = try transform.apply(to: body, facts, limits).body.content else { return [] }
      return bytes
    }
    #expect(try made(limits) == made(PixelLimits()))
    #expect(try !made(limits).isEmpty)
    #expect(warnings.withLock { $0 }.isEmpty)
  }

  /// Wide enough for a picture at an eighth of its size, of each kind that the library's blocks
  /// can be taken for or not.
  static let described: [(name: String, bytes: [UInt8])] = {
    typealias Adjust = (inout TestImages.JPEGOptions) -> Void
    let kinds: [(String, Adjust)] = [
      ("4:4:4", { _ in }), ("4:2:0", { $0.sampling = (2, 2) }), ("4:2:2", { $0.sampling = (2, 1) }),
      ("4:4:0", { $0.sampling = (1, 2) }), ("4:1:0", { $0.sampling = (4, 2) }), ("grey", { $0.components = 1 }),
      ("ink", { $0.components = 4 }), ("progressive", { $0.progressive = true }),
      ("restarts", { ($0.restartInterval, $0.sampling) = (7, (2, 2)) }), ("turned", { $0.orientation = 6 }),
    ]
    return kinds.map { ($0.0, TestImages.jpeg(width: 603, height: 517, seed: 5, $0.1)) } + [
      ("without its end", Array(TestImages.jpeg(width: 603, height: 517) { $0.sampling = (2, 2) }.dropLast(2))),
      ("narrow", TestImages.jpeg(width: 640, height: 90)), ("PNG", TestImages.png(width: 603, height: 300)),
      ("GIF", TestImages.gif(width: 640, height: 400)), ("APNG", TestImages.apng(width: 640, height: 480, frames: 2)),
      ("animated WebP", TestImages.animatedWebP(width: 640, height: 480, frames: 2)),
      ("line", TestImages.png(width: 100, height: 3000)),
      ("grey line", TestImages.jpeg(width: 3000, height: 100) { $0.components = 1 }),
    ]
  }()

  @Test("A transform and details in one job are what they are in two", arguments: described.indices)
  func describedTransform(index: Int) throws {
    let (name, bytes) = Self.described[index]
    let isCut = name == "without its end"
    var facts = try facts(isCut ? bytes + [0xFF, 0xD9] : bytes)
    if isCut { facts.flaws.insert(.noEndMark) }
    let image = InspectedImage(body: ImageBody(.bytes(bytes)), facts: facts)
    func alone(_ work: some PixelWork) throws -> [UInt8] {
      try executor.perform(work, image.body, image.facts, memory: 64 << 20)
    }
    let wanted = ImageDetailSet([.thumbhash, .blurhash, .dhash, .phash, .exif])
    let details = try DetailWork(wanted).details(of: image.body, image.facts, PixelLimits(executor: executor))
    let crop = ImageTransform(
      steps: [.crop(Crop(PixelSize(80, 60), x: 3, y: 4)), .resize(Resize(.width(40)))], target: .format(.png))
    // Half, a quarter, an eighth of its size, and a part of which not all rows are read.
    for transform in [300, 150, 70].filter({ $0 < facts.width }).map({
      ImageTransform(steps: [.resize(Resize(.width($0)))])
    }) + [crop] {
      let both = try #require(
        try transform.apply(to: image, describing: wanted, PixelLimits(executor: executor)), "\(name)")
      #expect(both.details.encoded == details.encoded, "\(name) \(transform)")
      #expect(try both.made.body.bytes() == alone(transform), "\(name) \(transform)")
    }
    let work = DescribedTransform(crop, DetailWork(wanted))
    #expect(DescribedTransform(encoded: work.encoded) == work)
    #expect(DescribedTransform(encoded: Array(work.encoded.dropLast())) == nil)
  }

  @Test("A large file is passed and not copied, after its checksum was verified")
  func file() throws {
    let folder = try TemporaryFolder()
    let bytes = TestImages.png(bytes: 6 << 20)
    let path = try folder.write("a.png", bytes)
    let facts = try facts(bytes)
    func body(_ hash: ContentHash?) throws -> ImageBody {
      ImageBody(
        .file(
          .init(descriptor: SharedDescriptor(try .open(path, .read)), length: Int64(bytes.count), expectedHash: hash)))
    }
    #expect(try executor.perform(PixelCheck.decoding, body(nil), facts, memory: 64 << 20).isEmpty)
    let known = try body(ContentHash(of: bytes.span))
    #expect(try executor.perform(PixelCheck.decoding, known, facts, memory: 64 << 20).isEmpty)
    #expect(throws: PixelFailure.changed) {
      try executor.perform(PixelCheck.decoding, body(ContentHash(of: "another")), facts, memory: 64 << 20)
    }
  }

  @Test("A damaged image is reported with the library's text")
  func damaged() throws {
    var bytes = TestImages.jpeg(bytes: 3000)
    let facts = try facts(bytes)
    bytes.replaceSubrange(100..., with: [UInt8](repeating: 0, count: bytes.count - 100))
    func failure(_ limits: PixelLimits) -> PixelFailure? {
      do throws(PixelFailure) {
        try PixelCheck.verify(ImageBody(.bytes(bytes)), facts, limits)
        return nil
      } catch { return error }
    }
    let there = failure(PixelLimits(executor: executor))
    #expect(there != nil)
    #expect(there == failure(PixelLimits()))
  }

  @Test("A crash fails that image alone, and so does an invalid reply")
  func crash() throws {
    #expect(try perform(PixelCheck.decoding).isEmpty)
    for work in [SandboxTrial.signal(SIGABRT), .babble] {
      do throws(PixelFailure) {
        let image = TestImages.png(width: 9, height: 9)
        let facts = ImageFacts(format: .png, width: 9, height: 9)
        _ = try executor.perform(work, ImageBody(.bytes(image)), facts, memory: 1 << 20)
        Issue.record("\(work) went well")
      } catch {
        #expect(error.fetchError(of: "a.png").kind == .limit, "\(error)")
        #expect(error.description.contains("decoder"), "\(error)")
      }
      #expect(try perform(PixelCheck.decoding).isEmpty)
    }
  }

  @Test("A helper that was killed while idle fails no image")
  func killedIdle() throws {
    #expect(try perform(PixelCheck.decoding).isEmpty)
    let pid = try #require(executor.idle.first)
    kill(pid, SIGKILL)
    #expect(try perform(PixelCheck.decoding).isEmpty)
    #expect(executor.idle.first != pid)
  }

  @Test("A helper outlives the thread that started it")
  func outlivesThread() throws {
    try together(1) { _ in _ = try perform(PixelCheck.decoding) }
    let pid = try #require(executor.idle.first)
    // If it had ended with the thread, this would start another one.
    #expect(try perform(PixelCheck.decoding).isEmpty)
    #expect(executor.idle == [pid])
  }

  @Test("Helpers are reused, and their number is limited")
  func reused() throws {
    let state = Guarded((pids: Set<Int32>(), failures: 0))
    try together(8) { [executor] _ in
      for _ in 0..<5 {
        let isRight = (try? perform(PixelCheck.decoding)) != nil
        state.withLock { state in
          state.pids.formUnion(executor.idle)
          if !isRight { state.failures += 1 }
        }
      }
    }
    #expect(state.withLock { $0.failures } == 0)
    #expect(state.withLock { $0.pids.count } <= 2)
  }

  @Test("Where the system allows no second helper, the images wait for the first")
  func oneOnly() async {
    await #expect(processExitsWith: .success) {
      let executor = SandboxedExecutor(Program.path, limit: 4) { _ in }
      let (starts, failures) = (Guarded(0), Guarded(0))
      Faults.arm { call, _ in
        guard call == .spawn else { return .proceed }
        return starts.withLock { starts in
          starts += 1
          return starts == 1 ? .proceed : .fail(.tryAgain)
        }
      }
      let png = TestImages.png(width: 9, height: 9)
      @Sendable func decode() {
        let facts = ImageFacts(format: .png, width: 9, height: 9)
        let result = try? executor.perform(PixelCheck.decoding, ImageBody(.bytes(png)), facts, memory: 64 << 20)
        if result == nil { failures.withLock { $0 += 1 } }
      }
      // The first one is there before the others are wanted.
      decode()
      try together(8) { _ in for _ in 0..<20 { decode() } }
      Faults.disarm()
      #expect(starts.withLock { $0 } > 1 && failures.withLock { $0 } == 0)
    }
  }

  @Test("If no helper can be started nothing is decoded, and the message names the option that helps")
  func noHelper() throws {
    let executor = SandboxedExecutor("/nowhere/imgfetch", limit: 1) { _ in }
    for _ in 0..<2 {
      do throws(PixelFailure) {
        _ = try executor.perform(
          PixelCheck.decoding, ImageBody(.bytes([])), ImageFacts(format: .png, width: 1, height: 1), memory: 1)
        Issue.record("it was decoded")
      } catch {
        let told = error.fetchError(of: "a.png")
        #expect(told.kind == .file)
        #expect(told.message.contains("/nowhere/imgfetch") && told.remedy == .decodeUnprotected, "\(told)")
      }
    }
  }
}
