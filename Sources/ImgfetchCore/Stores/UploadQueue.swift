/// The queue of entries that are still to be put into the remote cache. A pure value.
struct UploadQueue: Sendable {
  private var waiting = Queue<CacheKey>()
  private(set) var running = 0

  /// Entries beyond this are not put there: a key takes some 200 bytes, and a store that falls this far
  /// behind will not catch up.
  static let limit = 20_000
  /// The entries on their way at once. With fewer, an entry is put there late, and downloaded by
  /// other machines meanwhile.
  static let mostRunning = 32

  /// The number of entries that wait or are on their way.
  var count: Int { waiting.count + running }
  var isDone: Bool { count == 0 }

  mutating func add(_ key: CacheKey) {
    if waiting.count < Self.limit { waiting.append(key) }
  }

  /// The next entry to put there now, or nil if none is left or enough are on their way.
  mutating func next() -> CacheKey? {
    guard running < Self.mostRunning, let key = waiting.popFirst() else { return nil }
    running += 1
    return key
  }

  mutating func ended() { running -= 1 }

  /// Drops the entries that wait.
  mutating func clear() { waiting = Queue() }
}
