/// Encodes numbers and strings as bytes: numbers little-endian, strings after a length of 32 bits.
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

  /// Appends a hash as `xxhsum -H2` prints it: the high half first, each half big-endian.
  mutating func put(_ hash: ContentHash) {
    put(hash.high.byteSwapped)
    put(hash.low.byteSwapped)
  }

  mutating func put(raw: some Sequence<UInt8>) { bytes.append(contentsOf: raw) }

  /// Appends a string of any length, after a length of 32 bits.
  mutating func put(_ text: String) {
    put(UInt32(clamping: text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}
