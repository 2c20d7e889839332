import ImgfetchCore
import TestSupport
import Testing

/// A cache in a folder of its own. Its clock stands still at the time when the test began, because files get their
/// times from the machine.
struct CacheFixture {
  let folder: TemporaryFolder
  let clock: ManualClock
  let cache: DiskCache
  let reports = Guarded<[String]>([])

  init(tiers: [String] = []) throws {
    folder = try TemporaryFolder()
    clock = ManualClock(wallTime: SystemClock().wallTime())
    let reports = self.reports
    cache = try DiskCache.open(root: folder.path("cache"), readOnlyCaches: tiers, clock: clock) { sentence in
      reports.withLock { $0.append(sentence) }
    }
  }

  /// Another process's view of the same cache.
  func another(clock: (any Clock)? = nil) throws -> DiskCache {
    try DiskCache.open(root: folder.path("cache"), clock: clock ?? self.clock)
  }

  @discardableResult
  func store(
    _ url: String, _ body: [UInt8], fields: HeaderFields = HeaderFields(), in cache: DiskCache? = nil
  ) throws -> CacheKey {
    let key = CacheKey(url: url)
    let part = try #require((cache ?? self.cache).claimPart(key, after: .skipped(.distantFuture)).part)
    try part.publish(.sample(key, fields: fields), body: body, hash: body.contentHash)
    return key
  }

  /// The path of an entry in the fixture's folder.
  func path(_ key: CacheKey) -> String { "cache/v1/default/\(key.path)" }

  /// The names in the namespace without the ledger.
  var files: [String] { folder.files(in: "cache/v1/default").filter { $0 != "ledger" && $0 != "evicted" } }
}

extension WallTime {
  /// Later than every entry, so that no existing entry answers a claim that begins now.
  static let distantFuture = WallTime(nanoseconds: .max)
}

extension PartClaim {
  var part: Part? { if case .claimed(let part) = self { part } else { nil } }
  var entry: CachedEntry? { if case .published(let entry) = self { entry } else { nil } }
  var busy: BusyPart? { if case .busy(let busy) = self { busy } else { nil } }
  var warning: String? { if case .unavailable(let warning) = self { warning.text } else { nil } }
}

extension EntryMetadata {
  static func sample(_ key: CacheKey, fields: HeaderFields = HeaderFields()) -> EntryMetadata {
    EntryMetadata(
      key: key, finalURL: "https://cdn.example.org/final.png", status: 200, fields: fields,
      varyFields: [("Accept", "image/webp")], requestTime: WallTime(seconds: 1_700_000_000),
      responseTime: WallTime(seconds: 1_700_000_001), facts: nil, mime: "image/png", verification: .structure)
  }
}

extension EntryMetadata.Reading {
  var metadata: EntryMetadata? { if case .metadata(let metadata) = self { metadata } else { nil } }
}

extension ImageBody {
  /// All bytes, or the error.
  func wholeBytes() throws -> [UInt8] {
    var bytes: [UInt8] = []
    try read { piece throws(SystemError) in
      for at in 0..<piece.count { bytes.append(piece[at]) }
    }
    return bytes
  }
}

extension [UInt8] {
  /// For `#expect` and `#require`, which cannot capture a span.
  var contentHash: ContentHash { ContentHash(of: span) }
}
