/// The queue of entries that are still to be put into the remote cache. A pure value.
struct UploadQueue: Sendable {
  struct Entry: Equatable, Sendable {
    let key: CacheKey
    /// True if the store said that it has none.
    let isMissing: Bool
  }

  private var waiting = Queue<Entry>()
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

  mutating func add(_ entry: Entry) {
    if waiting.count < Self.limit { waiting.append(entry) }
  }

  /// The next entry to put there now, or nil if none is left or enough are on their way.
  mutating func next() -> Entry? {
    guard running < Self.mostRunning, let entry = waiting.popFirst() else { return nil }
    running += 1
    return entry
  }

  mutating func ended() { running -= 1 }

  /// Drops the entries that wait.
  mutating func clear() { waiting = Queue() }
}
