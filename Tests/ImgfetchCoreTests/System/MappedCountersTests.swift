import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

/// The counters in a mapped file if the file is truncated while they are in use. In processes of their own: touching
/// memory that is gone kills the process.
@Suite("Counters in a mapped file") struct MappedCountersTests {
  static let count = 1024
  static let length = Int64(count * 8)

  private static func file(in folder: TemporaryFolder) throws -> Descriptor {
    let file = try Descriptor.open(folder.path("counters"), [.readWrite, .create, .truncate])
    try file.reserve(length)
    return file
  }

  @Test("They are lost with the file, and nothing else is lost", arguments: [0, 1, 4096, 5000] as [Int64])
  func cut(to length: Int64) async {
    await #expect(processExitsWith: .success) { [length] in
      let folder = try TemporaryFolder()
      let file = try Self.file(in: folder)
      let counters = try MappedCounters(mapping: file, count: Self.count)
      counters.add(7, at: 0)
      counters.add(7, at: 1023)
      try file.truncate(to: length)
      counters.add(1, at: 1023)
      #expect(counters[1023] == 1)
      // If a page is gone, all counters are. If none is, those behind the cut are zero and those before it stay.
      #expect(counters[0] == (length == 5000 ? 7 : 0))
      #expect(!counters.exchange(5, for: 6, at: 512))
    }
  }

  @Test("The same holds for many threads at once, a hundred times, even if the file grows again")
  func threads() async {
    await #expect(processExitsWith: .success) {
      let folder = try TemporaryFolder()
      for turn in 0..<100 {
        let file = try Self.file(in: folder)
        let counters = try MappedCounters(mapping: file, count: Self.count)
        let name = folder.path("counters")
        try together(4) { number in
          for place in 0..<Self.count {
            if number == 0, place == 100 { truncate(name, 0) }
            if number == 0, place == 600, turn % 2 == 0 { truncate(name, off_t(Self.length)) }
            counters.add(1, at: place)
          }
        }
      }
    }
  }

  @Test("A signal with another cause still ends the process")
  func others() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      let folder = try TemporaryFolder()
      _ = try MappedCounters(mapping: Self.file(in: folder), count: Self.count)
      raise(SIGBUS)
    }
    await #expect(processExitsWith: .signal(SIGBUS)) {
      let folder = try TemporaryFolder()
      let file = try Self.file(in: folder)
      let counters = try MappedCounters(mapping: file, count: Self.count)
      let other = mmap(nil, 4096, PROT_READ, MAP_SHARED, file.raw, 0)
      try file.truncate(to: 0)
      // First its own, which is handled.
      counters.add(1, at: 0)
      print(other?.load(as: UInt8.self) ?? 0)
    }
  }

  @Test("Signals with another cause go to the handler that was there before")
  func earlierHandler() async {
    await #expect(processExitsWith: .exitCode(3)) {
      signal(SIGBUS) { _ in _exit(3) }
      let folder = try TemporaryFolder()
      let file = try Self.file(in: folder)
      let counters = try MappedCounters(mapping: file, count: Self.count)
      try file.truncate(to: 0)
      counters.add(1, at: 0)
      raise(SIGBUS)
      _exit(4)
    }
  }
}
