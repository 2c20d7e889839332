import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore

@Suite struct LedgerTests {
  /// The actual contents of the cache.
  private func recount(_ fixture: CacheFixture) -> CacheUsage {
    fixture.files.reduce(into: CacheUsage()) { usage, name in
      guard !name.hasSuffix(".part") else { return }
      usage += CacheUsage(
        bytes: Int64(Command.size(of: fixture.folder.path("cache/v1/default/\(name)")) ?? 0), entries: 1)
    }
  }

  @Test func equalsARecountWhateverWasDoneByWhichProcess() throws {
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
        // The cache did not truncate it, so the ledger does not know: it counts the old bytes until it is corrected.
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

  @Test func cachesOfOneProcessHavePrivatePartsOfTheirOwn() throws {
    let fixture = try CacheFixture()
    let key = CacheKey(url: "https://example.org/a.png")
    try fixture.store(key.url, [9])
    let parts = try (0..<4).map { _ in try #require(try fixture.another().claimPrivatePart(key).part) }
    #expect(fixture.files.count == 5)
    for (number, part) in parts.enumerated() {
      let body = [UInt8](repeating: 1, count: number + 1)
      try part.publish(.sample(key), body: body, hash: body.contentHash)
    }
    #expect(fixture.files == [key.path])
    #expect(try fixture.cache.size() == recount(fixture))
  }

  @Test func isUpdatedByManyThreadsAtOnce() async throws {
    let fixture = try CacheFixture()
    let caches = try (0..<4).map { _ in try fixture.another() }
    await withTaskGroup(of: Void.self) { group in
      for (number, cache) in caches.enumerated() {
        group.addTask {
          for turn in 0..<100 {
            // All of them write the same twenty entries with different lengths.
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

  @Test func aMissingOneIsMadeAndCounted() throws {
    let fixture = try CacheFixture()
    for number in 0..<5 { try fixture.store("https://example.org/\(number).png", [1, 2, 3]) }
    let before = try fixture.cache.size()
    try fixture.folder.remove("cache/v1/default/ledger")
    #expect(try fixture.another().size() == before)
    #expect(try fixture.another().size() == before)
  }

  @Test func aTruncatedOrCorruptedOneIsReplaced() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1, 2, 3])
    let before = try fixture.cache.size()
    for garbage in [[], [1], [UInt8](repeating: 0xAA, count: 8192), [UInt8](repeating: 0, count: 4096)] {
      try fixture.folder.write("cache/v1/default/ledger", garbage)
      #expect(try fixture.another().size() == before)
    }
  }

  @Test func aWrongOneIsCorrectedByCounting() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1, 2, 3])
    let before = try fixture.cache.size()
    try fixture.folder.remove(fixture.path(CacheKey(url: "https://example.org/a.png")))
    #expect(try fixture.cache.size() == before)
    #expect(try fixture.cache.exactSize() == CacheUsage())
    #expect(try fixture.cache.size() == CacheUsage())
  }
}

/// The latest known time, with a clock that may have jumped.
@Suite struct KnownTimeTests {
  private func day(_ days: Double) -> WallTime { WallTime(seconds: 1_700_000_000 + Int64(days * 86_400)) }

  private func known(_ days: Double, noting clock: Double...) -> KnownTime {
    var known = KnownTime(latest: day(days))
    for now in clock { known.note(day(now)) }
    return known
  }

  @Test func itAdvancesWithTheClockAndNeverGoesBack() {
    #expect(known(0, noting: 5) == KnownTime(latest: day(5)))
    #expect(known(0, noting: 5, 4.5) == KnownTime(latest: day(5)))
    #expect(known(0, noting: -2) == KnownTime(latest: day(0), behindSince: day(-2)))
  }

  @Test func aClockThatIsRightAgainIsTrusted() {
    #expect(known(0, noting: -9000, -8999, 1) == KnownTime(latest: day(1)))
  }

  @Test func aClockThatStaysBehindForAWeekIsTrustedToo() {
    #expect(known(0, noting: -2000, -1994).latest == day(0))
    #expect(known(0, noting: -2000, -1994, -1992) == KnownTime(latest: day(-1992)))
    // Set back once more, it must run for a week again.
    #expect(known(0, noting: -2000, -3000, -2999) == KnownTime(latest: day(0), behindSince: day(-3000)))
  }

  @Test func impossibleNumbersDoNoHarm() {
    for latest: Int64 in [.min, -1, 0, .max] {
      for since: Int64? in [nil, .min, .max] {
        for now: Int64 in [.min, 0, .max] {
          var known = KnownTime(
            latest: WallTime(nanoseconds: latest), behindSince: since.map(WallTime.init(nanoseconds:)))
          known.note(WallTime(nanoseconds: now))
          #expect(known.latest >= WallTime(nanoseconds: min(latest, now)))
        }
      }
    }
  }
}
