import TestSupport
import Testing

@testable import ImgfetchCore

/// Makes "made of" of every image, and counts how often.
private final class CountedDerivation: Derivation {
  let signature: UInt64
  private let applies: Bool
  private let isForbidden: Bool
  private let count = Guarded(0)

  init(signature: UInt64 = 0xABCD, applies: Bool = true, isForbidden: Bool = false) {
    self.signature = signature
    self.applies = applies
    self.isForbidden = isForbidden
  }

  var makings: Int { count.withLock { $0 } }
  static let text = Array("made of".utf8)

  func applies(to facts: ImageFacts, maximumPixels: Int64, _ subject: String) throws(FetchError) -> Bool {
    if isForbidden { throw FetchError(.limit, subject, "too large") }
    return applies
  }

  func result(
    of image: InspectedImage, maximumPixels: Int64, _ subject: String
  ) throws(FetchError) -> InspectedImage {
    count.withLock { $0 += 1 }
    return InspectedImage(
      body: ImageBody(.bytes(Self.text)), facts: ImageFacts(format: .webp, width: 3, height: 2))
  }
}

private final class Kept: ImageSink {
  let bodies = Guarded<[[UInt8]]>([])
  let results = Guarded<[FetchResult]>([])

  func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
    var bytes: [UInt8] = []
    try? image.body.read { piece in for index in 0..<piece.count { bytes.append(piece[index]) } }
    bodies.withLock { $0.append(bytes) }
    return Delivery(output: nil, isNew: true)
  }
}

@Suite("What is made of images is made once") struct DerivingTests {
  private let server: TestServer
  private let folder: TemporaryFolder
  private let clock = ManualClock(wallTime: SystemClock().wallTime())

  init() throws {
    server = try TestServer()
    folder = try TemporaryFolder()
    server.serve("/a.png", Resource(TestImages.png(), type: "image/png", etag: "\"1\""))
  }

  /// One run that asks `times` times, at once or one after another.
  private func run(
    _ derivation: CountedDerivation, times: Int = 1, atOnce: Bool = false, memory: Int = 8 << 20,
    _ change: (inout FetchOptions) -> Void = { _ in }
  ) throws -> Kept {
    var configuration = Fetcher.Configuration()
    configuration.cacheFolder = folder.path("cache")
    configuration.memoryLimit = memory
    let fetcher = Fetcher(
      configuration, clock: clock,
      makeLoop: { (options, clock, isBackedUp, makeClient) throws(TransportFailure) in
        try NetworkLoop(options: options, clock: clock, isBackedUp: isBackedUp, makeClient: makeClient)
      })
    defer { fetcher.close() }
    let kept = Kept()
    var request = FetchRequest(try WebURL(server.url("/a.png")), sink: kept)
    request.derivation = derivation
    request.options.cachesDerived = true
    change(&request.options)
    for _ in 0..<times {
      fetcher.submit(request) { result in kept.results.withLock { $0.append(result) } }
      if !atOnce { fetcher.wait() }
    }
    fetcher.wait()
    return kept
  }

