import TestSupport
import Testing

@testable import ImgfetchCore

/// The decisions alone, in a simulation of inodes and locks, where processes alternate at every step and may die at any
/// of them.
@Suite struct PartProtocolTests {
  @Test func aFreePartIsHeldAfterComparingAndLookingAgain() {
    var part = PartProtocol()
    #expect(part.begin() == .open)
    #expect(part.next(after: .opened) == .lock)
    #expect(part.next(after: .locked) == .compare)
    #expect(part.next(after: .sameFile) == .lookUp)
    #expect(part.next(after: .noEntry) == .hold)
  }

  @Test func anEntryThatWasStoredMeanwhileIsServed() {
    var part = PartProtocol()
    for finding in [PartProtocol.Finding.opened, .locked, .sameFile] { _ = part.next(after: finding) }
    #expect(part.next(after: .storedSince) == .serve(removing: true))
  }

  @Test func aLockOnAFileThatLostItsNameDoesNotCount() {
    var part = PartProtocol()
    for finding in [PartProtocol.Finding.opened, .locked] { _ = part.next(after: finding) }
    #expect(part.next(after: .otherFile) == .open)
    #expect(part.next(after: .opened) == .lock)
  }

  @Test func aWaiterLooksForTheEntryThenTheFileThenTheLock() {
    var part = PartProtocol()
    _ = part.next(after: .opened)
    #expect(part.next(after: .busy) == .wait)
    #expect(part.next(after: .resumed) == .lookUp)
    #expect(part.next(after: .noEntry) == .compare)
    #expect(part.next(after: .sameFile) == .lock)
    #expect(part.next(after: .busy) == .wait)
    #expect(part.next(after: .resumed) == .lookUp)
    #expect(part.next(after: .storedSince) == .serve(removing: false))
  }

  @Test func aWaiterTakesOverADeadHoldersPart() {
    var part = PartProtocol()
    for finding in [PartProtocol.Finding.opened, .busy, .resumed, .noEntry, .sameFile] { _ = part.next(after: finding) }
    #expect(part.next(after: .locked) == .compare)
    #expect(part.next(after: .sameFile) == .lookUp)
    #expect(part.next(after: .noEntry) == .hold)
  }

  @Test func aWaiterDoesNotWaitForASecondHolder() {
    var part = PartProtocol()
    for finding in [PartProtocol.Finding.opened, .busy, .resumed, .noEntry] { _ = part.next(after: finding) }
    #expect(part.next(after: .otherFile) == .open)
    #expect(part.next(after: .opened) == .lock)
    #expect(part.next(after: .busy) == .lookUp)
    #expect(part.next(after: .noEntry) == .fetchAlone)
  }

  @Test func aWaiterThatFindsAnotherOneFasterIsServedWhatBothWaitedFor() {
    var part = PartProtocol()
    for finding in [PartProtocol.Finding.opened, .busy, .resumed, .noEntry, .otherFile, .opened] {
      _ = part.next(after: finding)
    }
    #expect(part.next(after: .busy) == .lookUp)
    #expect(part.next(after: .storedSince) == .serve(removing: false))
  }

  @Test func aWaiterForAnEntryGoesOnWaitingForThePartThatItsHolderMakes() {
    var part = PartProtocol()
    for finding in [PartProtocol.Finding.opened, .busy, .resumed, .noEntry] { _ = part.next(after: finding) }
    #expect(part.next(after: .partInstead) == .open)
    #expect(part.next(after: .opened) == .lock)
    #expect(part.next(after: .busy) == .wait)
    #expect(part.next(after: .resumed) == .lookUp)
    #expect(part.next(after: .storedSince) == .serve(removing: false))
  }

  @Test func withoutLocksEachProcessDownloadsAlone() {
    var part = PartProtocol()
    _ = part.next(after: .opened)
    #expect(part.next(after: .unlockable) == .fetchAlone)
  }

  @Test func noProcessLoopsForever() {
    var part = PartProtocol()
    var steps = 0
    var step = part.begin()
    while step == .open, steps < 1000 {
      steps += 1
      for finding in [PartProtocol.Finding.opened, .locked] { _ = part.next(after: finding) }
      step = part.next(after: .otherFile)
    }
    #expect(step == .fetchAlone)
    #expect(steps < 100)
  }

  @Test(arguments: 0..<200) func thereAreNeverTwoHoldersAndNoStoredImageIsFetchedAgain(walk: Int) {
    let seed = Seed()
    var random = seed.random(for: walk)
    var world = World(processes: 4)
    for _ in 0..<400 {
      world.step(Int.random(in: 0..<4, using: &random), &random)
      #expect(world.holders.count <= 1, "\(seed)")
      #expect(world.holders.allSatisfy { $0.file == world.name }, "\(seed)")
      #expect(!world.processes.contains { $0.step == .fetchAlone && $0.storesWhenBusy > $0.seen }, "\(seed)")
    }
    #expect(world.stores > 0, "\(seed)")
  }

  /// Files by number, one name for the part, and locks that die with their processes.
  private struct World {
    struct Process {
      var decisions = PartProtocol()
      var step = PartProtocol.Step.open
      var file: Int?
      var seen = 0
      /// The number of stores at the moment when the process found the lock taken.
      var storesWhenBusy = 0
    }

    var processes: [Process]
    var name: Int?
    var locks: [Int: Int] = [:]
    var files = 0
    /// The number of times that an entry was stored.
    var stores = 0

    init(processes count: Int) { processes = Array(repeating: Process(), count: count) }

    /// The processes that take themselves for the holder.
    var holders: [Process] { processes.filter { $0.step == .hold } }

    mutating func step(_ number: Int, _ random: inout SeededRandom) {
      if Int.random(in: 0..<25, using: &random) == 0 { return restart(number) }
      var process = processes[number]
      let finding: PartProtocol.Finding
      switch process.step {
      case .open:
        unlock(number)
        if name == nil {
          files += 1
          name = files
        }
        process.file = name
        finding = .opened
      case .lock:
        let holder = process.file.flatMap { locks[$0] }
        if holder == nil, let file = process.file { locks[file] = number }
        finding = holder == nil || holder == number ? .locked : .busy
        process.storesWhenBusy = stores
      case .compare: finding = process.file == name ? .sameFile : .otherFile
      case .lookUp: finding = stores > process.seen ? .storedSince : .noEntry
      case .wait: finding = .resumed
      case .hold:
        // Publishes or gives up. Either way it gives up the name first and the lock after it.
        if Bool.random(using: &random) { stores += 1 }
        name = nil
        return restart(number)
      case .serve(let removing), .giveUp(let removing):
        if removing { name = nil }
        return restart(number)
      case .fetchAlone:
        stores += 1
        return restart(number)
      }
      process.step = process.decisions.next(after: finding)
      processes[number] = process
    }

    private mutating func unlock(_ number: Int) { locks = locks.filter { $0.value != number } }

    /// The process ends (or is killed), and another replaces it.
    private mutating func restart(_ number: Int) {
      unlock(number)
      processes[number] = Process(seen: stores)
    }
  }
}
