import TestSupport
import Testing

@testable import ImgfetchCore

/// The use of a part for a later run, where that depends on the machine.
@Suite struct ResumingTests {
  private let image = TestImages.jpeg(bytes: 1_000_000)

  /// One run that asks for one image and ends.
  private func run(_ url: String, _ folder: TemporaryFolder, boot: String?) throws -> FetchResult {
    var configuration = PipelineConfiguration()
    configuration.retry = RetryRule(limit: 0)
    configuration.boot = { boot }
    let pipeline = Pipeline(
      configuration, memory: MemoryCache(limit: 8 << 20), disk: try DiskCache.open(root: folder.path("cache")),
      makeLoop: { (options, clock, isBackedUp, makeClient) throws(TransportFailure) in
        try NetworkLoop(options: options, clock: clock, isBackedUp: isBackedUp, makeClient: makeClient)
      })
    defer { pipeline.close() }
    let result = Guarded<FetchResult?>(nil)
    pipeline.submit(FetchRequest(try WebURL(url))) { answer in result.withLock { $0 = answer } }
    pipeline.wait(untilOutstanding: 0)
    return try #require(result.withLock { $0 })
  }

  private func serve() throws -> TestServer {
    let server = try TestServer()
    let resource = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { request in
      request.ordinal == 1 ? resource.answer(request).cutAfter(600_000) : resource.answer(request)
    }
    return server
  }

  @Test func whatWasSyncedOutlivesTheBoot() throws {
    let (server, folder) = (try serve(), try TemporaryFolder())
    #expect(try run(server.url("/a.jpg"), folder, boot: "one").error?.kind == .truncated)
    let second = try run(server.url("/a.jpg"), folder, boot: "two")
    #expect(second.error == nil)
    #expect(second.downloaded == 400_000)
    #expect(server.requests.last?["Range"] == "bytes=600000-")
  }

  @Test func whatWasNotSyncedDoesNot() throws {
    let (server, folder) = (try serve(), try TemporaryFolder())
    #expect(try run(server.url("/a.jpg"), folder, boot: "one").error?.kind == .truncated)
    // As a killed process leaves it.
    let cache = try DiskCache.open(root: folder.path("cache"))
    let part = try #require(cache.claimPart(CacheKey(url: server.url("/a.jpg"))).part)
    var record = try #require(part.resume)
    record.syncedLength = 100_000
    part.saveResume(record)
    part.abandon(keepForResume: true)
    #expect(try run(server.url("/a.jpg"), folder, boot: "two").downloaded == 900_000)
    #expect(server.requests.last?["Range"] == "bytes=100000-")
  }

  @Test func whereNobodyKnowsTheBootNothingIsNoted() throws {
    let (server, folder) = (try serve(), try TemporaryFolder())
    #expect(try run(server.url("/a.jpg"), folder, boot: nil).error?.kind == .truncated)
    #expect(try run(server.url("/a.jpg"), folder, boot: nil).downloaded == 1_000_000)
    #expect(server.requests.last?["Range"] == nil)
  }

  @Test func aResumptionIsForTheOriginThatBeganIt() throws {
    let head = AnswerHead(
      url: try WebURL("https://a.example/x"), status: 200, fields: HeaderFields([("ETag", "\"1\"")]),
      contentLength: 100, requestTime: WallTime(seconds: 0), responseTime: WallTime(seconds: 0))
    var resumption = try #require(Resumption(head))
    #expect(resumption.fields(for: try WebURL("https://a.example/y")) == nil)
    resumption.add(40)
    #expect(resumption.fields(for: try WebURL("https://a.example/y"))?.first("Range") == "bytes=40-")
    for url in ["https://b.example/x", "http://a.example/x", "https://a.example:8443/x"] {
      #expect(resumption.fields(for: try WebURL(url)) == nil)
    }
    let record = try #require(resumption.record(boot: "b", syncedLength: 7))
    let again = try #require(Resumption(record, length: 40, now: WallTime(seconds: 0)))
    #expect(again.fields(for: try WebURL("https://a.example/y"))?.first("If-Range") == "\"1\"")
    #expect(Resumption(record, length: 100, now: WallTime(seconds: 0)) == nil)
  }
}
