/// How much a namespace holds, kept up by everybody who stores or removes, without a lock and without a scan.
///
/// A file of two pages, mapped into every process that stores: a header, then bytes and entries of each of the 256
/// folders. Each change is one atomic addition, made right after the change of the folder; a process that is killed
/// in between leaves it wrong by one entry, and the next walk (a clean) puts it right.
final class Ledger: Sendable {
  private let words: MappedCounters

  /// Where the header's numbers stand, in words of 64 bits.
  private enum Place {
    static let magic = 0
    static let version = 1
    /// Nanoseconds since 1970 when the last full round of cleaning ended.
    static let lastClean = 2
    /// The folder at which the next partial clean begins.
    static let cursor = 3
    /// Not 0: the numbers have been true since they were last counted.
    static let isCounted = 4
    /// Not 0: a partial clean has begun to remove the least recently used, and is not at its end.
    static let isShrinking = 5
    /// The latest time that is known, in nanoseconds since 1970, and since when the clock has been far behind it; 0 for none.
    static let latest = 6
    static let behindSince = 7
    /// The second page.
    static let shards = 512
  }

  static let magic: UInt64 = 0x7265_6764_656C_6D69  // "imledger", read as a little-endian number
  static let version: UInt64 = 1
  static let wordCount = Place.shards + 2 * CacheKey.shardCount
  static let fileLength = Int64(wordCount * 8)

  private init(_ words: MappedCounters) { self.words = words }

  /// Opens the ledger of a namespace, or makes it. Nil where the file system does not carry one.
  static func open(in folder: borrowing Descriptor, owner: UInt32) -> Ledger? {
    // Memory that two machines have mapped is not the same memory.
    if folder.isOnNetwork() { return nil }
    // A second turn where another process made it first; a third where it was not what it should be.
    for _ in 0..<3 {
      do {
        let file = try folder.open(CacheFolder.Names.ledger, [.readWrite, .noFollow, .nonBlocking])
        switch try check(file, owner: owner) {
        case .good: return Ledger(try MappedCounters(mapping: file, count: wordCount))
        case .foreign: return nil
        case .damaged:
          // Another process may have put a new one in its place by now.
          if try folder.status(of: CacheFolder.Names.ledger)?.identity == file.status().identity {
            try folder.remove(CacheFolder.Names.ledger)
          }
        }
      } catch {
        guard error.code == .noSuchFile else { return nil }
        if !make(in: folder) { return nil }
      }
    }
    return nil
  }

  private enum State { case good, damaged, foreign }

  private static func check(_ file: borrowing Descriptor, owner: UInt32) throws(SystemError) -> State {
    let status = try file.status()
    guard status.kind == .regular, status.owner == owner else { return .foreign }
    // Before it is mapped: beyond the end of a shorter file there is no memory to touch.
    guard status.size == fileLength else { return .damaged }
    var bytes: [UInt8] = []
    _ = try file.read(into: &bytes, count: 16, at: 0)
    var reader = ByteReader(bytes)
    guard reader.take(UInt64.self) == magic, let version = reader.take(UInt64.self) else { return .damaged }
    if version > Self.version { return .foreign }
    return version == Self.version ? .good : .damaged
  }

  /// Makes it complete under no name, then gives it its name; who comes second finds it there.
  private static func make(in folder: borrowing Descriptor) -> Bool {
    do {
      let isEmpty = try !folder.names().contains { $0.utf8.count == 2 }
      let file = try TemporaryFile(in: folder.open(".", [.read, .directory]), mode: 0o600)
      try file.descriptor.reserve(fileLength)
      var head = ByteWriter()
      head.put(magic)
      head.put(version)
      // What was just begun needs no cleaning for a day.
      head.put(isEmpty ? UInt64(bitPattern: try file.descriptor.status().modified.nanoseconds) : 0)
      head.put(0 as UInt64)
      head.put((isEmpty ? 1 : 0) as UInt64)
      try file.descriptor.write(head.bytes.span, at: 0)
      try file.publish(as: CacheFolder.Names.ledger, replacing: false)
      return true
    } catch {
      return error.code == .fileExists
    }
  }

  /// Whether the file was cut, or its disk has failed, under the hands of this process. What is read here means nothing then.
  var isLost: Bool { words[Place.magic] != Self.magic }

  /// Notes a change of a folder: so many bytes and entries more.
  func add(shard: Int, bytes: Int64, entries: Int64) {
    guard shard >= 0, shard < CacheKey.shardCount else { return }
    words.add(bytes, at: Place.shards + 2 * shard)
    words.add(entries, at: Place.shards + 2 * shard + 1)
  }

  /// What a folder holds.
  func usage(of shard: Int) -> CacheUsage {
    guard shard >= 0, shard < CacheKey.shardCount else { return CacheUsage() }
    return CacheUsage(
      bytes: Int64(bitPattern: words[Place.shards + 2 * shard]),
      entries: Int64(bitPattern: words[Place.shards + 2 * shard + 1]))
  }

  /// What all of them hold.
  var total: CacheUsage {
    var total = CacheUsage()
    for shard in 0..<CacheKey.shardCount { total += usage(of: shard) }
    return CacheUsage(bytes: max(0, total.bytes), entries: max(0, total.entries))
  }

  /// Puts what was counted in the place of what was noted, if nothing was noted since `before`. False: somebody stored or
  /// removed meanwhile, and it is unknown whether the count saw that.
  func correct(shard: Int, from before: CacheUsage, to counted: CacheUsage) -> Bool {
    guard shard >= 0, shard < CacheKey.shardCount, usage(of: shard) == before else { return false }
    let place = Place.shards + 2 * shard
    guard
      words.exchange(UInt64(bitPattern: before.bytes), for: UInt64(bitPattern: counted.bytes), at: place)
    else { return false }
    // The two numbers are two words; what came between them is in this difference.
    words.add(counted.entries &- before.entries, at: place + 1)
    return true
  }

  /// Whether the totals mean anything: a ledger that was made beside entries must be counted first.
  var isCounted: Bool {
    get { words[Place.isCounted] != 0 }
    set { words[Place.isCounted] = newValue ? 1 : 0 }
  }

  var lastClean: WallTime {
    get { WallTime(nanoseconds: Int64(bitPattern: words[Place.lastClean])) }
    set { words[Place.lastClean] = UInt64(bitPattern: newValue.nanoseconds) }
  }

  /// Whether the cache was over its limit and is on its way down to half of it.
  var isShrinking: Bool {
    get { words[Place.isShrinking] != 0 }
    set { words[Place.isShrinking] = newValue ? 1 : 0 }
  }

  /// The latest time that the cache is known to have been used at, now that the clock shows `now`.
  func knownTime(now: WallTime) -> WallTime {
    let (latest, since) = (Int64(bitPattern: words[Place.latest]), Int64(bitPattern: words[Place.behindSince]))
    // Before this was noted there was the time of the last clean.
    var known = KnownTime(
      latest: latest == 0 ? lastClean : WallTime(nanoseconds: latest),
      behindSince: since == 0 ? nil : WallTime(nanoseconds: since))
    known.note(now)
    words[Place.latest] = UInt64(bitPattern: known.latest.nanoseconds)
    words[Place.behindSince] = UInt64(bitPattern: known.behindSince?.nanoseconds ?? 0)
    return known.latest
  }

  /// Always one of the folders, whatever the file says.
  var cursor: Int {
    get { Int(words[Place.cursor] % UInt64(CacheKey.shardCount)) }
    set { words[Place.cursor] = UInt64(newValue % CacheKey.shardCount) }
  }
}
