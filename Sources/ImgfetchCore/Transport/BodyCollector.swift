/// Collects the bytes of a body into the arrays in which they are delivered: one array for a short body, else pieces.
///
/// A short body costs one allocation, which is made here at its first byte and in the right size.
struct BodyCollector {
  /// A body of up to this size is delivered whole: most pictures of a page are smaller, and one array is cheapest to
  /// inspect, hash and write. It is also the smallest size that makes good use of a system call.
  static let pieceSize = 64 << 10
  /// libcurl passes on at most this much at once, so a piece exceeds its size by less.
  private static let chunkSize = 16 << 10

  private(set) var bytes: [UInt8] = []
  private(set) var received: Int64 = 0
  /// True if a piece was delivered before.
  private(set) var isLarge = false
  /// True if no pieces are gathered.
  var deliversAtOnce = false
  /// The length that the head announced.
  var expected: Int64?

  /// True if the body is, or is announced to be, too long to be delivered whole.
  var isStreamed: Bool { isLarge || (expected ?? 0) > Int64(Self.pieceSize) }

  /// True if everything that the head announced has arrived.
  var isWhole: Bool { received == expected }

  /// Takes a chunk. Returns a piece if one is full, unless it is known to be the last.
  ///
  /// Proof: the chunk is read during the call only.
  @unsafe
  mutating func take(_ chunk: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    if bytes.isEmpty { reserve(atLeast: chunk.count) }
    unsafe bytes.append(contentsOf: chunk)
    received &+= Int64(chunk.count)
    guard bytes.count > (deliversAtOnce ? 0 : Self.pieceSize), !isWhole else { return nil }
    isLarge = true
    return handOver()
  }

  /// Returns the bytes that were not delivered yet.
  mutating func handOver() -> [UInt8] {
    var piece: [UInt8] = []
    swap(&piece, &bytes)
    return piece
  }

  /// Returns the gathered part of a body whose rest is still to come, or nil if there is none.
  mutating func handOverBeginning() -> [UInt8]? {
    guard !bytes.isEmpty, !isWhole else { return nil }
    isLarge = true
    return handOver()
  }

  private mutating func reserve(atLeast count: Int) {
    if deliversAtOnce { return bytes.reserveCapacity(count) }
    // The announced length is not trusted beyond the size of a piece.
    let left = expected.map { max(0, $0 &- received) } ?? Int64(isLarge ? Self.pieceSize : count)
    bytes.reserveCapacity(Int(min(left, Int64(Self.pieceSize + Self.chunkSize))))
  }
}
