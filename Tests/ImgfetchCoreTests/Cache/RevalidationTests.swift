import Foundation
import ImgfetchCore
import TestSupport
import Testing

@Suite struct RevalidationTests {
  private let stored = HeaderFields([
    ("Date", "Tue, 14 Nov 2023 22:13:20 GMT"), ("ETag", "\"1\""), ("Content-Type", "image/png"),
    ("Content-Length", "17"), ("Cache-Control", "max-age=60"),
  ])

  private func entry(_ fixture: CacheFixture, bytes: Int = 17) throws -> CachedEntry {
    let body = [UInt8](repeating: 7, count: bytes)
    return try #require(fixture.cache.lookup(fixture.store("https://example.org/a.png", body, fields: stored)))
  }

  @Test func fieldsThatSayNothingAboutTheImageSetOnlyTheTime() throws {
    let fixture = try CacheFixture()
    let before = try entry(fixture)
    let file = fixture.folder.read(fixture.path(before.key))
    fixture.clock.advance(.seconds(5000))
    let answered = HeaderFields([
      ("Date", "Wed, 15 Nov 2023 22:13:20 GMT"), ("Age", "5"), ("Expires", "0"), ("Server", "other"),
      ("etag", "\"1\""), ("Content-Length", "0"),
    ])
    let after = try #require(fixture.cache.revalidated(before, answered))
    #expect(fixture.folder.read(fixture.path(before.key)) == file)
    #expect(after.age(now: fixture.clock.wallTime()) == 0)
    let found = try #require(try fixture.another().lookup(before.key))
    #expect(found.stamp == after.stamp)
    #expect(found.age(now: fixture.clock.wallTime()) == 0)
    #expect(found.metadata.fields == stored)
  }

  @Test(arguments: [
    ([("etag", "\"1\""), ("DATE", "now"), ("Age", "9")], true), ([("Cache-Control", "max-age=60")], true),
    ([("Cache-Control", "max-age=99")], false), ([("X-New", "")], false),
    ([("ETag", "\"1\""), ("ETag", "\"1\"")], false), ([], true),
  ])
  func aConfirmationCountsAsChangingNothingOnlyIfItDoes(fields: [(String, String)], isKept: Bool) {
    var updated = stored
    let confirmation = HeaderFields(fields.map { (name: $0.0, value: $0.1) })
    #expect(updated.isKept(by: confirmation) == isKept)
    #expect(updated.update(from: confirmation) == !isKept)
  }

  @Test(arguments: [17, 500_000]) func otherFieldsAreStoredWithTheSameBody(bytes: Int) throws {
    let fixture = try CacheFixture()
    let before = try entry(fixture, bytes: bytes)
    let answered = HeaderFields([("Cache-Control", "max-age=99"), ("Content-Type", "text/html"), ("Date", "now")])
    let after = try #require(fixture.cache.revalidated(before, answered))
    #expect(after.stamp != before.stamp)
    let found = try #require(try fixture.another().lookup(before.key))
    #expect(found.metadata.fields.first("Cache-Control") == "max-age=99")
    #expect(found.metadata.fields.first("ETag") == "\"1\"")
    #expect(found.metadata.fields.first("Content-Type") == "text/html")
    #expect(found.metadata.fields.first("Date") == "now")
    #expect(try found.body.wholeBytes() == before.body.wholeBytes())
    #expect(fixture.files == [before.key.path])
    #expect(try fixture.cache.size() == fixture.cache.exactSize())
  }

  @Test func aDamagedBodyStaysDamaged() throws {
    let fixture = try CacheFixture()
    let before = try entry(fixture, bytes: 500_000)
    let file = open(fixture.folder.path(fixture.path(before.key)), O_WRONLY)
    try #require(pwrite(file, [1], 1, 1000) == 1)
    close(file)
    _ = fixture.cache.revalidated(before, HeaderFields([("X-New", "1")]))
    let found = try #require(try fixture.another().lookup(before.key))
    #expect(found.metadata.fields.contains("X-New"))
    #expect(throws: (any Error).self) { try found.body.wholeBytes() }
  }

  @Test(arguments: [17, 500_000]) func aReadOnlyCacheIsCopiedFromAndNotWritten(bytes: Int) throws {
    let lower = try CacheFixture()
    let body = [UInt8](repeating: 7, count: bytes)
    let key = try lower.store("https://example.org/a.png", body, fields: stored)
    let fixture = try CacheFixture(tiers: [lower.folder.path("cache")])
    let before = try #require(fixture.cache.lookup(key))
    let after = try #require(fixture.cache.revalidated(before, HeaderFields([("Date", "now")])))
    #expect(lower.cache.lookup(key)?.stamp == before.stamp)
    let copy = try #require(try fixture.another().lookup(key))
    #expect(copy.stamp == after.stamp)
    #expect(try copy.body.wholeBytes() == body)
    #expect(try fixture.cache.size().entries == 1)
  }
}
