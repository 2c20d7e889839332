import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore

/// A process that asks the origin about an entry locks the entry itself. A part is made only if there is something to
/// download.
@Suite struct EntryLockTests {
  private let key = CacheKey(url: "https://example.org/a.png")

  private func stored(_ fixture: CacheFixture, _ body: [UInt8] = [1]) throws -> CachedEntry {
    try fixture.store(key.url, body)
    return try #require(try fixture.another().lookup(key))
  }

  /// The claim of another process about the same entry.
  private func askAgain(_ fixture: CacheFixture) throws -> PartClaim {
    let other = try fixture.another()
    return other.claimEntry(try #require(other.lookup(key)))
  }

  @Test func theHolderMakesNoPartAndOthersWait() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    let lock = try #require(fixture.cache.claimEntry(entry).lock)
    #expect(fixture.files == [key.path])
    let busy = try #require(try askAgain(fixture).busy)
    #expect(busy.poll().busy != nil)
    withExtendedLifetime(lock) {}
  }

  @Test func aConfirmedEntryAnswersTheWaiters() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    let lock = try #require(fixture.cache.claimEntry(entry).lock)
    let busy = try #require(try askAgain(fixture).busy)
    fixture.clock.advance(.seconds(60))
    _ = fixture.cache.revalidated(entry, HeaderFields())
    lock.release()
    #expect(try busy.poll().entry?.body.wholeBytes() == [1])
    #expect(fixture.files == [key.path])
  }

  @Test func aReplacementAnswersTheWaiters() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    let lock = try #require(fixture.cache.claimEntry(entry).lock)
    let busy = try #require(try askAgain(fixture).busy)
    let part = try #require(fixture.cache.claimPart(key, after: .saw(entry.stamp)).part)
    try part.publish(.sample(key), body: [2, 3], hash: [2, 3].contentHash)
    #expect(try busy.poll().entry?.body.wholeBytes() == [2, 3])
    #expect(fixture.files == [key.path])
    withExtendedLifetime(lock) {}
  }

  @Test func afterAFailureTheNextMayAsk() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    var lock = fixture.cache.claimEntry(entry).lock
    let other = try fixture.another()
    let found = try #require(other.lookup(key))
    let busy = try #require(other.claimEntry(found).busy)
    #expect(lock != nil)
    lock = nil
    #expect(busy.poll().part?.isPrivate == false)
    withExtendedLifetime((entry, found)) {}
  }

  @Test func waitersGoOnWaitingWhileTheHolderDownloads() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    let lock = try #require(fixture.cache.claimEntry(entry).lock)
    let waiters = try (0..<3).map { _ in try #require(try askAgain(fixture).busy) }
    let part = try #require(fixture.cache.claimPart(key, after: .saw(entry.stamp)).part)
    try part.write([2, 3].span)
    let still = try waiters.map { try #require($0.poll().busy) }
    _ = try part.publish(.sample(key), hash: [2, 3].contentHash)
    for waiter in still { #expect(try waiter.poll().entry?.body.wholeBytes() == [2, 3]) }
    #expect(fixture.files == [key.path])
    withExtendedLifetime(lock) {}
  }

  @Test func waitersForAHolderThatFailsDoNotWaitForTheNext() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    let lock = try #require(fixture.cache.claimEntry(entry).lock)
    let waiters = try (0..<3).map { _ in try #require(try askAgain(fixture).busy) }
    lock.giveUp()
    let parts = try waiters.map { try #require($0.poll().part) }
    #expect(parts.map(\.isPrivate) == [false, true, true])
    for part in parts { part.abandon(keepForResume: false) }
    #expect(try askAgain(fixture).lock != nil)
    let after = try #require(try fixture.another().lookup(key))
    #expect(after.stamp == entry.stamp)
    #expect(try entry.body.wholeBytes() == [1])
  }

  @Test func aClaimThatFindsANewerEntryIsServedIt() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    try fixture.store(key.url, [4])
    #expect(try fixture.cache.claimEntry(entry).entry?.body.wholeBytes() == [4])
    #expect(fixture.files == [key.path])
  }

  @Test func aClaimThatFindsTheEntryGoneGetsAPart() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    fixture.cache.withdraw(entry)
    #expect(fixture.cache.claimEntry(entry).part != nil)
  }

  @Test func anExistingPartHasPrecedence() throws {
    let fixture = try CacheFixture()
    let entry = try stored(fixture)
    let other = try fixture.another()
    let part = try #require(other.claimPart(key, after: .saw(entry.stamp)).part)
    // Another process downloads it again, without having asked.
    #expect(fixture.cache.claimEntry(entry).busy != nil)
    try part.write([1, 2, 3].span)
    let record = ResumeRecord(
      boot: "boot", finalURL: key.url, etag: "\"1\"", lastModified: nil, date: nil, total: 100, syncedLength: 3,
      fields: [])
    try #require(part.saveResume(record))
    part.abandon(keepForResume: true)
    // The rest of the part is resumed.
    let rest = try #require(fixture.cache.claimEntry(entry).part)
    #expect(rest.length == 3)
    rest.abandon(keepForResume: false)
    #expect(other.claimEntry(entry).lock != nil)
  }

  @Test(arguments: [3, 500_000]) func anEntryThatWasJustStoredCanBeClaimedWhileItIsDelivered(bytes: Int) throws {
    let fixture = try CacheFixture()
    let part = try #require(fixture.cache.claimPart(key).part)
    let body = [UInt8](repeating: 7, count: bytes)
    try part.write(body.span)
    let delivered = try part.publish(.sample(key), hash: body.contentHash)
    #expect(try askAgain(fixture).lock != nil)
    #expect(try delivered.wholeBytes() == body)
  }

  @Test func anEntryOfAReadOnlyCacheIsDownloadedToAPart() throws {
    let lower = try CacheFixture()
    try lower.store(key.url, [1])
    let cache = try DiskCache.open(
      root: lower.folder.path("upper"), readOnlyCaches: [lower.folder.path("cache")], clock: lower.clock)
    let entry = try #require(cache.lookup(key))
    #expect(entry.isReadOnly)
    #expect(cache.claimEntry(entry).part != nil)
  }

  @Test func ofManyThreadsOneAsksAtATimeAndNoneAsksTwice() async throws {
    let fixture = try CacheFixture()
    try fixture.store(key.url, [1])
    let askers = Guarded((now: 0, most: 0, turns: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          guard let cache = try? fixture.another() else { return }
          for turn in 0..<200 {
            guard let entry = cache.lookup(key), let lock = cache.claimEntry(entry).lock else { continue }
            askers.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.turns + 1) }
            askers.withLock { $0.now -= 1 }
            if turn % 3 == 0, let part = cache.claimPart(key, after: .saw(entry.stamp)).part {
              try? part.publish(.sample(key), body: [1], hash: [1].contentHash)
            }
            lock.release()
          }
        }
      }
    }
    #expect(askers.withLock { $0.most } == 1)
    #expect(askers.withLock { $0.turns } > 0)
    #expect(fixture.files == [key.path])
  }
}

extension PartClaim {
  fileprivate var lock: EntryLock? { if case .lockedEntry(let lock) = self { lock } else { nil } }
}
