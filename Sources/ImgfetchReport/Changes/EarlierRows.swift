/// The rows of an earlier run, by the keys of their images: 25 bytes for each.
package struct EarlierRows: Sendable {
  /// The outcome that a row tells of: a failure, or an image's bytes, by their checksum and by their size and format.
  struct State: Sendable, Equatable {
    private static let failure: UInt64 = 1
    private static let checksum: UInt64 = 2
    private static let facts: UInt64 = 4
    private let bits: UInt64

    init(_ row: Row, in bytes: Span<UInt8>) {
      guard !row.hasFailed else {
        bits = Self.failure
        return
      }
      var bits: UInt64 = 0
      if !row.checksum.isEmpty {
        bits |= Self.checksum | UInt64(truncatingIfNeeded: RowKey.hash(row.checksum, in: bytes)) << 24
      }
      if let size = row.bytes {
        var hasher = Hasher()
        hasher.combine(size)
        hasher.combine(row.width)
        hasher.combine(row.height)
        hasher.combine(row.format.string(in: bytes, most: 16))
        bits |= Self.facts | (UInt64(truncatingIfNeeded: hasher.finalize()) & 0xF_FFFF) << 4
      }
      self.bits = bits
    }

    var hasFailed: Bool { bits & Self.failure != 0 }

    /// True if both rows have checksums, by which they are compared.
    func isExact(beside other: State) -> Bool { bits & other.bits & Self.checksum != 0 }

    /// True if the bytes are others: by their checksums where both have one, else by size and format.
    func differs(from other: State) -> Bool {
      if isExact(beside: other) { return bits >> 24 != other.bits >> 24 }
      return bits & other.bits & Self.facts != 0 && bits & 0xFF_FFF0 != other.bits & 0xFF_FFF0
    }
  }

  private var keys = Column<UInt64>()
  private var states = Column<State>()
  private var places = PlaceColumn()
  /// The rows in the order of their keys, once all are there.
  private var order: [UInt32] = []
  private var isSeen: [Bool] = []
  /// The number of rows that tell of a failure.
  package private(set) var failed = 0
  /// The number of images that were compared without checksums.
  package private(set) var inexact = 0

  package init() {}

  package var count: Int { keys.count }

  package mutating func add(_ row: Row, in bytes: Span<UInt8>, place: UInt64) {
    keys.append(UInt64(bitPattern: Int64(RowKey.hash(row.identity, in: bytes))))
    states.append(State(row, in: bytes))
    if row.hasFailed { failed += 1 }
    places.append(place)
  }

  /// Ends the adding. Of rows of one key the last one counts.
  package mutating func sort() {
    order = []
    order.reserveCapacity(count)
    for number in 0..<UInt32(count) { order.append(number) }
    order.sort { keys[Int($0)] == keys[Int($1)] ? $0 < $1 : keys[Int($0)] < keys[Int($1)] }
    var last = 0
    for number in order {
      if last > 0, keys[Int(order[last - 1])] == keys[Int(number)] { last -= 1 }
      order[last] = number
      last += 1
    }
    order.removeLast(order.count - last)
    isSeen = [Bool](repeating: false, count: order.count)
  }

  /// Returns what has become of a row's image since, and notes that the image still exists. Nil if another row has
  /// reported the image.
  package mutating func change(_ row: Row, in bytes: Span<UInt8>) -> Change? {
    let key = UInt64(bitPattern: Int64(RowKey.hash(row.identity, in: bytes)))
    var (low, high) = (0, order.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[Int(order[middle])] < key { low = middle + 1 } else { high = middle }
    }
    let state = State(row, in: bytes)
    guard low < order.count, keys[Int(order[low])] == key else { return .new }
    if isSeen[low] { return nil }
    isSeen[low] = true
    let earlier = states[Int(order[low])]
    if !earlier.hasFailed, !state.hasFailed, !state.isExact(beside: earlier) { inexact += 1 }
    return switch (earlier.hasFailed, state.hasFailed) {
    case (true, true): .stillFailing
    case (true, false): .fixed
    case (false, true): .failing
    case (false, false): state.differs(from: earlier) ? .changed : .same
    }
  }

  /// The places of the rows whose images no later row has reported, in the order of the rows.
  package var gone: [UInt64] { order.indices.filter { !isSeen[$0] }.map { order[$0] }.sorted().map { places[Int($0)] } }
}

/// Hashes of the keys in rows. Each process hashes in its own way, so no list can hold keys that are chosen to be
/// alike.
package enum RowKey {
  package static func hash(_ text: Row.Text, in bytes: Span<UInt8>) -> Int {
    var hasher = Hasher()
    for at in Int(text.start)..<Int(text.end) { hasher.combine(bytes[at]) }
    return hasher.finalize()
  }
}
