import CTestSupport
import Foundation
import ImgfetchCore
import Synchronization
import TestSupport
import Testing

/// The program's `malloc`, which these tests run on as well, as they hold the program.
@Suite("The heap", .enabled(if: !Program.hasSanitizersHeap)) struct HeapTests {
  /// A block with what belongs in it.
  private struct Block: @unchecked Sendable {
    // Sendable: only one thread holds it at a time.
    let bytes: UnsafeMutableRawPointer
    let size: Int
    let mark: UInt8

    init?(size: Int, mark: UInt8, cleared: Bool = false) {
      guard let bytes = cleared ? calloc(size, 1) : malloc(size) else { return nil }
      (self.bytes, self.size, self.mark) = (bytes, size, mark)
      if cleared, !holds(0) { return nil }
      memset(bytes, Int32(mark), size)
    }

    private init(_ bytes: UnsafeMutableRawPointer, size: Int, mark: UInt8) {
      (self.bytes, self.size, self.mark) = (bytes, size, mark)
    }

    func holds(_ byte: UInt8) -> Bool {
      UnsafeRawBufferPointer(start: bytes, count: size).allSatisfy { $0 == byte }
    }

    /// The block with another size, if what it kept is what it held.
    func resized(to size: Int) -> Block? {
      guard let bytes = realloc(bytes, max(1, size)) else { return nil }
      guard Block(bytes, size: min(size, self.size), mark: mark).holds(mark) else { return nil }
      memset(bytes, Int32(mark), size)
      return Block(bytes, size: size, mark: mark)
    }

    func release() { free(bytes) }
  }

  @Test("It is the program's own")
  func own() {
    #expect(test_has_own_malloc())
  }

  @Test("A block of any size holds what was asked for, on a boundary of 16 bytes, used for the first time or again")
  func sizes() throws {
    for _ in 1...3 {
      for size in Array(0...2100) + stride(from: 2100, through: 40_000, by: 61) {
        let bytes = try #require(malloc(size))
        #expect(test_usable_size(bytes) >= size && UInt(bitPattern: bytes) % 16 == 0)
        free(bytes)
      }
    }
  }

  @Test("What could not be had is nil, and so is a size that no number can tell")
  func unavailable() {
    // Not known while this is compiled, or it would be refused there.
    let vast = Int.random(in: (Int.max - 8)...Int.max)
    #expect(malloc(vast) == nil)
    #expect(calloc(vast, 16) == nil)
    #expect(calloc(vast / 8 + 2, 16) == nil)
  }

  @Test("However blocks go from thread to thread, no two share a byte, and cleared ones are clear")
  func exchange() throws {
    let seed = Seed()
    // Where the threads leave blocks for each other.
    let table = Guarded<[Block]>([])
    let faults = Atomic<Int>(0)
    let threads = (1...4).map { number in
      let thread = Thread {
        var random = seed.random(for: number)
        var mine: [Block] = []
        for step in 1...20_000 {
          switch Int.random(in: 0...9, using: &random) {
          case 0...3:
            let size = Int(pow(2, Double.random(in: 0...16, using: &random)))
            let mark = UInt8(truncatingIfNeeded: step &* 5 &+ number)
            guard let block = Block(size: size, mark: mark, cleared: step.isMultiple(of: 3)) else {
              faults.add(1, ordering: .relaxed)
              continue
            }
            mine.append(block)
          case 4...5:
            // Many at once, so that whole batches change hands.
            table.withLock { $0 += mine }
            mine = []
          case 6:
            guard let block = mine.popLast() else { continue }
            guard let other = block.resized(to: Int.random(in: 0...3000, using: &random)) else {
              faults.add(1, ordering: .relaxed)
              continue
            }
            mine.append(other)
          default:
            let count = Int.random(in: 1...40, using: &random)
            let taken = table.withLock { table in
              let taken = Array(table.suffix(count))
              table.removeLast(taken.count)
              return taken
            }
            for block in taken {
              if !block.holds(block.mark) { faults.add(1, ordering: .relaxed) }
              block.release()
            }
          }
        }
        table.withLock { $0 += mine }
      }
      thread.start()
      return thread
    }
    while threads.contains(where: { !$0.isFinished }) { sched_yield() }
    for block in table.withLock({ $0 }) {
      #expect(block.holds(block.mark), "\(seed)")
      block.release()
    }
    #expect(faults.load(ordering: .relaxed) == 0, "\(seed)")
  }

  @Test("A thread that ends lets go of what it kept")
  func endOfThread() async {
    // In a process of its own, in which nothing else allocates memory.
    await #expect(processExitsWith: .success) {
      func use() throws {
        try together(1) { _ in
          for size in stride(from: 24, through: 30_000, by: 112) {
            for block in (1...63).map({ _ in malloc(size) }) { free(block) }
          }
        }
      }
      // What lies between the threads is there after the first.
      try use()
      let before = Int(test_bytes_in_use())
      for _ in 1...40 { try use() }
      // Were it kept, each thread would leave some 2 MB.
      #expect(Int(test_bytes_in_use()) - before < 20 << 20)
    }
  }

  @Test("A block that is freed twice ends the process")
  func freedTwice() async {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      let block = malloc(40)
      free(block)
      free(block)
    }
  }

  @Test("A block that is written to after it was freed ends the process")
  func writtenAfterwards() async {
    await #expect(processExitsWith: .signal(SIGABRT)) {
      let block = try #require(malloc(40))
      free(block)
      memset(block, 7, 40)
      for _ in 1...64 { _ = malloc(40) }
    }
  }
}
