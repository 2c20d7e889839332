import ImgfetchCore

/// Finds images with equal checksums among any number of them, in flat lists: 28 bytes for each, and 4 more while
/// groups are made.
///
/// Of each the place of its row is kept, so that what is shown of it can be read there.
package struct ChecksumTable: Sendable {
  private var highs = Column<UInt64>()
  private var lows = Column<UInt64>()
  private var places = PlaceColumn()
  private var lines = Column<UInt32>()
  private var keys = Column<UInt32>()
  private var runs = StretchColumn<UInt32>()

  package init() {}

  package var count: Int { highs.count }

  /// Adds an image by half of its SHA-256; false where the text is none.
  ///
  /// - Parameters:
  ///   - place: The place of its row, as its reader counts.
  ///   - line: Its line in the list, or nil if it is the last of all.
  ///   - key: A hash of its key: rows of one key and one line are one image.
  ///   - run: The number of the run that its row is of: rows of one key in two runs are one image, too.
  package mutating func add(
    _ digest: Row.Text, in bytes: Span<UInt8>, place: UInt64, line: Int?, key: UInt32, run: UInt32 = 0
  ) -> Bool {
    let (start, end) = (Int(digest.start), Int(digest.end))
    guard end - start == 64, let high = Hex.number(bytes, at: start, before: end),
      let low = Hex.number(bytes, at: start + 16, before: end)
    else { return false }
    add(high, low, place: place, line: line, key: key, run: run)
    return true
  }

  package mutating func add(sha256: [UInt8], place: UInt64, line: Int, key: UInt32) {
    func half(_ start: Int) -> UInt64 { sha256.dropFirst(start).prefix(8).reduce(0) { $0 << 8 | UInt64($1) } }
    add(half(0), half(8), place: place, line: line, key: key)
  }

  package mutating func add(
    _ high: UInt64, _ low: UInt64, place: UInt64, line: Int?, key: UInt32, run: UInt32 = 0
  ) {
    highs.append(high)
    lows.append(low)
    places.append(place)
    lines.append(UInt32(clamping: line ?? .max))
    keys.append(key)
    runs.append(run)
  }

  /// Takes each group of two images or more: the places of their rows, the first by line first. Groups come in the
  /// order of their checksums.
  package func forEachGroup(_ take: ([UInt64]) -> Void) {
    var order: [UInt32] = []
    order.reserveCapacity(count)
    for number in 0..<UInt32(count) { order.append(number) }
    order.sort { precedes(Int($0), Int($1)) }
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, isSame(Int(order[start]), Int(order[end])) { end += 1 }
      if end - start > 1 {
        let images = RowOrigin.images(order[start..<end].map { Int($0) }) {
          RowOrigin(key: keys[$0], run: runs[$0], line: lines[$0])
        }
        if images.count > 1 { take(images.map { places[$0] }) }
      }
      start = end
    }
  }

  private func isSame(_ one: Int, _ other: Int) -> Bool { highs[one] == highs[other] && lows[one] == lows[other] }

  private func precedes(_ one: Int, _ other: Int) -> Bool {
    if highs[one] != highs[other] { return highs[one] < highs[other] }
    if lows[one] != lows[other] { return lows[one] < lows[other] }
    return lines[one] == lines[other] ? one < other : lines[one] < lines[other]
  }
}
