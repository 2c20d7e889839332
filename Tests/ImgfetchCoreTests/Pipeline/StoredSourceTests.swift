import TestSupport
import Testing

@testable import ImgfetchCore

/// A run's rules about addresses and hosts hold for what other runs have stored under other rules.
@Suite("Where stored images came from") struct StoredSourceTests {
  private let image = TestImages.jpeg(bytes: 3000)
  private let url = "http://a.example/a.jpg"
  private let open = IPAddress(host: "198.41.0.4")
  private let closed = IPAddress(host: "10.0.0.1")
  private let fixture: CacheFixture

  init() throws { fixture = try CacheFixture() }

  /// One run: its results, and its requests.
  private struct Run {
    var results: [FetchResult] = []
    var asked: [TransferRequest] = []

    var first: FetchResult? { results.first }
    var isConditional: Bool { asked.first?.exactFields.contains("If-None-Match") == true }
    var isForRest: Bool { asked.first?.exactFields.contains("Range") == true }
  }

  /// Asks for an image, once for each `change`, in a network in which `address` answers for every host.
  private func run(
    at address: IPAddress?, of url: String? = nil, isProxied: Bool = false, redirects: [String: String] = [:],
    breakingOffAfter count: Int? = nil, isDead: Bool = false, _ changes: (inout FetchRequest) -> Void...
  ) throws -> Run {
    let stage = StagedPipeline(disk: fixture.cache) { configuration in
      configuration.retry = RetryRule(limit: 0)
      if isProxied { configuration.network.useProxy("http://proxy.example:1") }
    }
    defer { stage.close() }
    stage.clock.set(wallTime: fixture.clock.wallTime())
    let image = image
    stage.transport.respond = { request in
      if isDead { return .failed(.connect) }
      var answer = FakeTransport.Answer.ok(
        image, [("ETag", "\"1\""), ("Content-Type", "image/jpeg"), ("Cache-Control", "max-age=1000")])
      if let target = redirects[request.url] {
        answer = .status(301, [("Location", target), ("Cache-Control", "max-age=1000")])
      } else if request.exactFields.contains("If-None-Match") {
        answer = .status(304, [("ETag", "\"1\"")])
      } else if let count {
        answer = answer.brokenOff(after: count)
      } else if let range = request.exactFields.first("Range"), let start = Int(range.dropFirst(6).dropLast()) {
        let end = "\(image.count - 1)/\(image.count)"
        answer = .status(
          206, [("ETag", "\"1\""), ("Content-Range", "bytes \(start)-\(end)")], Array(image.dropFirst(start)))
      }
      answer.head?.remoteAddress = address
      return answer
    }
    var run = Run()
    for (number, change) in changes.enumerated() {
      try stage.submit(url ?? self.url) { request in
        request.options.policy = .age
        change(&request)
      }
      stage.drive(until: { stage.results.count == number + 1 })
    }
    run.results = stage.results
    run.asked = stage.transport.started
    return run
  }

  private func anything(_ request: inout FetchRequest) {}
  private func strictly(_ request: inout FetchRequest) { request.options.publicAddressesOnly = true }

  @Test(
    "What came from an address that is not public is fetched anew, and not merely confirmed", arguments: [false, true])
  func notPublic(underHTTP: Bool) throws {
    func policy(_ request: inout FetchRequest) { if underHTTP { request.options.policy = .http } }
    _ = try run(at: closed, policy)
    #expect(try run(at: closed, policy).first?.cache == .disk)
    let strict = try run(at: open) {
      policy(&$0)
      strictly(&$0)
    }
    #expect(strict.first?.cache == CacheType.network && strict.first?.error == nil)
    #expect(strict.asked.count == 1 && !strict.isConditional)
    let again = try run(at: open) {
      policy(&$0)
      strictly(&$0)
    }
    #expect(again.first?.cache == .disk && again.asked.isEmpty)
  }

