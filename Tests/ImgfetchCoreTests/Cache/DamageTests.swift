import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore

/// Any file in the place of an entry is a miss: never a crash, and never other bytes than those that were stored.
@Suite struct DamageTests {
  private let url = "https://example.org/a.png"
  private let body = [UInt8]("the image's bytes".utf8)

  /// A fixture with one entry, and the bytes of its file.
  private func stored() throws -> (fixture: CacheFixture, key: CacheKey, file: [UInt8]) {
    let fixture = try CacheFixture()
    let key = try fixture.store(url, body, fields: HeaderFields([("ETag", "\"1\"")]))
    return (fixture, key, try #require(fixture.folder.read(fixture.path(key))))
  }

  /// A new cache object each time: a run removes a damaged entry of one key only once.
  private func isMiss(_ fixture: CacheFixture, _ key: CacheKey, _ bytes: [UInt8]) throws -> Bool {
    let path = fixture.folder.path(fixture.path(key))
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    try #require(write(file, bytes, bytes.count) == bytes.count)
    return try fixture.another().lookup(key) == nil
  }

  @Test func anEntryCutAtAnyOffsetIsAMiss() throws {
    let (fixture, key, file) = try stored()
    for length in 0..<file.count {
      #expect(try isMiss(fixture, key, Array(file.prefix(length))), "cut at \(length)")
    }
    #expect(try !isMiss(fixture, key, file))
  }

  @Test func anEntryWithAnyBitFlippedIsAMiss() throws {
    let (fixture, key, file) = try stored()
    for bit in 0..<(file.count * 8) {
      var damaged = file
      damaged[bit / 8] ^= 1 << (bit % 8)
      #expect(try isMiss(fixture, key, damaged), "bit \(bit)")
    }
  }

  @Test func anEntryWithBytesAddedIsAMiss() throws {
    let (fixture, key, file) = try stored()
    #expect(try isMiss(fixture, key, file + [0]))
    #expect(try isMiss(fixture, key, [0] + file))
    #expect(try isMiss(fixture, key, file + file))
  }

  @Test func garbageIsAMissAndIsRemoved() throws {
    let (fixture, key, _) = try stored()
    for garbage in [[], [0], [UInt8](repeating: 0xFF, count: 5000), [UInt8](repeating: 0, count: 300_000)] {
      #expect(try isMiss(fixture, key, garbage))
      #expect(fixture.files.isEmpty)
    }
  }

  @Test func anotherKeysEntryIsAMiss() throws {
    let (fixture, key, _) = try stored()
    let other = try fixture.store("https://example.org/other.png", [9])
    let foreign = try #require(fixture.folder.read(fixture.path(other)))
    #expect(try isMiss(fixture, key, foreign))
  }

  @Test func aLinkIsNotFollowed() throws {
    let (fixture, key, file) = try stored()
    let elsewhere = try fixture.folder.write("elsewhere", file)
    try fixture.folder.remove(fixture.path(key))
    try FileManager.default.createSymbolicLink(
      atPath: fixture.folder.path(fixture.path(key)), withDestinationPath: elsewhere)
    #expect(try fixture.another().lookup(key) == nil)
    #expect(fixture.folder.read("elsewhere") == file)

    try fixture.store(url, [5])
    #expect(try fixture.another().lookup(key)?.body.wholeBytes() == [5])
    #expect(fixture.folder.read("elsewhere") == file)
  }

  @Test func aLinkInPlaceOfTheFolderIsNotFollowed() throws {
    let (fixture, key, _) = try stored()
    let shard = "cache/v1/default/\(key.shard)"
    try FileManager.default.moveItem(atPath: fixture.folder.path(shard), toPath: fixture.folder.path("elsewhere"))
    try FileManager.default.createSymbolicLink(
      atPath: fixture.folder.path(shard), withDestinationPath: fixture.folder.path("elsewhere"))
    #expect(try fixture.another().lookup(key) == nil)
    #expect(fixture.cache.claimPart(key).warning != nil)
  }

  @Test func aPipeOrAFolderInPlaceOfAnEntryIsAMiss() throws {
    let (fixture, key, _) = try stored()
    let path = fixture.folder.path(fixture.path(key))
    try fixture.folder.remove(fixture.path(key))
    try #require(mkfifo(path, 0o600) == 0)
    #expect(try fixture.another().lookup(key) == nil)
    try fixture.folder.remove(fixture.path(key))
    try fixture.folder.makeFolder(fixture.path(key))
    #expect(try fixture.another().lookup(key) == nil)
  }

  @Test func aNewerFormatIsLeftAloneAndReported() throws {
    let (fixture, key, file) = try stored()
    var newer = file
    newer[newer.count - 12] = 3
    try fixture.folder.write(fixture.path(key), newer)
    #expect(fixture.cache.lookup(key) == nil)
    #expect(fixture.cache.claimPart(key).warning?.contains("newer") == true)
    #expect(fixture.folder.read(fixture.path(key)) == newer)
    #expect(fixture.files == [key.path])
    #expect(fixture.reports.withLock { $0.count } == 1)
  }

  @Test func aDamagedEntryIsRemovedOnceInARun() throws {
    let (fixture, key, _) = try stored()
    try fixture.folder.write(fixture.path(key), [0])
    #expect(fixture.cache.lookup(key) == nil)
    #expect(fixture.files.isEmpty)
    try fixture.folder.write(fixture.path(key), [0])
    #expect(fixture.cache.lookup(key) == nil)
    #expect(fixture.files == [key.path])
  }

  @Test func ofEntriesThatCannotBeReadTheFirstAreNamedAndAllCounted() {
    var report = DiskCache.VerifyReport()
    for number in 0...DiskCache.VerifyReport.mostUnread {
      report.add(DiskCache.Unread(path: "\(number)", reason: .inputOutput))
    }
    #expect(report.unread.count == DiskCache.VerifyReport.mostUnread)
    #expect(report.unread.first?.path == "0" && report.unreadCount == report.unread.count + 1)
  }

  @Test func verifyingNamesDamagedEntriesAndRepairsThem() throws {
    let (fixture, key, file) = try stored()
    let large = try fixture.store("https://example.org/large.png", [UInt8](repeating: 1, count: 400_000))
    let sound = try fixture.store("https://example.org/sound.png", [1])
    var damaged = file
    damaged[3] ^= 1
    try fixture.folder.write(fixture.path(key), damaged)
    var other = try #require(fixture.folder.read(fixture.path(large)))
    // So much that the key is damaged, too.
    other.removeLast(1000)
    try fixture.folder.write(fixture.path(large), other)

    let report = fixture.cache.verify(repairing: false)
    #expect(Set(report.damaged.map(\.url)) == [url, nil])
    #expect(report.sound == CacheUsage(bytes: 1, entries: 1))
    #expect(fixture.files.count == 3)

    #expect(fixture.cache.verify(repairing: true).damaged.count == 2)
    #expect(fixture.files == [sound.path])
    #expect(fixture.cache.verify(repairing: false).damaged.isEmpty)
  }
}
