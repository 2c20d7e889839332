/// Decodes what ``ByteWriter`` wrote. Every read is checked against the end and returns nil beyond it. No input can
/// make it trap.
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

  mutating func take<Number: FixedWidthInteger & BitwiseCopyable>(_: Number.Type = Number.self) -> Number? {
    let width = Number.bitWidth / 8
    guard end - place >= width else { return nil }
    defer { place += width }
    return bytes.littleEndian(at: place)
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

  /// The texts that take up all of some bytes.
  static func texts(in bytes: ArraySlice<UInt8>) -> [String]? {
    if bytes.isEmpty { return [] }
    var reader = ByteReader([UInt8](bytes))
    var texts: [String] = []
    while !reader.isAtEnd {
      guard let text = reader.takeText() else { return nil }
      texts.append(text)
    }
    return texts
  }

  /// The same as pairs, or nil if the last one has no second text.
  static func pairs(in bytes: ArraySlice<UInt8>) -> [(String, String)]? {
    guard let texts = texts(in: bytes), texts.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: texts.count, by: 2).map { (texts[$0], texts[$0 + 1]) }
  }
}
