/// The size of a namespace, updated by all processes that store or remove, without a lock and without a scan. A file of
/// two pages, mapped by every process that stores: a header, then bytes and entries of each of the 256 folders. Each
/// change is one atomic addition, made right after the change in the folder. If a process is killed in between, it is
/// wrong by one entry for each thread that was about to add, until the next cleaning corrects it.
final class Ledger: Sendable {
  private let words: MappedCounters

  /// The positions of the numbers, in words of 64 bits.
  private enum Place {
    static let magic = 0
    static let version = 1
    /// The end of the last full round of cleaning, in nanoseconds since 1970.
    static let lastClean = 2
    /// The folder at which the next partial cleaning begins.
    static let cursor = 3
    /// A word that is not 0 if the numbers have been right since they were last counted.
    static let isCounted = 4
    /// A word that is not 0 if a partial cleaning has begun to remove the least recently used, and is not done.
    static let isShrinking = 5
    /// The latest known time in nanoseconds since 1970, and the time since which the clock has been far behind it; 0
    /// for none.
    static let latest = 6
    static let behindSince = 7
    /// The second page.
    static let shards = 512
  }

  static let magic: UInt64 = 0x7265_6764_656C_6D69  // "imledger" as a little-endian number
  static let version: UInt64 = 1
  static let wordCount = Place.shards + 2 * CacheKey.shardCount
  static let fileLength = Int64(wordCount * 8)

  private init(_ words: MappedCounters) { self.words = words }