  @Test("That of which it is not known is asked about once, and known from then on", arguments: [false, true])
  func unknown(underHTTP: Bool) throws {
    func policy(_ request: inout FetchRequest) { if underHTTP { request.options.policy = .http } }
    _ = try run(at: closed, isProxied: true, policy)
    for isKnown in [false, true] {
      let strict = try run(at: open) {
        policy(&$0)
        strictly(&$0)
      }
      #expect(strict.first?.cache == .disk && strict.first?.error == nil)
      #expect(strict.first?.isRevalidated == !isKnown)
      #expect(strict.asked.count == (isKnown ? 0 : 1) && strict.isConditional == !isKnown)
    }
  }

  @Test("It is not served stale either, when the origin fails")
  func stale() throws {
    _ = try run(at: nil, isProxied: true, anything)
    let strict = try run(at: nil, isDead: true, strictly)
    #expect(strict.first?.error?.kind == .connect)
    func refresh(_ request: inout FetchRequest) { request.options.policy = .refresh }
    #expect(try run(at: nil, isDead: true, refresh).first?.isStale == true)
  }

  @Test("A confirmation from elsewhere does not make it public, and one that changes fields counts for them")
  func confirmation() {
    let origins = ["https://a.example"]
    func confirmed(_ old: Provenance.Address, by new: Provenance.Address) -> Provenance.Address {
      Provenance(old, otherOrigins: nil).confirmed(by: Provenance(new, otherOrigins: [])).address
    }
    #expect(confirmed(.notPublic, by: .allPublic) == .notPublic)
    #expect(confirmed(.allPublic, by: .notPublic) == .notPublic)
    #expect(confirmed(.allPublic, by: .unknown) == .unknown)
    #expect(confirmed(.unknown, by: .allPublic) == .allPublic)
    #expect(confirmed(.unknown, by: .notPublic) == .notPublic)
    #expect(confirmed(.ownFile, by: .allPublic) == .allPublic)
    let known = Provenance(.allPublic, otherOrigins: origins)
    let more = origins + ["http://b.example"]
    #expect(known.confirmed(by: Provenance(.allPublic, otherOrigins: more)).otherOrigins == more)
    #expect(Provenance().confirmed(by: known) == known)
  }

  @Test("Every host on its way is asked of, whether or not the rules were others then")
  func hosts() throws {
    let redirects = [url: "http://b.example/b", "http://b.example/b": "http://c.example/c.jpg"]
    _ = try run(at: open, redirects: redirects, anything)
    for denied in ["a.example", "b.example", "c.example"] {
      let strict = try run(at: open, redirects: redirects) { $0.options.deniedHosts = [denied] }
      #expect(strict.first?.error?.kind == .refused, "\(denied)")
      #expect(!strict.asked.contains { $0.url.contains(denied) })
    }
    let allowed = try run(at: open) { $0.options.allowedHosts = ["?.example"] }
    #expect(allowed.first?.cache == .disk && allowed.asked.isEmpty)
    // If the redirect leads elsewhere by now, the image there is fetched.
    let direct = try run(at: open) { $0.options.deniedHosts = ["b.example"] }
    #expect(direct.first?.cache == CacheType.network && direct.first?.error == nil && !direct.isConditional)
  }

  @Test("A mirror's image came by way of the mirror alone")
  func mirror() throws {
    let mirror = try WebURL("http://m.example/m.jpg")
    func withMirror(_ request: inout FetchRequest) { request.mirrors = [mirror] }
    _ = try run(at: open) {
      withMirror(&$0)
      $0.options.deniedHosts = ["a.example"]
    }
    let hit = try run(at: open) {
      withMirror(&$0)
      $0.options.deniedHosts = ["a.example"]
    }
    #expect(hit.first?.cache == .disk && hit.asked.isEmpty)
    let refused = try run(at: open) { $0.options.deniedHosts = ["m.example"] }
    #expect(refused.first?.cache == CacheType.network && refused.asked.map(\.url) == [url])
  }

  @Test("Without the network: what is known is refused, and what is not known is told apart", arguments: [false, true])
  func offline(isKnown: Bool) throws {
    _ = try run(at: closed, isProxied: !isKnown, anything)
    let strict = try run(at: open) {
      strictly(&$0)
      $0.options.policy = .only
    }
    #expect(strict.first?.error?.kind == (isKnown ? .refused : .offline))
    #expect(strict.first?.error?.reason.contains("public") == true)
    let host = try run(at: open) { ($0.options.policy, $0.options.deniedHosts) = (.only, ["a.example"]) }
    #expect(host.first?.error?.kind == .refused)
    #expect(try run(at: open) { $0.options.policy = .only }.first?.error == nil)
  }

