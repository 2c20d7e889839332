import TestSupport
import Testing

@testable import ImgfetchCore

/// A run's knowledge of one URL says nothing of another, even if the two were chosen to look alike.
@Suite("What a run remembers of a URL") struct RunTablesTests {
  /// Their hashes, which name their files in a cache, share the half that tables once went by. It took
  /// half a minute to find them.
  private let twins = ["http://a.example/348b26d45e00cbf1", "http://a.example/48a410b46225bcb8"]

  @Test("The two do look alike")
  func premise() {
    let hashes = twins.map { CacheKey(url: $0).hash }
    #expect(hashes[0].low == hashes[1].low && hashes[0] != hashes[1])
  }

  private func run(
    _ respond: @escaping (TransferRequest) -> FakeTransport.Answer?, _ change: (inout FetchRequest) -> Void
  ) throws -> (results: [FetchResult], asked: [String]) {
    let fixture = try CacheFixture()
    for url in twins { try fixture.store(url, TestImages.jpeg(width: 20, height: 10)) }
    let stage = StagedPipeline(disk: fixture.cache)
    defer { stage.close() }
    // Later than the stored entry, which else would count as stored by another process meanwhile.
    stage.clock.set(wallTime: WallTime(seconds: fixture.clock.wallTime().seconds + 60))
    stage.transport.respond = respond
    for (number, url) in twins.enumerated() {
      try stage.submit(url, change)
      stage.drive(until: { stage.results.count == number + 1 })
    }
    return (stage.results, stage.transport.started.map(\.url))
  }

  @Test("One that is gone does not make the other one fail")
  func failed() throws {
    let image = TestImages.jpeg(width: 20, height: 10)
    let first = twins[0]
    let run = try run({ $0.url == first ? .status(404) : .ok(image) }) { $0.options.policy = .off }
    #expect(run.results.map(\.status) == [404, 200])
    #expect(run.asked == twins)
  }

  @Test("One that was asked of its origin does not stand for the other one")
  func asked() throws {
    let image = TestImages.jpeg(width: 20, height: 10)
    let run = try run({ _ in .ok(image) }) { $0.options.policy = .reload }
    #expect(run.results.map(\.cache) == [CacheType.network, CacheType.network])
    #expect(run.asked == twins)
  }

  @Test("A URL keeps its digest within a process, and tells salts and variants apart where they count")
  func digests() {
    let key = CacheKey(url: twins[0])
    #expect(RunDigest(key).value == RunDigest(CacheKey(url: twins[0])).value)
    let others = [
      CacheKey(url: twins[0], salt: 1), CacheKey(url: twins[0], salt: 2), CacheKey(url: twins[0], variant: 1),
      CacheKey(url: twins[1]), key,
    ]
    #expect(Set(others.map { RunDigest($0).value }).count == others.count)
  }

  @Test("What failed for one user, or by one request's limits, is asked for by another")
  func demands() throws {
    let record = RunRecord()
    let (mine, yours) = (CacheKey(url: twins[0], salt: 1), CacheKey(url: twins[0], salt: 2))
    record.remember(FetchError(.http, twins[0], "r", status: 403), for: mine, demands: 1)
    #expect(record.failure(of: mine, demands: 1) != nil)
    #expect(record.failure(of: yours, demands: 1) == nil && record.failure(of: mine, demands: 2) == nil)
  }
}
