import Foundation
@testable import ImgfetchCore
import TestSupport
import Testing

@Suite struct CleaningTests {
  private let day = 86_400.0

  /// Stores an entry with times that many days ago.
  @discardableResult
  private func store(
    _ fixture: CacheFixture, _ name: String, bytes: Int = 1000, storedDaysAgo: Double = 0, usedDaysAgo: Double = 0
  ) throws -> CacheKey {
    let key = try fixture.store("https://example.org/\(name)", [UInt8](repeating: 1, count: bytes))
    try age(fixture, key.path, storedDaysAgo, usedDaysAgo)
    return key
  }

  private func age(_ fixture: CacheFixture, _ name: String, _ storedDaysAgo: Double, _ usedDaysAgo: Double) throws {
    let now = Double(fixture.clock.wallTime().nanoseconds) / 1e9
    let times = [usedDaysAgo, storedDaysAgo].map { days in
      timeval(tv_sec: Int(now - days * day), tv_usec: 0)
    }
    try #require(utimes(fixture.folder.path("cache/v1/default/\(name)"), times) == 0)
  }

  @Test func whatIsOldAndWasNotUsedForAsLongIsRemoved() throws {
    let fixture = try CacheFixture()
    try store(fixture, "old", storedDaysAgo: 8, usedDaysAgo: 8)
    let used = try store(fixture, "old but used", storedDaysAgo: 8, usedDaysAgo: 1)
    let new = try store(fixture, "new")
    let report = try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil)
    #expect(report.removed.entries == 1)
    #expect(report.left.entries == 2)
    #expect(Set(fixture.files) == [used.path, new.path])
    #expect(try fixture.cache.size() == report.left)
  }

  /// A fixture with twenty images, and the first folder that has one of them.
  private static func twenty() throws -> (fixture: CacheFixture, first: String, inFirst: Int) {
    let fixture = try CacheFixture()
    let shards = try (0..<20).map { number in
      try fixture.store("https://example.org/\(number)", [UInt8](repeating: 1, count: 1000)).shard
    }
    let first = try #require(shards.min())
    return (fixture, first, shards.count { $0 == first })
  }

  private static func fail(_ folder: String, with code: Errno) {
    Faults.arm { call, _, path in call == .openat && path == folder ? .fail(code) : .proceed }
  }

  @Test func aFolderThatCannotBeReadDoesNotKeepTheOthersFromBeingCleaned() async {
    await #expect(processExitsWith: .success) {
      let (fixture, first, inFirst) = try Self.twenty()
      Self.fail(first, with: .inputOutput)
      let report = try fixture.cache.clean(maximumAge: nil, maximumSize: 1)
      #expect(report.failure?.code == .inputOutput)
      #expect(report.removed.entries == 20 - Int64(inFirst))
      Faults.disarm()
      #expect(fixture.files.count == inFirst && fixture.files.allSatisfy { $0.hasPrefix(first) })
      #expect(try fixture.cache.size() == fixture.cache.exactSize())
    }
  }

  @Test func norAtTheEndsOfRuns() async {
    await #expect(processExitsWith: .success) {
      let (fixture, first, _) = try Self.twenty()
      let limit = try fixture.cache.size().bytes / 2
      // What the process lacks is no folder's fault, and is waited for.
      Self.fail(first, with: .tooManyOpenFiles)
      fixture.cache.cleanIfDue(maximumAge: nil, maximumSize: limit)
      #expect(try fixture.cache.size().entries == 20)
      Self.fail(first, with: .inputOutput)
      fixture.cache.cleanIfDue(maximumAge: nil, maximumSize: limit)
      Faults.disarm()
      #expect(try fixture.cache.size().bytes <= limit)
      #expect(try fixture.cache.size() == fixture.cache.exactSize())
    }
  }

  @Test func norFromBeingCleared() async {
    await #expect(processExitsWith: .success) {
      let (fixture, first, inFirst) = try Self.twenty()
      Self.fail(first, with: .inputOutput)
      #expect(throws: CacheFailure.self) { try fixture.cache.clear() }
      Faults.disarm()
      #expect(fixture.files.count == inFirst)
      #expect(try fixture.cache.size() == fixture.cache.exactSize())
    }
  }

  @Test func aRunIsNotToldOfItsImagesThatAClockPutForwardMadeOld() throws {
    let fixture = try CacheFixture()
    let begun = fixture.clock.wallTime()
    try store(fixture, "own")
    fixture.clock.set(wallTime: WallTime(nanoseconds: begun.nanoseconds + 365 * 86_400 * 1_000_000_000))
    #expect(fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30, since: begun) == CacheUsage())
    #expect(fixture.files.isEmpty)
  }

  @Test func aTimeFarAheadCountsAsOld() throws {
    let fixture = try CacheFixture()
    try store(fixture, "future", storedDaysAgo: -3, usedDaysAgo: -3)
    #expect(try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil).removed.entries == 1)
  }

  @Test func overTheLimitTheLeastRecentlyUsedAreRemovedUntilHalfOfItIsLeft() throws {
    let fixture = try CacheFixture()
    var keys: [CacheKey] = []
    for number in 0..<20 { keys.append(try store(fixture, "\(number)", usedDaysAgo: 20 - Double(number))) }
    let total = try fixture.cache.size()
    let each = total.bytes / 20
    #expect(try fixture.cache.clean(maximumAge: nil, maximumSize: total.bytes).removed.entries == 0)

    let report = try fixture.cache.clean(maximumAge: nil, maximumSize: total.bytes - 1)
    #expect(report.left.bytes <= (total.bytes - 1) / 2)
    #expect(report.left.bytes > (total.bytes - 1) / 2 - 2 * each)
    #expect(Set(fixture.files) == Set(keys.suffix(Int(report.left.entries)).map(\.path)))
    #expect(try fixture.cache.size() == report.left)
    #expect(try fixture.cache.exactSize() == report.left)
  }

  @Test func aDryRunReportsTheSameAndRemovesNothing() throws {
    let fixture = try CacheFixture()
    for number in 0..<6 { try store(fixture, "\(number)", storedDaysAgo: 9, usedDaysAgo: Double(number) * 2) }
    let before = fixture.files
    let planned = try fixture.cache.clean(maximumAge: 7 * day, maximumSize: 3000, isDryRun: true)
    #expect(fixture.files == before)
    #expect(try fixture.cache.clean(maximumAge: 7 * day, maximumSize: 3000) == planned)
    #expect(fixture.files.count < before.count)
  }

  @Test func aDownloadInProgressIsLeftAloneHoweverOld() throws {
    let fixture = try CacheFixture()
    let key = CacheKey(url: "https://example.org/in-flight.png")
    let part = try #require(fixture.cache.claimPart(key).part)
    let alone = try #require(fixture.cache.claimPrivatePart(key).part)
    fixture.clock.advance(.seconds(40 * day))
    let report = try fixture.another().clean(maximumAge: 7 * day, maximumSize: 0)
    #expect(report.temporaries == 0)
    try part.publish(.sample(key), body: [1], hash: [1].contentHash)
    alone.abandon(keepForResume: false)
    #expect(fixture.files == [key.path])
  }

  @Test func abandonedPartsAreRemovedAfterADayAndOtherFilesAfterAnHour() throws {
    let fixture = try CacheFixture()
    let key = try store(fixture, "a")
    let names = [key.partPath, "\(key.shard)/\(key.fileName).123.1.part", "\(key.shard)/.imgfetch-x"]
    for name in names { try fixture.folder.write("cache/v1/default/\(name)", [1]) }
    #expect(try fixture.cache.clean(maximumAge: nil, maximumSize: nil).temporaries == 0)
    fixture.clock.advance(.seconds(2 * 3600))
    #expect(try fixture.cache.clean(maximumAge: nil, maximumSize: nil).temporaries == 2)
    #expect(Set(fixture.files) == [key.path, key.partPath])
    fixture.clock.advance(.seconds(day))
    #expect(try fixture.cache.clean(maximumAge: nil, maximumSize: nil).temporaries == 1)
    #expect(fixture.files == [key.path])
  }

  @Test func aRemovedFileThatIsOpenOnANetworkFileSystemIsNoEntry() throws {
    let fixture = try CacheFixture()
    let key = try store(fixture, "a")
    let size = try fixture.cache.size()
    let names = [".nfs0000000000a1b2c300000001", ".fuse_hidden000000310000000e"].map { "\(key.shard)/\($0)" }
    for name in names { try fixture.folder.write("cache/v1/default/\(name)", [1]) }
    #expect(try fixture.cache.exactSize() == size)
    #expect(fixture.cache.verify(repairing: true).damaged.isEmpty)
    #expect(Set(fixture.files) == Set([key.path] + names))
    // Where nothing has it open any more, nothing else removes it.
    fixture.clock.advance(.seconds(2 * 3600))
    #expect(try fixture.cache.clean(maximumAge: nil, maximumSize: nil).temporaries == 2)
    #expect(fixture.files == [key.path])
  }

  @Test func onlyOneProcessCleansAtATime() throws {
    let fixture = try CacheFixture()
    try store(fixture, "a", storedDaysAgo: 9, usedDaysAgo: 9)
    let ledger = open(fixture.folder.path("cache/v1/default/ledger"), O_RDONLY)
    defer { close(ledger) }
    try #require(flock(ledger, LOCK_EX | LOCK_NB) == 0)
    #expect(throws: CacheFailure.beingCleaned) { try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil) }
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 0)
    #expect(fixture.files.count == 1)
    try #require(flock(ledger, LOCK_UN) == 0)
    #expect(try fixture.cache.clean(maximumAge: 7 * day, maximumSize: nil).removed.entries == 1)
  }

  @Test func aCacheWithinItsLimitIsCleanedOnceADayFromItsCreationOn() throws {
    let fixture = try CacheFixture()
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
    try store(fixture, "first", storedDaysAgo: 9, usedDaysAgo: 9)
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
    #expect(fixture.files.count == 1)
    fixture.clock.advance(.seconds(day + 1))
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
    #expect(fixture.files.isEmpty)
    try store(fixture, "second", storedDaysAgo: 9, usedDaysAgo: 9)
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
    #expect(fixture.files.count == 1)
    fixture.clock.advance(.seconds(day + 1))
    fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
    #expect(fixture.files.isEmpty)
  }

  /// A cache without a ledger from the start would be counted at the end of the run that made it.
  @Test func aCacheThatSeveralThreadsMakeAtOnceIsNotCleanedAtOnceEither() throws {
    for _ in 0..<40 {
      let fixture = try CacheFixture()
      try together(8) { try store(fixture, "\($0)", storedDaysAgo: 9, usedDaysAgo: 9) }
      fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
      #expect(fixture.files.count == 8)
    }
  }

  @Test func aCacheOverItsLimitIsReducedToHalfOfItFolderByFolder() throws {
    let fixture = try CacheFixture()
    var keys: [CacheKey] = []
    for number in 0..<600 { keys.append(try store(fixture, "\(number)", usedDaysAgo: 700 - Double(number))) }
    let total = try fixture.cache.size().bytes
    let limit = total / 4
    fixture.cache.cleanIfDue(maximumAge: nil, maximumSize: limit)
    let left = try fixture.cache.size()
    #expect(left.bytes <= limit)
    #expect(left.bytes > limit / 4)
    #expect(left == (try fixture.cache.exactSize()))
    // Each folder loses its least recently used entries, so the whole cache mostly loses those.
    let kept = Set(fixture.files)
    let ages = keys.enumerated().filter { kept.contains($0.element.path) }.map(\.offset)
    #expect(Double(ages.reduce(0, +)) / Double(ages.count) > 350)
  }

  /// Not just to the limit: it would be over it again with the next image, at the expense of the first folders.
  @Test func aCacheALittleOverItsLimitIsReducedToHalfOfItToo() throws {
    let fixture = try CacheFixture()
    for number in 0..<600 { try store(fixture, "\(number)", usedDaysAgo: 700 - Double(number)) }
    let total = try fixture.cache.size()
    let limit = total.bytes * 9 / 10
    fixture.cache.cleanIfDue(maximumAge: nil, maximumSize: limit)
    let left = try fixture.cache.size()
    #expect(abs(left.bytes - limit / 2) < limit / 8)
    fixture.cache.cleanIfDue(maximumAge: nil, maximumSize: limit)
    #expect(try fixture.cache.size() == left)
  }

  @Test func whatOneRunHasNoTimeToRemoveTheNextRunRemoves() throws {
    let fixture = try CacheFixture()
    for number in 0..<300 { try store(fixture, "\(number)", usedDaysAgo: 700 - Double(number)) }
    let limit = try fixture.cache.size().bytes * 9 / 10
    let ticking = try fixture.another(clock: TickingClock(wallTime: fixture.clock.wallTime()))
    for _ in 0..<30 { ticking.cleanIfDue(maximumAge: nil, maximumSize: limit) }
    let left = try fixture.cache.size().bytes
    #expect(abs(left - limit / 2) < limit / 8)
  }

  @Test func nothingIsRemovedBecauseOfImpossibleNumbers() throws {
    let fixture = try CacheFixture()
    for number in 0..<50 { try store(fixture, "\(number)") }
    let ledger = try #require(fixture.cache.location.folder?.ledger)
    for shard in 0..<CacheKey.shardCount { ledger.add(shard: shard, bytes: 1_000_000_000_000, entries: 0) }
    fixture.cache.cleanIfDue(maximumAge: nil, maximumSize: 5 << 30)
    #expect(fixture.files.count == 50)
    #expect(try fixture.cache.size() == fixture.cache.exactSize())
  }

  @Test func withinItsBudgetItContinuesWhereItStopped() throws {
    let fixture = try CacheFixture()
    for number in 0..<50 { try store(fixture, "\(number)", storedDaysAgo: 9, usedDaysAgo: 9) }
    fixture.clock.advance(.seconds(day + 1))
    for _ in 0..<3 {
      fixture.cache.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30, budget: .milliseconds(0))
      #expect(fixture.files.count == 50)
    }
    // A clock that moves whenever it is read gives each run time for a few folders.
    let ticking = try fixture.another(clock: TickingClock(wallTime: fixture.clock.wallTime()))
    var counts: [Int] = []
    for _ in 0..<20 {
      ticking.cleanIfDue(maximumAge: 7 * day, maximumSize: 1 << 30)
      counts.append(fixture.files.count)
    }
    #expect(counts.last == 0)
    #expect(Set(counts).count > 3)
    #expect(counts == counts.sorted(by: >))
  }
}

/// A clock that advances by five milliseconds whenever it is read.
private final class TickingClock: Clock {
  private let state: Guarded<Int64>
  private let calendar: WallTime

  init(wallTime: WallTime) {
    state = Guarded(0)
    calendar = wallTime
  }

  func now() -> Instant {
    state.withLock { state in
      state += 5_000_000
      return Instant(nanoseconds: state)
    }
  }

  func wallTime() -> WallTime { calendar }
}
