/// Puts numbers and strings into bytes: little-endian, strings after their length.
struct ByteWriter {
  private(set) var bytes: [UInt8] = []

  init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

  mutating func put(_ value: some FixedWidthInteger) {
    var rest = value.littleEndian
    for _ in 0..<(value.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: rest))
      rest >>= 8
    }
  }

  /// A hash as `xxhsum -H2` prints it: the high half first, each half big-endian.
  mutating func put(_ hash: ContentHash) {
    put(hash.high.byteSwapped)
    put(hash.low.byteSwapped)
  }

  mutating func put(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

  /// A string of any length, after a length of 32 bits.
  mutating func put(_ text: String) {
    put(UInt32(clamping: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}

/// Takes them out again. Every taking is checked against the end and answers nil beyond it; nothing here can trap,
/// whatever the bytes are.
struct ByteReader {
  private let bytes: [UInt8]
  private var place: Int
  private let end: Int

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    let range = range.clamped(to: 0..<bytes.count)
    place = range.lowerBound
    end = range.upperBound
  }

  init(_ bytes: [UInt8]) { self.init(bytes, in: 0..<bytes.count) }

  var isAtEnd: Bool { place == end }

  mutating func take<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    let width = Number.bitWidth / 8
    guard end - place >= width else { return nil }
    var value: Number = 0
    for at in 0..<width { value |= Number(truncatingIfNeeded: bytes[place + at]) << (8 * at) }
    place += width
    return value
  }

  mutating func takeHash() -> ContentHash? {
    guard let high = take(UInt64.self), let low = take(UInt64.self) else { return nil }
    return ContentHash(high: high.byteSwapped, low: low.byteSwapped)
  }

  mutating func takeRaw(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, end - place >= count else { return nil }
    defer { place += count }
    return bytes[place..<(place + count)]
  }

  mutating func takeText() -> String? {
    guard let count = take(UInt32.self), let raw = takeRaw(Int(count)) else { return nil }
    return String(decoding: raw, as: UTF8.self)
  }
}
