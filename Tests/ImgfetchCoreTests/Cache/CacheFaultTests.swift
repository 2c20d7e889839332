import CTestSupport
import Foundation
import ImgfetchCore
import TestSupport
import Testing

/// Each system call of a store, a hit and a cleaning fails in turn, or the process is killed there. Afterwards the
/// cache opens, returns right entries or none, and can be repaired.
///
/// Faults affect a whole process, so each of these runs in one of its own.
@Suite struct CacheFaultTests {
  @Test func aFailingCallNeverCostsMoreThanTheCache() async {
    await #expect(processExitsWith: .success) {
      // The last round uses errors that have nothing to do with the disk.
      let others: [Errno] = [.tooManyOpenFiles, .accessDenied, .overQuota, .interrupted]
      for codes in [[Errno.noSpace], [.inputOutput], others] { try FaultWalk.failEach(with: codes) }
    }
  }

  @Test func anEntryIsNotReplacedByOneThatLooksYounger() async {
    await #expect(processExitsWith: .success) {
      let fixture = try CacheFixture()
      let key = try fixture.store("https://example.org/a.png", [1])
      try Command.setTimes(of: fixture.folder.path(fixture.path(key)), daysAgo: 6)
      let entry = try #require(fixture.cache.lookup(key))
      Faults.arm { call, _ in call == .futimens ? .fail(.inputOutput) : .proceed }
      fixture.cache.annotate(entry, entry.metadata)
      Faults.disarm()
      #expect(fixture.cache.lookup(key)?.stored == entry.stored)
      #expect(fixture.files == [key.path])
    }
  }

  @Test func aFileSystemOnWhichEachFileIsLockedCostsOnlyTheCache() async {
    await #expect(processExitsWith: .success) {
      let fixture = try CacheFixture()
      Faults.arm { call, _ in call == .flock ? .fail(.tryAgain) : .proceed }
      let claim = fixture.cache.claimPrivatePart(CacheKey(url: "https://example.org/a.png"))
      Faults.disarm()
      #expect(claim.warning?.contains("locked") == true)
      #expect(fixture.files.isEmpty)
    }
  }

  @Test func aHitAndAStoreMakeNoMoreCallsThanNecessary() async {
    await #expect(processExitsWith: .success) {
      // As the program does: without it the length of the ledger is asked for before each access.
      Fetcher.handleBusErrors()
      let fixture = try CacheFixture()
      let key = try fixture.store("https://example.org/first.png", [1])
      // In a folder that exists already.
      var other = 0
      while CacheKey(url: "\(other)").shard != key.shard { other += 1 }
      let calls = try FaultWalk.calls { _ = try fixture.store("\(other)", [1]) }
      #expect(
        calls == [.openat, .flock, .fstat, .openat, .writev, .renameat2, .flock, .close],
        "a store: the part, its lock, the comparison, the look-up, the writing, the renaming, the lock's end")
      var entry: CachedEntry?
      let hit = try FaultWalk.calls {
        entry = fixture.cache.lookup(key)
        entry = nil
      }
      #expect(hit == [.openat, .fstat, .pread, .close])
      let asking = try FaultWalk.calls {
        guard let entry = fixture.cache.lookup(key), case .lockedEntry(let lock) = fixture.cache.claimEntry(entry)
        else {
          throw Errno.noSuchFile
        }
        _ = fixture.cache.revalidated(entry, HeaderFields())
        lock.release()
      }
      #expect(
        asking == hit.dropLast() + [.flock, .fstat, .fstatat, .futimens, .flock, .close],
        "the origin is asked about an entry: its lock, the comparison, no part, the time, the lock's end")
      let miss = try FaultWalk.calls { entry = fixture.cache.lookup(CacheKey(url: "none")) }
      #expect(miss == [.openat])
      #expect((entry == nil) as Bool)
    }
  }

  @Test func aProcessThatIsKilledAnywhereLeavesAWorkingCache() async {
    await #expect(processExitsWith: .success) {
      // A cleaning has a thread for each core. With two of them a call's number tells another one each time, and each
      // may be killed between a removal and its note.
      try #require(test_use_one_core() == 0)
      let calls = try FaultWalk.recorded()
      #expect(calls.count > 500)
      for ordinal in FaultWalk.telling(calls) {
        try FaultWalk.endProcess(at: ordinal + 1, "\(calls[ordinal]) at \(ordinal)")
      }
    }
  }
}

enum FaultWalk {
  static let urls = ["https://example.org/a.png", "https://example.org/b.png"]

  static func body(_ number: Int) -> [UInt8] { [UInt8](repeating: UInt8(number + 1), count: 1000 * (number + 1)) }

  static func arm(_ decide: @escaping @Sendable (Int, SystemCall) -> Faults.Verdict) {
    Faults.arm { call, number in decide(number, call) }
  }

  /// The calls that `work` made.
  static func calls(_ work: () throws -> Void) throws -> [SystemCall] {
    let seen = Guarded<[SystemCall]>([])
    Faults.arm { call, _ in
      seen.withLock { $0.append(call) }
      return .proceed
    }
    defer { Faults.disarm() }
    try work()
    return seen.withLock { $0 }
  }

