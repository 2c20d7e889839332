import Foundation
import ImgfetchCore
import TestSupport
import Testing

@Suite struct DiskCacheTests {
  @Test func anEntryIsFoundByAnotherProcess() throws {
    let fixture = try CacheFixture()
    let body = [UInt8]("an image".utf8)
    let key = try fixture.store("https://example.org/a.png", body, fields: HeaderFields([("ETag", "\"1\"")]))
    let entry = try #require(try fixture.another().lookup(key))
    #expect(try entry.body.wholeBytes() == body)
    #expect(entry.metadata.fields.first("etag") == "\"1\"")
    #expect(entry.key == key)
    #expect(try #require(entry.age(now: SystemClock().wallTime())) < 60)
    #expect(fixture.files == [key.path])
  }

  @Test func theFileBeginsWithTheBody() throws {
    let fixture = try CacheFixture()
    let body = [UInt8]("an image".utf8)
    let key = try fixture.store("https://example.org/a.png", body)
    #expect(fixture.folder.read(fixture.path(key))?.prefix(body.count) == body[...])
  }

  @Test func aLargeBodyStaysInItsFileAndIsCheckedWhileItIsRead() throws {
    let fixture = try CacheFixture()
    let body = [UInt8](repeating: 42, count: 700_000)
    let key = try fixture.store("https://example.org/large.png", body)
    let entry = try #require(fixture.cache.lookup(key))
    guard case .file = entry.body.content else {
      Issue.record("it was read into memory")
      return
    }
    #expect(try entry.body.wholeBytes() == body)

    var file = try #require(fixture.folder.read(fixture.path(key)))
    file[350_000] ^= 1
    try fixture.folder.write(fixture.path(key), file)
    let damaged = try #require(fixture.cache.lookup(key))
    #expect(throws: (any Error).self) { try damaged.body.wholeBytes() }
    fixture.cache.discard(damaged)
    #expect(fixture.cache.lookup(key) == nil)
    #expect(fixture.files.isEmpty)
  }

  @Test func aBodyWrittenInPiecesIsFound() throws {
    let fixture = try CacheFixture()
    let key = CacheKey(url: "https://example.org/pieces.png")
    let part = try #require(fixture.cache.claimPart(key).part)
    var hasher = ContentHasher()
    var body: [UInt8] = []
    for piece in 0..<40 {
      let bytes = [UInt8](repeating: UInt8(piece), count: 10_000)
      try part.write(bytes.span)
      hasher.update(bytes.span)
      body += bytes
    }
    let published = try part.publish(.sample(key), hash: hasher.value)
    #expect(try published.wholeBytes() == body)
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == body)
  }

  @Test func aLookUpMakesNothing() throws {
    let fixture = try CacheFixture()
    #expect(fixture.cache.lookup(CacheKey(url: "https://example.org/a.png")) == nil)
    #expect(fixture.folder.files().isEmpty)
    #expect(!FileManager.default.fileExists(atPath: fixture.folder.path("cache")))
  }

  @Test func aCacheThatAnotherProcessMadeMeanwhileIsFound() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1], in: fixture.another())
    #expect(fixture.cache.lookup(key) != nil)
    #expect(try fixture.cache.size().entries == 1)
  }

  @Test func theFolderIsLabelledAndPrivate() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1])
    #expect(fixture.folder.text("cache/CACHEDIR.TAG")?.hasPrefix("Signature: 8a477f597d28d172789f06886806bc55") == true)
    #expect(fixture.folder.text("cache/README")?.contains("imgfetch") == true)
    func mode(_ name: String) throws -> Int {
      try #require(
        FileManager.default.attributesOfItem(atPath: fixture.folder.path(name))[.posixPermissions] as? Int)
    }
    for folder in ["cache", "cache/v1", "cache/v1/default", "cache/v1/default/\(key.shard)"] {
      #expect(try mode(folder) == 0o700)
    }
    #expect(try mode(fixture.path(key)) == 0o600)
  }

  @Test func aCacheThatIsRemovedMeanwhileIsMadeAgain() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1])
    try fixture.folder.remove("cache")
    let key = try fixture.store("https://example.org/a.png", [2])
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == [2])
    #expect(fixture.files == [key.path])
    #expect(try fixture.another().lookup(key) != nil)
  }

  @Test func anEntryIsReplacedByALaterOne() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/a.png", [1])
    let old = try #require(fixture.cache.lookup(CacheKey(url: "https://example.org/a.png")))
    let key = try fixture.store("https://example.org/a.png", [2, 3])
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == [2, 3])
    #expect(try old.body.wholeBytes() == [1])
    #expect(fixture.files == [key.path])
  }

  @Test func readOnlyCachesAreLookedInAfterwardsAndNotWritten() throws {
    let lower = try CacheFixture()
    let key = try lower.store("https://example.org/a.png", [1])
    let before = lower.folder.files()
    let fixture = try CacheFixture(tiers: [lower.folder.path("cache")])
    let entry = try #require(fixture.cache.lookup(key))
    #expect(entry.isReadOnly)
    #expect(try entry.body.wholeBytes() == [1])
    try fixture.store("https://example.org/a.png", [2])
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == [2])
    #expect(lower.folder.files() == before)
  }

  @Test func removingAURLRemovesEverythingThatBelongsToIt() throws {
    let fixture = try CacheFixture()
    let url = "https://example.org/a.png"
    try fixture.store(url, [1])
    for other in [CacheKey(url: url, salt: 5), CacheKey(url: url, variant: 6)] {
      let part = try #require(fixture.cache.claimPart(other).part)
      try part.publish(.sample(other), body: [2], hash: [2].contentHash)
    }
    let kept = try fixture.store("https://example.org/b.png", [3])
    #expect(try fixture.cache.remove(CacheKey(url: url)).entries == 3)
    #expect(fixture.files == [kept.path])
  }

  @Test func clearingLeavesOnlyDownloadsInProgress() throws {
    let fixture = try CacheFixture()
    for number in 0..<20 { try fixture.store("https://example.org/\(number).png", [1]) }
    let key = CacheKey(url: "https://example.org/in-flight.png")
    let part = try #require(fixture.cache.claimPart(key).part)
    #expect(try fixture.another().clear().entries == 20)
    #expect(fixture.files == [key.partPath])
    try part.publish(.sample(key), body: [9], hash: [9].contentHash)
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == [9])
  }

  @Test func aUseIsNotedAtMostOnceAnHour() throws {
    let fixture = try CacheFixture()
    let key = try fixture.store("https://example.org/a.png", [1])
    let entry = try #require(fixture.cache.lookup(key))
    fixture.clock.advance(.seconds(1800))
    fixture.cache.touch(entry)
    #expect(try #require(fixture.cache.lookup(key)).lastUsed == entry.lastUsed)
    fixture.clock.advance(.seconds(1900))
    fixture.cache.touch(entry)
    let used = try #require(fixture.cache.lookup(key))
    #expect(used.lastUsed == fixture.clock.wallTime())
    #expect(used.stored == entry.stored)
  }

  @Test func anEntryFromFarAheadIsExpired() throws {
    let fixture = try CacheFixture()
    let entry = try #require(fixture.cache.lookup(fixture.store("https://example.org/a.png", [1])))
    #expect(entry.age(now: WallTime(seconds: entry.stored.seconds - 3600)) == 0)
    #expect(entry.age(now: WallTime(seconds: entry.stored.seconds - 90_000)) == nil)
    #expect(entry.age(now: WallTime(seconds: entry.stored.seconds + 90_000)).map { $0 > 89_000 } == true)
  }
}
