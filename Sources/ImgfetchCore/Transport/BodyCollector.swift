/// Gathers the bytes of a body into the arrays in which they are handed on: one, if it is short; else pieces.
///
/// The one allocation that a short body costs is made here, at its first byte and in the right size.
struct BodyCollector {
  /// A body of up to this size is handed on whole: most pictures of a page are smaller, and one array is cheapest to
  /// inspect, hash and write. It is also the least that fills a system call.
  static let pieceSize = 64 << 10
  /// libcurl hands over at most this much at once, so a piece is overshot by less.
  private static let chunkSize = 16 << 10

  private(set) var bytes: [UInt8] = []
  private(set) var received: Int64 = 0
  /// Whether a piece has been handed on already.
  private(set) var isLarge = false
  /// What the head announced.
  var expected: Int64?

  /// Whether the body is (or is announced) longer than what is handed on whole.
  var isStreamed: Bool { isLarge || (expected ?? 0) > Int64(Self.pieceSize) }

  /// Whether all has come that the head announced.
  var isWhole: Bool { received == expected }

  /// Takes a chunk; the answer is a piece that is full, unless it is known to be the last.
  ///
  /// Proof: the chunk is read during the call only.
  @unsafe
  mutating func take(_ chunk: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    if bytes.isEmpty { reserve(atLeast: chunk.count) }
    unsafe bytes.append(contentsOf: chunk)
    received &+= Int64(chunk.count)
    guard bytes.count > Self.pieceSize, !isWhole else { return nil }
    isLarge = true
    return handOver()
  }

  /// What has not been handed on.
  mutating func handOver() -> [UInt8] {
    var piece: [UInt8] = []
    swap(&piece, &bytes)
    return piece
  }

  private mutating func reserve(atLeast count: Int) {
    // What the head announced is a stranger's word: it is believed up to a piece.
    let left = expected.map { max(0, $0 &- received) } ?? Int64(isLarge ? Self.pieceSize : count)
    bytes.reserveCapacity(Int(min(left, Int64(Self.pieceSize + Self.chunkSize))))
  }
}
