import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

/// The counters in a mapped file if the file is truncated while they are in use. In processes of their own: touching
/// memory that is gone kills the process, and the handler stays.
@Suite("Counters in a mapped file") struct MappedCountersTests {
  static let count = 1024
  static let length = Int64(count * 8)

  private static func file(in folder: TemporaryFolder) throws -> Descriptor {
    let file = try Descriptor.open(folder.path("counters"), [.readWrite, .create, .truncate])
    try file.reserve(length)
    return file
  }

  @Test(
    "With the handler they are lost with the file, and nothing else is lost", arguments: [0, 1, 4096, 5000] as [Int64])
  func cut(to length: Int64) async {
    await #expect(processExitsWith: .success) { [length] in
      MappedCounters.handleBusErrors()
      let folder = try TemporaryFolder()
      let file = try Self.file(in: folder)
      let counters = try MappedCounters(mapping: file.duplicate(), count: Self.count)
      counters.add(7, 8, at: 0)
      counters.add(7, 8, at: 1022)
      try file.truncate(to: length)
      counters.add(0, 1, at: 1022)
      #expect(counters[1023] == 1)
      // If a page is gone, all counters are. If none is, those behind the cut are zero and those before it stay.
      #expect(counters[0..<2] == (length == 5000 ? [7, 8] : [0, 0]))
      #expect(!counters.exchange(5, for: 6, at: 512))
    }
  }

  @Test("Without the handler they are lost as soon as the file is shorter", arguments: [0, 1, 4096, 5000] as [Int64])
  func unguarded(to length: Int64) async {
    await #expect(processExitsWith: .success) { [length] in
      let folder = try TemporaryFolder()
      let file = try Self.file(in: folder)
      let counters = try MappedCounters(mapping: file.duplicate(), count: Self.count)
      counters.add(7, 8, at: 0)
      #expect(counters[0..<2] == [7, 8])
      try file.truncate(to: length)
      counters.add(0, 1, at: 1022)
      counters[512] = 5
      #expect(!counters.exchange(0, for: 6, at: 512))
      #expect((counters[0], counters[512], counters[1023]) == (0, 0, 0))
      #expect(counters[0..<1024].allSatisfy { $0 == 0 })
      // Grown again, it is another file for all that is known.
      try file.truncate(to: Self.length)
      #expect(counters[1023] == 0)
    }
  }

  @Test("With the handler, many threads may use them while the file is cut, a hundred times, even if it grows again")
  func threads() async {
    await #expect(processExitsWith: .success) {
      MappedCounters.handleBusErrors()
      let folder = try TemporaryFolder()
      for turn in 0..<100 {
        let counters = try MappedCounters(mapping: Self.file(in: folder), count: Self.count)
        let name = folder.path("counters")
        try together(4) { number in
          for place in 0..<Self.count - 1 {
            if number == 0, place == 100 { truncate(name, 0) }
            if number == 0, place == 600, turn % 2 == 0 { truncate(name, off_t(Self.length)) }
            counters.add(1, 1, at: place)
          }
        }
      }
    }
  }

  @Test("A signal with another cause still ends the process")
  func others() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      MappedCounters.handleBusErrors()
      raise(SIGBUS)
    }
    await #expect(processExitsWith: .signal(SIGBUS)) {
      MappedCounters.handleBusErrors()
      let folder = try TemporaryFolder()
      let file = try Self.file(in: folder)
      let counters = try MappedCounters(mapping: file.duplicate(), count: Self.count)
      let other = mmap(nil, 4096, PROT_READ, MAP_SHARED, file.raw, 0)
      try file.truncate(to: 0)
      // First its own, which is handled.
      counters.add(1, 1, at: 0)
      print(other?.load(as: UInt8.self) ?? 0)
    }
  }

  @Test("Signals with another cause go to the handler that was there before")
  func earlierHandler() async {
    await #expect(processExitsWith: .exitCode(3)) {
      signal(SIGBUS) { _ in _exit(3) }
      MappedCounters.handleBusErrors()
      let folder = try TemporaryFolder()
      let file = try Self.file(in: folder)
      let counters = try MappedCounters(mapping: file.duplicate(), count: Self.count)
      try file.truncate(to: 0)
      counters.add(1, 1, at: 0)
      raise(SIGBUS)
      _exit(4)
    }
  }
}

/// The ledger of a program that uses the library and has not asked for a handler.
@Suite("A ledger without a handler") struct UnguardedLedgerTests {
  @Test("Storing leaves the signals of the process as they are, and outlives a ledger that is cut")
  func cut() async {
    await #expect(processExitsWith: .success) {
      let fixture = try CacheFixture()
      let url = { (number: Int) in "https://example.org/\(number).png" }
      for number in 0..<20 {
        try fixture.store(url(number), [1, 2, 3])
        truncate(fixture.folder.path("cache/v1/default/ledger"), off_t(number % 2 * 4096))
      }
      var action = sigaction()
      sigaction(SIGBUS, nil, &action)
      #expect(action.__sigaction_handler.sa_handler == nil, "SIG_DFL")
      #expect(try fixture.cache.size().entries == 20)
      try fixture.cache.remove(CacheKey(url: url(0)))
      #expect(try fixture.cache.size() == fixture.cache.exactSize())
    }
  }
}