  @Test(arguments: CachePolicy.allCases.filter(\.asksOrigin), [0, 8 << 20])
  func forAllWhoAskAtOnce(policy: CachePolicy, memory: Int) throws {
    let derivation = CountedDerivation()
    let kept = try run(derivation, times: 5, atOnce: true, memory: memory) { $0.policy = policy }
    #expect(kept.bodies.withLock { $0 } == Array(repeating: CountedDerivation.text, count: 5))
    // Without a memory cache, a request that comes after the answer has landed may get another one.
    if memory > 0, policy != .off { #expect(derivation.makings == 1) }
    for result in kept.results.withLock({ $0 }) {
      #expect(result.error == nil)
      #expect(result.facts?.format == .webp && result.mime == "image/webp")
      #expect(result.bytes == Int64(CountedDerivation.text.count))
      #expect(result.source?.facts.format == .png)
      #expect(result.source?.bytes == Int64(TestImages.png().count))
    }
  }

  @Test(arguments: [Verification.none, .structure])
  func whatItWasMadeOfIsKnown(verification: Verification) throws {
    // In memory by then, and made before.
    for result in try run(CountedDerivation(), times: 2, { $0.verification = verification }).results.withLock({ $0 }) {
      #expect(result.source?.facts.format == .png && result.facts?.format == .webp)
    }
    let same = try run(CountedDerivation(applies: false)) { $0.verification = verification }
    #expect(same.results.withLock { $0.first?.bytes } == Int64(TestImages.png().count))
    #expect(same.results.withLock { $0.first?.source } == nil)
  }

  @Test func forThoseWhoAskLaterInTheRun() throws {
    let derivation = CountedDerivation()
    _ = try run(derivation, times: 3) { $0.cachesDerived = false }
    #expect(derivation.makings == 1)
    #expect(server.count("/a.png") == 1)
  }

  @Test(arguments: [CachePolicy.age, .http, .refresh, .only])
  func forLaterRunsWhereItIsKept(policy: CachePolicy) throws {
    let derivation = CountedDerivation()
    _ = try run(derivation)
    let kept = try run(derivation) { $0.policy = policy }
    #expect(kept.results.withLock { $0.map(\.error) } == [nil])
    #expect(kept.bodies.withLock { $0 } == [CountedDerivation.text])
    #expect(derivation.makings == 1)
  }

  @Test(arguments: [CachePolicy.reload, .memory, .off])
  func anewWhereNothingIsToBeRead(policy: CachePolicy) throws {
    let derivation = CountedDerivation()
    _ = try run(derivation)
    _ = try run(derivation) { $0.policy = policy }
    #expect(derivation.makings == 2)
  }

  @Test func anewWhereItIsNotKept() throws {
    let derivation = CountedDerivation()
    _ = try run(derivation) { $0.cachesDerived = false }
    _ = try run(derivation) { $0.cachesDerived = false }
    #expect(derivation.makings == 2)
    #expect(folder.files(in: "cache/v1/default").filter { $0 != "ledger" }.count == 1)
  }

  @Test func nothingIsKeptWithTheCachesOff() throws {
    let derivation = CountedDerivation()
    _ = try run(derivation, times: 2) { $0.policy = .off }
    #expect(derivation.makings == 2)
    #expect(server.count("/a.png") == 2)
  }

  @Test func offlineKeepsNothing() throws {
    let derivation = CountedDerivation()
    _ = try run(derivation) { $0.cachesDerived = false }
    _ = try run(derivation) { $0.policy = .only }
    #expect(folder.files(in: "cache/v1/default").filter { $0 != "ledger" }.count == 1)
  }

  @Test func anewForAnImageThatIsAnotherNow() throws {
    let derivation = CountedDerivation()
    _ = try run(derivation)
    server.serve("/a.png", Resource(TestImages.png(seed: 2), type: "image/png", etag: "\"2\""))
    _ = try run(derivation) { $0.policy = .refresh }
    #expect(derivation.makings == 2)
    // The new one has taken the old one's place.
    #expect(folder.files(in: "cache/v1/default").filter { $0 != "ledger" }.count == 2)
    _ = try run(derivation) { $0.policy = .refresh }
    #expect(derivation.makings == 2)
    #expect(server.count("/a.png") == 3)
  }

  @Test func notForAnImageThatHasHadItsTime() throws {
    let derivation = CountedDerivation()
    _ = try run(derivation)
    clock.advance(.seconds(8 * 86_400))
    server.on("/a.png") { _ in .status(404) }
    let kept = try run(derivation)
    #expect(kept.results.withLock { $0.first?.error?.kind } == .http)
    #expect(derivation.makings == 1)
  }

  @Test func whatIsKeptIsNoWayAroundALimit() throws {
    _ = try run(CountedDerivation())
    let forbidden = CountedDerivation(isForbidden: true)
    let kept = try run(forbidden)
    #expect(kept.results.withLock { $0.first?.error?.kind } == .limit)
    #expect(forbidden.makings == 0)
  }

  @Test func eachForItself() throws {
    let one = CountedDerivation()
    let other = CountedDerivation(signature: 0x1234_0000_ABCD)
    _ = try run(one)
    _ = try run(other)
    #expect(one.makings == 1 && other.makings == 1)
  }
}