  @Test("A file of the user's own came from no address; its URL's host is asked of")
  func ownFile() throws {
    let file = try Descriptor.open(fixture.folder.write("own.jpg", image), [.read])
    _ = try fixture.cache.add(file, as: CacheKey(url: url))
    let strict = try run(at: closed, strictly)
    #expect(strict.first?.cache == .disk && strict.asked.isEmpty)
    #expect(try run(at: open) { $0.options.deniedHosts = ["a.example"] }.first?.error?.kind == .refused)
  }

  @Test("What this process remembers is asked of as well")
  func memory() throws {
    let both = try run(at: closed, anything, anything, strictly)
    #expect(both.results.map(\.cache) == [CacheType.network, .memory, CacheType.network])
    #expect(both.asked.count == 2)
    if case .publicOnly? = both.asked.last?.addressRule {} else { Issue.record("asked without the rule") }
  }

  @Test("A part is gone on with where its bytes came as the rules ask", arguments: [0, 1, 2])
  func parts(kind: Int) throws {
    let address = kind == 0 ? closed : open
    let first = try run(at: address, isProxied: kind == 2, breakingOffAfter: 1000, anything)
    #expect(first.first?.error?.kind == .truncated)
    let strict = try run(at: open, strictly)
    #expect(strict.first?.error == nil)
    #expect(strict.isForRest == (kind > 0))
    #expect(fixture.cache.lookup(CacheKey(url: url))?.metadata.provenance.address == .allPublic)
  }

  @Test("Bytes of two addresses came from both")
  func joined() throws {
    _ = try run(at: closed, breakingOffAfter: 1000, anything)
    #expect(try run(at: open, anything).isForRest)
    #expect(fixture.cache.lookup(CacheKey(url: url))?.metadata.provenance.address == .notPublic)
  }

  @Test("What was made of an image came the way of the image")
  func derived() throws {
    func derive(_ request: inout FetchRequest) {
      request.derivation = Copy()
      request.options.cachesDerived = true
      request.sink = Nowhere()
    }
    let key = CacheKey(url: url).derived(by: Copy().signature)
    _ = try run(at: closed, derive)
    #expect(fixture.cache.lookup(key)?.metadata.provenance.address == .notPublic)
    _ = try run(at: open) {
      derive(&$0)
      strictly(&$0)
    }
    #expect(fixture.cache.lookup(key)?.metadata.provenance == Provenance(.allPublic, otherOrigins: []))
  }

  @Test("A stored redirect of a public address does not lead to what was stored from another")
  func storedRedirect() throws {
    let target = "http://b.example/b.jpg"
    func underHTTP(_ request: inout FetchRequest) { request.options.policy = .http }
    _ = try run(at: closed, of: target, underHTTP)
    let redirects = [url: target]
    _ = try run(at: open, redirects: redirects) {
      underHTTP(&$0)
      $0.options.deniedHosts = ["b.example"]
    }
    let offline = try run(at: open) { $0.options.policy = .only }
    #expect(offline.first?.error?.kind == .refused)
    let followed = try run(at: closed, redirects: redirects, underHTTP)
    #expect(followed.asked.map(\.url) == [target])
    if case .custom? = followed.asked.first?.addressRule {} else { Issue.record("asked without the rule") }
  }

  private struct Nowhere: ImageSink {
    func receive(_ image: DeliveredImage, for request: FetchRequest) throws(FetchError) -> Delivery {
      Delivery(output: nil, isNew: false)
    }
  }

  private struct Copy: Derivation {
    let signature: UInt64 = 0xC0
    func applies(to facts: ImageFacts, maximumPixels: Int64, _ subject: String) throws(FetchError) -> Bool { true }
    func result(
      of image: InspectedImage, maximumPixels: Int64, _ subject: String
    ) throws(FetchError) -> InspectedImage {
      InspectedImage(body: ImageBody(.bytes([1])), facts: image.facts)
    }
  }
}
