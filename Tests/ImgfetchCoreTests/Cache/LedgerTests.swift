import Foundation
import ImgfetchCore
import TestSupport
import Testing

@Suite struct LedgerTests {
  /// What is really there.
  private func recount(_ fixture: CacheFixture) -> CacheUsage {
    fixture.files.reduce(into: CacheUsage()) { usage, name in
      guard !name.hasSuffix(".part") else { return }
      usage += CacheUsage(
        bytes: Int64(Command.size(of: fixture.folder.path("cache/v1/default/\(name)")) ?? 0), entries: 1)
    }
  }

  @Test func equalsARecountWhateverWasDoneByWhom() throws {
    let seed = Seed()
    var random = seed.random()
    let fixture = try CacheFixture()
    let caches = try [fixture.cache, fixture.another(), fixture.another()]
    for turn in 0..<400 {
      let key = CacheKey(url: "https://example.org/\(Int.random(in: 0..<40, using: &random)).png")
      let cache = caches.randomElement(using: &random) ?? fixture.cache
      let doing = Int.random(in: 0..<12, using: &random)
      switch doing {
      case 0: try cache.remove(key)
      case 1:
        if fixture.folder.read(fixture.path(key)) != nil { try fixture.folder.write(fixture.path(key), []) }
        // Cutting it is not the cache's doing, and so not in the ledger: count what was there until it is put right.
        _ = cache.lookup(key)
        _ = try cache.exactSize()
      case 2:
        if let entry = cache.lookup(key) { _ = cache.revalidated(entry, HeaderFields([("X-Turn", "\(turn)")])) }
      case 3: cache.claimPart(key, after: .skipped(.distantFuture)).part?.abandon(keepForResume: false)
      case 4:
        if turn % 4 == 0 { _ = try cache.clean(maximumAge: nil, maximumSize: .random(in: 0...40_000, using: &random)) }
      case 5:
        if turn % 8 == 0 { try cache.clear() }
      default:
        let body = [UInt8](repeating: UInt8(turn % 256), count: Int.random(in: 0..<3000, using: &random))
        try fixture.store(key.url, body, in: cache)
      }
      let size = try #require(caches.randomElement(using: &random)).size()
      #expect(size == recount(fixture), "turn \(turn) did \(doing), \(seed)")
    }
    let size = try fixture.cache.size()
    #expect(size == (try fixture.another().exactSize()), "\(seed)")
    try fixture.cache.clear()
    #expect(try fixture.cache.size() == CacheUsage())
  }

  @Test func isKeptByManyThreadsAtOnce() async throws {
    let fixture = try CacheFixture()
    let caches = try (0..<4).map { _ in try fixture.another() }
    await withTaskGroup(of: Void.self) { group in
      for (number, cache) in caches.enumerated() {
        group.addTask {
          for turn in 0..<100 {
            // All of them write the same twenty entries, of different lengths.
            let key = CacheKey(url: "https://example.org/\(turn % 20).png")
            let body = [UInt8](repeating: 1, count: number * 100 + turn)
            guard let part = cache.claimPrivatePart(key).part else { continue }
            try? part.publish(.sample(key), body: body, hash: body.contentHash)
          }
        }
      }
    }
    let size = try fixture.cache.size()
    #expect(size == recount(fixture))
    #expect(size.entries == 20)
  }

  @Test func oneThatIsMissingIsMadeAndCounted() throws {
    let fixture = try CacheFixture()
    for number in 0..<5 { try fixture.store("https://example.org/\(number).png", [1, 2, 3]) }
    let before = try fixture.cache.size()
    try fixture.folder.remove("cache/v1/default/ledger")
    #expect(try fixture.another().size() == before)
    #expect(try fixture.another().size() == before)
  }

  @Test func oneThatIsCutOrGarbageIsMadeAnew() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1, 2, 3])
    let before = try fixture.cache.size()
    for garbage in [[], [1], [UInt8](repeating: 0xAA, count: 8192), [UInt8](repeating: 0, count: 4096)] {
      try fixture.folder.write("cache/v1/default/ledger", garbage)
      #expect(try fixture.another().size() == before)
    }
  }

  @Test func oneThatWentWrongIsPutRightByCounting() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1, 2, 3])
    let before = try fixture.cache.size()
    try fixture.folder.remove(fixture.path(CacheKey(url: "https://example.org/a.png")))
    #expect(try fixture.cache.size() == before)
    #expect(try fixture.cache.exactSize() == CacheUsage())
    #expect(try fixture.cache.size() == CacheUsage())
  }
}