  /// Stores, replaces, looks up and cleans in turn. Failures are handled as the pipeline handles them.
  static func turn(_ turn: Int, _ cache: DiskCache) throws {
    for (number, url) in urls.enumerated() {
      let key = CacheKey(url: url)
      if let entry = cache.lookup(key) {
        guard try entry.body.wholeBytes() == body(number) else { throw WrongBytes(url: url) }
        cache.touch(entry)
      }
      if let part = cache.claimPart(key, after: .skipped(.distantFuture)).part {
        if turn % 2 == 0 {
          try? part.publish(.sample(key), body: body(number), hash: body(number).contentHash)
        } else {
          do {
            try part.truncate()
            try part.write(body(number).span)
            let published = try part.publish(.sample(key), hash: body(number).contentHash)
            guard try published.wholeBytes() == body(number) else { throw WrongBytes(url: url) }
          } catch is CacheFailure {
            part.abandon(keepForResume: false)
          } catch BodyReadFailure.source {
            // Reading back failed with an error.
          }
        }
      }
    }
    let gone = CacheKey(url: "https://example.org/gone.png")
    if turn == 0 { cache.noteFailure(of: gone, status: 404, for: 3600) }
    if let note = cache.failureNote(of: gone, within: 3600), note.status != 404 { throw WrongBytes(url: gone.url) }
    if turn == 2 {
      _ = try? cache.clean(maximumAge: 1e9, maximumSize: 1500)
      _ = cache.verify(repairing: true)
    }
    if turn == 3 { cache.removeFailureNote(of: gone) }
  }

  struct WrongBytes: Error { let url: String }

  static func checkIsRightOrMissing(_ number: Int, _ cache: DiskCache) throws {
    guard let entry = cache.lookup(CacheKey(url: urls[number])) else { return }
    guard try entry.body.wholeBytes() == body(number) else { throw WrongBytes(url: urls[number]) }
  }

  /// The calls of all turns.
  static func recorded() throws -> [SystemCall] { try calls { try run(in: TemporaryFolder()) } }

  /// The calls to try. Closing cannot fail in a way that matters. A cleaning opens 256 folders in a row, of which the
  /// first few are enough.
  static func telling(_ calls: [SystemCall]) -> [Int] {
    calls.indices.filter { place in
      calls[place] != .close && calls[max(0, place - 3)...place].count(where: { $0 == .openat }) <= 3
    }
  }

  /// Runs the same turns again and again, each time with another call failing, until each call has failed.
  static func failEach(with codes: [Errno]) throws {
    let seen = try recorded()
    for failing in telling(seen) {
      let folder = try TemporaryFolder()
      let code = codes[failing % codes.count]
      arm { number, _ in number == failing + 1 ? .fail(code) : .proceed }
      try run(in: folder)
      Faults.disarm()
      let cache = try DiskCache.open(root: folder.path("cache"))
      for number in 0..<urls.count { try checkIsRightOrMissing(number, cache) }
      #expect(cache.verify(repairing: false).damaged.isEmpty, "\(code): \(seen[failing]) at \(failing)")
      let counted = try cache.exactSize()
      #expect(try cache.size() == counted, "\(code): \(seen[failing]) at \(failing)")
    }
  }

  private static func run(in folder: TemporaryFolder) throws {
    guard let cache = try? DiskCache.open(root: folder.path("cache")) else { return }
    for number in 0..<4 { try turn(number, cache) }
  }

  /// Runs the turns in a process that is killed just before one of its calls, and checks the files that it has left.
  static func endProcess(at ordinal: Int, _ call: String) throws {
    let folder = try TemporaryFolder()
    let root = folder.path("cache")
    let child = test_fork(-1)
    if child == 0 {
      arm { number, _ in number == ordinal ? .endProcess : .proceed }
      if let cache = try? DiskCache.open(root: root) {
        for number in 0..<4 { try? turn(number, cache) }
      }
      _exit(0)
    }
    var status: Int32 = 0
    try #require(waitpid(child, &status, 0) == child)
    let cache = try DiskCache.open(root: root)
    for number in 0..<urls.count { try checkIsRightOrMissing(number, cache) }
    let noted = try cache.size()
    let counted = try cache.exactSize()
    // A thread that is killed between a change and its note makes the ledger wrong by one entry, until the next
    // cleaning.
    #expect(abs(noted.entries - counted.entries) <= 1, "\(call)")
    #expect(try cache.size() == counted, "\(call)")
    let litter = folder.files().filter { $0.hasSuffix(".part") || $0.contains("/.imgfetch-") }
    #expect(litter.count <= 1, "\(call)")
    #expect(cache.verify(repairing: false).damaged.isEmpty, "\(call)")
    // The leftovers do not get in the way.
    for number in 0..<4 { try turn(number, cache) }
    #expect(try cache.size() == cache.exactSize(), "\(call)")
  }
}
