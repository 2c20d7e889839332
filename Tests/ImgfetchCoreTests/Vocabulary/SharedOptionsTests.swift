import Testing

@testable import ImgfetchCore

/// The requests that can share a download.
@Suite struct SharedOptionsTests {
  private static let differences: [@Sendable (inout FetchOptions) -> Void] = [
    { $0.policy = .http }, { $0.maximumAge = .seconds(1) }, { $0.believesServers = false }, { $0.leastAge = 1 },
    { $0.servesStale = false }, { $0.verification = .decode },
    { $0.maximumPixels = 1 }, { $0.maximumBytes = 1 }, { $0.acceptedStatuses = StatusSet([404...404]) },
    { $0.maximumRedirects = 1 }, { $0.allowsDowngrade = true }, { $0.headers = [(name: "A", value: "b")] },
    { $0.filter.minimumWidth = 1 },
    { $0.retriesFailed = true }, { $0.skipsFailedFor = .seconds(1) }, { $0.allowedHosts = ["a.org"] },
    { $0.deniedHosts = ["a.org"] }, { $0.publicAddressesOnly = true }, { $0.obeysRobots = true },
    { $0.refusedTags = ["noai"] }, { $0.acceptedFormats = [.avif] }, { $0.details = ImageDetailSet([.phash]) },
    { $0.isNamedByPublicPage = true }, { $0.rulesPolicy = .memory },
  ]

  private static let likenesses: [@Sendable (inout FetchOptions) -> Void] = [
    { $0.keyFilter = KeyFilter(ignoreQuery: true) }, { $0.keyIgnoredHeaders = ["X-A"] },
    { $0.reportsChecksum = true }, { $0.cachesDerived = true },
  ]

  private func signature(_ change: (inout FetchOptions) -> Void = { _ in }) -> Int {
    var options = FetchOptions()
    change(&options)
    return SharedOptions(options).signature
  }

  @Test("Every option that decides what an answer is keeps two requests apart, and no two of them look alike")
  func differences() {
    let signatures = Self.differences.map { signature($0) }
    #expect(Set(signatures + [signature()]).count == signatures.count + 1)
    #expect(signature { $0.headers = [(name: "A", value: nil)] } != signature { $0.headers = [(name: "A", value: "")] })
  }

  @Test("Requests that ask for the same answer share a download")
  func likenesses() {
    for change in Self.likenesses { #expect(signature(change) == signature()) }
  }

  @Test("Requests for unlike purposes share no download, whatever their options are")
  func purposes() {
    let entry = RequestPurpose.Entry(connect: 1, answer: 2)
    let later = RequestPurpose.Entry(connect: 1, answer: 3)
    let purposes: [RequestPurpose] = [
      .image, .refresh, .originRules(), .entry(entry), .entry(later), .list(RobotsFile()), .page(RobotsFile()),
    ]
    for retries in [false, true] {
      var options = FetchOptions()
      options.retriesFailed = retries
      let shared = purposes.map { SharedOptions(options, for: $0) }
      #expect(Set(shared.map(\.signature)).count == purposes.count)
      #expect(Set(shared.map(\.demands)).count == purposes.count)
      #expect(SharedOptions(options, for: .look).signature == SharedOptions(options).signature)
    }
  }

  @Test("A request that distrusts the caches joins none that believes them, and asks no remote cache")
  func distrust() throws {
    let request = FetchRequest(try WebURL("http://example.org/a.png"))
    var distrusting = request.distrustingCaches
    #expect(distrusting.shared.signature != request.shared.signature)
    #expect(distrusting.shared.demands != request.shared.demands)
    #expect(request.shared.mayComeFromRemoteCache && !distrusting.shared.mayComeFromRemoteCache)
    distrusting.options.policy = .http
    distrusting.purpose = .refresh
    #expect(distrusting.shared.distrustsCaches)
  }

  @Test("Options that are changed leave a request's purpose as it is, and a purpose the options")
  func independence() throws {
    var request = FetchRequest(try WebURL("http://example.org/a.png"))
    request.purpose = .refresh
    request.options.maximumBytes = 1
    #expect(request.purpose.isRefresh)
    request.purpose = .originRules()
    #expect(request.options.maximumBytes == 1 && request.purpose.isForOriginRules)
  }

  @Test("Each option is in one of the two lists")
  func complete() {
    #expect(Mirror(reflecting: FetchOptions()).children.count == Self.differences.count + Self.likenesses.count)
  }
}
