import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore

@Suite struct PartTests {
  private let key = CacheKey(url: "https://example.org/a.png")
  private let record = ResumeRecord(
    boot: "boot", finalURL: "https://cdn.example.org/a.png", etag: "\"1\"", lastModified: nil,
    date: "Tue, 14 Nov 2023 22:13:20 GMT", total: 100, syncedLength: 3,
    fields: Array("X:1\nY:2\n".utf8))

  @Test func oneProcessHoldsItAndAnotherIsServedWhatItPublishes() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    let other = try fixture.another()
    let busy = try #require(other.claimPart(key).busy)
    let still = try #require(busy.poll().busy)
    try part.publish(.sample(key), body: [1, 2], hash: [1, 2].contentHash)
    let entry = try #require(still.poll().entry)
    #expect(try entry.body.wholeBytes() == [1, 2])
    #expect(fixture.files == [key.path])
  }

  @Test func aClaimAfterTheStoreIsServedToo() throws {
    let fixture = try CacheFixture()
    let other = try fixture.another()
    #expect(other.lookup(key) == nil)
    try fixture.store(key.url, [1])
    #expect(try other.claimPart(key).entry?.body.wholeBytes() == [1])
    #expect(fixture.files == [key.path])
  }

  @Test("An entry that was written before a vain look-up, and named after it, answers the claim; an old one does not")
  func namedLate() throws {
    let fixture = try CacheFixture()
    try fixture.store(key.url, [1])
    let written = try #require(fixture.cache.lookup(key)).stored.nanoseconds
    func claim(_ later: Int64) -> PartClaim {
      fixture.cache.claimPart(key, after: .missed(at: WallTime(nanoseconds: written + later)))
    }
    #expect(claim(500_000_000).entry != nil)
    #expect(claim(3_600_000_000_000).part != nil)
  }

  @Test func aClaimThatHasSeenTheEntryIsServedOnlyALaterOne() throws {
    let fixture = try CacheFixture()
    try fixture.store(key.url, [1])
    let seen = try #require(fixture.cache.lookup(key)).stamp
    let part = try #require(fixture.cache.claimPart(key, after: .saw(seen)).part)
    part.abandon(keepForResume: false)
    try fixture.store(key.url, [2])
    #expect(try fixture.cache.claimPart(key, after: .saw(seen)).entry?.body.wholeBytes() == [2])
  }

  @Test func aPartIsClaimedUnseenOnlyIfThereIsNoEntry() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimUnseen(key))
    // Another process downloads it.
    #expect(try fixture.another().claimUnseen(key) == nil)
    try part.publish(.sample(key), body: [1, 2], hash: [1, 2].contentHash)
    // It is stored.
    #expect(fixture.cache.claimUnseen(key) == nil)
    #expect(fixture.files == [key.path])
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == [1, 2])
  }

  @Test func aWaiterTakesOverWhatTheHolderLeft() throws {
    let fixture = try CacheFixture()
    var part = fixture.cache.claimPart(key).part
    let busy = try #require(try fixture.another().claimPart(key).busy)
    try part?.write([1, 2, 3].span)
    part?.saveResume(record)
    part = nil
    let taken = try #require(busy.poll().part)
    #expect(taken.length == 3)
    #expect(taken.resume == record)
    #expect(!taken.isPrivate)
  }

  @Test func aFailedDownloadIsNotContagious() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    let first = try #require(try fixture.another().claimPart(key).busy)
    let second = try #require(try fixture.another().claimPart(key).busy)
    part.abandon(keepForResume: false)
    let holder = try #require(first.poll().part)
    #expect(!holder.isPrivate)
    let alone = try #require(second.poll().part)
    #expect(alone.isPrivate)
    try alone.publish(.sample(key), body: [7], hash: [7].contentHash)
    try holder.publish(.sample(key), body: [8], hash: [8].contentHash)
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == [8])
    #expect(fixture.files == [key.path])
    #expect(try fixture.cache.size().entries == 1)
  }

  @Test func anInterruptedDownloadIsFoundByTheNextRun() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    #expect(part.length == 0)
    #expect(part.resume == nil)
    try part.write([1, 2, 3].span)
    try #require(part.saveResume(record))
    try part.sync()
    part.abandon(keepForResume: true)
    let next = try #require(try fixture.another().claimPart(key).part)
    #expect(next.length == 3)
    #expect(next.resume == record)
    #expect(next.resume?.usableLength(of: 3, boot: "boot") == 3)
    try next.write([4].span)
    let body: [UInt8] = [1, 2, 3, 4]
    let published = try next.publish(.sample(key), hash: body.contentHash)
    #expect(try published.wholeBytes() == body)
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == body)
  }

  @Test func tooManyFieldsAreLeftOutOfTheRecord() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    try part.write([1, 2, 3].span)
    var long = record
    long.fields = [UInt8](repeating: UInt8(ascii: "x"), count: 4000)
    try #require(part.saveResume(long))
    long.fields = []
    #expect(part.resume == long)
  }

  @Test func theRecordNeverOutlivesItsBytes() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    try part.write([1, 2, 3].span)
    try #require(part.saveResume(record))
    try part.truncate()
    try part.write([9].span)
    #expect(part.resume == nil)
    part.abandon(keepForResume: true)
    #expect(fixture.files.isEmpty)
  }

  @Test func aDownloadThatCannotBeResumedIsNotKept() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    try part.write([1].span)
    part.abandon(keepForResume: true)
    #expect(fixture.files.isEmpty)
  }

  @Test func bytesOfAnotherBootCountOnlyIfTheyWereSynced() {
    #expect(record.usableLength(of: 50, boot: "boot") == 50)
    #expect(record.usableLength(of: 50, boot: "another") == 3)
    #expect(record.usableLength(of: 2, boot: nil) == 2)
  }

  @Test func aBodyStaysReadableWhateverBecomesOfThePart() throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    try part.write([1, 2, 3].span)
    let body = part.body
    part.abandon(keepForResume: false)
    #expect(fixture.files.isEmpty)
    #expect(try body.wholeBytes() == [1, 2, 3])
  }

  @Test func aPartWithoutARecordIsOverwritten() throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/other.png", [1])
    try fixture.folder.write("cache/v1/default/\(key.partPath)", [9, 9, 9, 9])
    let part = try #require(fixture.cache.claimPart(key).part)
    #expect(part.length == 4)
    #expect(part.resume == nil)
    try part.publish(.sample(key), body: [1], hash: [1].contentHash)
    #expect(try fixture.cache.lookup(key)?.body.wholeBytes() == [1])
  }

  @Test func manyThreadsHaveOneHolderAtATime() async throws {
    let fixture = try CacheFixture()
    try fixture.store("https://example.org/other.png", [1])
    let holders = Guarded((now: 0, most: 0, turns: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          guard let cache = try? fixture.another() else { return }
          for _ in 0..<200 {
            guard let part = cache.claimPart(key, after: .skipped(.distantFuture)).part, !part.isPrivate else {
              continue
            }
            holders.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.turns + 1) }
            holders.withLock { $0.now -= 1 }
            if Bool.random() {
              part.abandon(keepForResume: false)
            } else {
              try? part.publish(.sample(key), body: [1], hash: [1].contentHash)
            }
          }
        }
      }
    }
    #expect(holders.withLock { $0.most } == 1)
    #expect(holders.withLock { $0.turns } > 0)
    #expect(fixture.files.filter { $0.hasSuffix(".part") }.isEmpty)
  }
}
