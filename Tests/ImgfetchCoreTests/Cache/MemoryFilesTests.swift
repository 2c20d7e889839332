import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Images that memory keeps as open files") struct MemoryFilesTests {
  private let folder: TemporaryFolder
  private let now = WallTime(seconds: 1_000_000)

  init() throws { folder = try TemporaryFolder() }

  private func key(_ number: Int) -> CacheKey { CacheKey(url: "https://example.org/\(number).jpg") }

  private func bytes(_ number: Int) -> [UInt8] { (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7 + number) } }

  /// A body in a file, followed by something else.
  private func body(_ number: Int) throws -> ImageBody {
    let path = try folder.write("\(number)", bytes(number) + [9, 9, 9])
    let file = SharedDescriptor(try Descriptor.open(path, .read))
    return ImageBody(
      .file(.init(descriptor: file, length: 1000, expectedHash: nil)), hash: ContentHash(of: bytes(number).span))
  }

  private func keep(_ numbers: Range<Int>, in memory: MemoryCache) throws {
    for number in numbers { memory.keep(try body(number), .sample(key(number)), stored: now) }
  }

  private func found(_ number: Int, in memory: MemoryCache) -> [UInt8]? {
    guard let entry = memory.lookup(key(number)), case .bytes(let bytes) = entry.image.content else { return nil }
    return bytes
  }

  @Test("Their bytes are read when they are asked for, and count from the beginning")
  func read() throws {
    let memory = MemoryCache(limit: 100_000)
    try keep(0..<1, in: memory)
    let size = memory.size
    #expect(size.entries == 1 && size.bytes >= 1000)
    #expect(memory.contains(key(0)))
    try folder.remove("0")
    #expect(found(0, in: memory) == bytes(0))
    #expect(found(0, in: memory) == bytes(0))
    #expect(memory.size == size)
  }

  @Test("What was changed in its file is dropped")
  func changed() throws {
    let memory = MemoryCache(limit: 100_000)
    try keep(0..<1, in: memory)
    let file = open(folder.path("0"), O_WRONLY)
    #expect(file >= 0 && pwrite(file, [0, 0], 2, 500) == 2)
    close(file)
    #expect(found(0, in: memory) == nil)
    #expect(memory.size.entries == 0)
  }

  @Test("Beyond so many open files the oldest are read, or dropped", arguments: [true, false])
  func many(readsFiles: Bool) throws {
    let memory = MemoryCache(limit: 1_000_000, files: 3, readsFiles: readsFiles)
    try keep(0..<10, in: memory)
    // Kept again, an image has its place already.
    for _ in 0..<5 { try keep(9..<10, in: memory) }
    for number in 0..<10 {
      #expect(memory.contains(key(number)) == (readsFiles || number >= 7), "\(number)")
      if readsFiles || number >= 7 { #expect(found(number, in: memory) == bytes(number)) }
    }
  }

  @Test("Bytes that a taker has read are kept in place of the file, if they are the same")
  func taken() throws {
    let memory = MemoryCache(limit: 100_000)
    let body = try body(0)
    memory.keep(body, .sample(key(0)), stored: now)
    memory.take(bytes(0), of: body, key(0))
    _ = truncate(folder.path("0"), 0)
    #expect(found(0, in: memory) == bytes(0))
  }

  @Test("A file that other images are in, and a body without a hash, are declined")
  func declined() throws {
    let memory = MemoryCache(limit: 100_000)
    let path = try folder.write("a", bytes(0))
    let file = SharedDescriptor(try Descriptor.open(path, .read))
    memory.keep(
      ImageBody(
        .file(.init(descriptor: file, length: 1000, expectedHash: nil, isShared: true)),
        hash: ContentHash(of: bytes(0).span)), .sample(key(0)), stored: now)
    memory.keep(
      ImageBody(.file(.init(descriptor: file, length: 1000, expectedHash: nil))), .sample(key(1)), stored: now)
    #expect(memory.size.entries == 0)
  }
}

@Suite("Memory when the system runs short") struct MemoryShareTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test("Half at each sign of shortage, and twice as much after each half minute without one")
  func share() {
    var share = MemoryShare()
    func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }
    #expect(share.isLookDue(at(0)) && !share.isLookDue(at(1)) && share.isLookDue(at(2)))
    share.note(isShort: false, at: at(0))
    #expect(share.of(800) == 800)
    for (second, expected) in [(2, 400), (4, 200), (6, 100), (8, 50), (10, 25), (12, 25)] {
      share.note(isShort: true, at: at(Double(second)))
      #expect(share.of(800) == expected)
    }
    share.note(isShort: false, at: at(41))
    #expect(share.of(800) == 25)
    share.note(isShort: false, at: at(42))
    #expect(share.of(800) == 50)
    share.note(isShort: false, at: at(71))
    #expect(share.of(800) == 50)
    share.note(isShort: false, at: at(72))
    #expect(share.of(800) == 100)
  }

  private func pressure(_ files: [String: String]) throws -> Bool {
    for (name, text) in files { try folder.write(name, text) }
    return MemoryPressure(root: folder.path).isShort()
  }

  @Test("Without an account of the kernel's there is no shortage")
  func nothing() throws { #expect(try !pressure([:])) }

  @Test("Time lost to a lack of memory is shortage", arguments: [("0.00", false), ("9.99", false), ("10.00", true)])
  func stalls(average: String, isShort: Bool) throws {
    let line =
      "some avg10=\(average) avg60=50.00 avg300=50.00 total=1\nfull avg10=50.00 avg60=0.00 avg300=0.00 total=0\n"
    #expect(try pressure(["proc/pressure/memory": line]) == isShort)
    #expect(
      try pressure([
        "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",
        "proc/self/cgroup": "12:cpu:/x\n0::/a/b\n", "sys/fs/cgroup/a/b/memory.pressure": line,
      ]) == isShort)
  }

  @Test("So is a cgroup near its mark, without what the kernel can take back", arguments: [(0, true), (500, false)])
  func mark(idle: Int, isShort: Bool) throws {
    #expect(
      try pressure([
        "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.high": "1000\n", "sys/fs/cgroup/a/memory.max": "max\n",
        "sys/fs/cgroup/a/memory.current": "960\n",
        "sys/fs/cgroup/a/memory.stat": "anon 1\ninactive_file \(idle)\nactive_file 3\n",
      ]) == isShort)
  }

  @Test("A cache then keeps less, and never more than it may")
  func cache() throws {
    try folder.write("proc/pressure/memory", "some avg10=80.00 avg60=0.00 avg300=0.00 total=0\n")
    let clock = ManualClock()
    let memory = MemoryCache(limit: 100_000, clock: clock, pressure: MemoryPressure(root: folder.path))
    for number in 0..<20 {
      memory.insert(
        Array(repeating: 1, count: 4000), .sample(CacheKey(url: "https://example.org/\(number)")),
        stored: clock.wallTime())
    }
    #expect(memory.size.bytes > 80_000)
    memory.makeRoom()
    #expect((1...50_000).contains(memory.size.bytes))
    memory.setLimits(20_000, count: .max)
    #expect(memory.size.bytes <= 10_000)
  }
}