  /// Opens the ledger of a namespace, or makes it. Nil if the file system does not support one.
  static func open(in folder: borrowing Descriptor, owner: UInt32) -> Ledger? {
    // Two machines that map the same file do not share its memory.
    if folder.isOnNetwork() { return nil }
    // A second turn if another process made it first. A third if it was damaged.
    for _ in 0..<3 {
      do {
        let file = try folder.open(CacheFolder.Names.ledger, [.readWrite, .noFollow, .nonBlocking])
        switch try check(file, owner: owner) {
        case .good: return Ledger(try MappedCounters(mapping: file, count: wordCount))
        case .foreign: return nil
        case .damaged:
          // Another process may have replaced it by now.
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
    // Checked before it is mapped: there is no memory beyond the end of a shorter file.
    guard status.size == fileLength else { return .damaged }
    var bytes: [UInt8] = []
    _ = try file.read(into: &bytes, count: 16, at: 0)
    var reader = ByteReader(bytes)
    guard reader.take(UInt64.self) == magic, let version = reader.take(UInt64.self) else { return .damaged }
    if version > Self.version { return .foreign }
    return version == Self.version ? .good : .damaged
  }

  /// Writes it completely before it gets its name. If another process was faster, its file is used.
  private static func make(in folder: borrowing Descriptor) -> Bool {
    do {
      let isEmpty = try !folder.names().contains { $0.utf8.count == 2 }
      let file = try TemporaryFile(in: folder.open(".", [.read, .directory]), mode: 0o600)
      try file.descriptor.reserve(fileLength)
      var head = ByteWriter()
      head.put(magic)
      head.put(version)
      // A new cache needs no cleaning for a day.
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

  /// True if the file was truncated, or its disk has failed, while it was in use. Its numbers are then meaningless.
  var isLost: Bool { words[Place.magic] != Self.magic }

  func add(shard: Int, bytes: Int64, entries: Int64) {
    guard shard >= 0, shard < CacheKey.shardCount else { return }
    words.add(bytes, entries, at: Place.shards + 2 * shard)
  }

  func usage(of shard: Int) -> CacheUsage { usage(of: shard..<shard + 1) }

  func usage(of shards: Range<Int>) -> CacheUsage {
    let noted = words[Place.shards + 2 * shards.lowerBound..<Place.shards + 2 * shards.upperBound]
    return stride(from: 0, to: noted.count, by: 2).reduce(into: CacheUsage()) { usage, place in
      usage += CacheUsage(bytes: Int64(bitPattern: noted[place]), entries: Int64(bitPattern: noted[place + 1]))
    }
  }

  /// True if the numbers can be right. Numbers below zero, or bytes without a file, are those of a corrupted ledger, or
  /// of a process that was killed.
  var isPlausible: Bool {
    let noted = words[Place.shards..<Place.shards + 2 * CacheKey.shardCount]
    return total.isPlausible
      && stride(from: 0, to: noted.count, by: 2).allSatisfy { place in
        let (bytes, entries) = (Int64(bitPattern: noted[place]), Int64(bitPattern: noted[place + 1]))
        return bytes >= 0 && entries >= 0 && (bytes == 0 || entries > 0)
      }
  }

  var total: CacheUsage {
    let total = usage(of: 0..<CacheKey.shardCount)
    return CacheUsage(bytes: max(0, total.bytes), entries: max(0, total.entries))
  }

  /// Replaces the noted usage by the counted one, if nothing was noted since `before`. Returns false if an entry was
  /// stored or removed meanwhile, which the count may or may not have seen.
  func correct(shard: Int, from before: CacheUsage, to counted: CacheUsage) -> Bool {
    guard shard >= 0, shard < CacheKey.shardCount, usage(of: shard) == before else { return false }
    let place = Place.shards + 2 * shard
    guard
      words.exchange(UInt64(bitPattern: before.bytes), for: UInt64(bitPattern: counted.bytes), at: place)
    else { return false }
    // The two numbers are two words. A change between the two operations is kept in this difference.
    words.add(0, counted.entries &- before.entries, at: place)
    return true
  }

  /// True if the totals are right: a ledger that was made beside existing entries must be counted first.
  var isCounted: Bool {
    get { words[Place.isCounted] != 0 }
    set { words[Place.isCounted] = newValue ? 1 : 0 }
  }

  var lastClean: WallTime {
    get { WallTime(nanoseconds: Int64(bitPattern: words[Place.lastClean])) }
    set { words[Place.lastClean] = UInt64(bitPattern: newValue.nanoseconds) }
  }

  /// True if the cache was over its limit and is being reduced to half of it.
  var isShrinking: Bool {
    get { words[Place.isShrinking] != 0 }
    set { words[Place.isShrinking] = newValue ? 1 : 0 }
  }

  /// Notes that the clock shows `now`. Returns the latest time at which the cache is known to have been used.
  func knownTime(now: WallTime) -> WallTime {
    let (latest, since) = (Int64(bitPattern: words[Place.latest]), Int64(bitPattern: words[Place.behindSince]))
    // Older ledgers only have the time of the last cleaning.
    var known = KnownTime(
      latest: latest == 0 ? lastClean : WallTime(nanoseconds: latest),
      behindSince: since == 0 ? nil : WallTime(nanoseconds: since))
    known.note(now)
    words[Place.latest] = UInt64(bitPattern: known.latest.nanoseconds)
    words[Place.behindSince] = UInt64(bitPattern: known.behindSince?.nanoseconds ?? 0)
    return known.latest
  }

  /// The folder at which the next partial cleaning begins. It is always a valid folder, whatever the file contains.
  var cursor: Int {
    get { Int(words[Place.cursor] % UInt64(CacheKey.shardCount)) }
    set { words[Place.cursor] = UInt64(newValue % CacheKey.shardCount) }
  }
}

/// The latest time at which a cache is known to have been used, even if the clock jumps back.
///
/// A pure value, kept in the ledger. If an entry's time is ahead of the clock, either the entry or the clock is wrong.
/// The entry is wrong if its time is also ahead of this one. A clock that stays far behind this time for a week is
/// finally trusted, and the known time was the wrong one.
package struct KnownTime: Hashable, Sendable {
  /// The latest that the clock has shown.
  package private(set) var latest: WallTime
  /// The time that the clock showed when it was first far behind that, or nil if it is not.
  package private(set) var behindSince: WallTime?

  /// The same tolerance as for file times.
  private static let tolerance = 86_400.0
  /// Longer than a machine without a hardware clock waits for a time server.
  private static let patience = 7 * 86_400.0

  package mutating func note(_ now: WallTime) {
    guard now.seconds(before: latest) > Self.tolerance else {
      latest = max(latest, now)
      behindSince = nil
      return
    }
    guard let since = behindSince, since <= now else {
      behindSince = now
      return
    }
    if since.seconds(before: now) > Self.patience { self = KnownTime(latest: now) }
  }
}
