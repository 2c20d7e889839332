/// The beginning of a JPEG XL codestream: its size, and what a pixel consists of (ISO 18181-1,
/// SizeHeader and ImageMetadata).
struct JXLHeader: Sendable {
  private(set) var width = 0
  private(set) var height = 0
  private(set) var bits = 8
  private(set) var hasAlpha = false
  /// The orientation of the pixels as coded, not as shown.
  private(set) var orientation = 1
  private(set) var loopCount: Int?
  /// The number of bytes that the header takes.
  private(set) var length = 0

  /// Nil if the header continues after these bytes.
  init?(_ bytes: [UInt8]) {
    var reader = BitReader(bytes)
    reader.skip(16)
    (width, height) = Self.size(&reader)
    if reader.flag() {
      // All as usual.
    } else {
      if reader.flag() { readExtras(&reader) }
      bits = Self.depth(&reader)
      reader.skip(1)
      let channels = reader.number([(0, 0), (1, 0), (2, 4), (1, 12)])
      for _ in 0..<channels where !reader.isShort { readChannel(&reader) }
    }
    guard !reader.isShort else { return nil }
    length = (reader.place + 7) / 8
  }

  private mutating func readExtras(_ reader: inout BitReader) {
    orientation = 1 + reader.take(3)
    if reader.flag() { _ = Self.size(&reader) }
    if reader.flag() { Self.skipPreview(&reader) }
    if reader.flag() {
      _ = reader.number([(100, 0), (1000, 0), (1, 10), (1, 30)])
      _ = reader.number([(1, 0), (1001, 0), (1, 8), (1, 10)])
      loopCount = reader.number([(0, 0), (0, 3), (0, 16), (0, 32)])
      reader.skip(1)
    }
  }

  /// Width and height; or the height alone, with one of seven ratios.
  private static func size(_ reader: inout BitReader) -> (width: Int, height: Int) {
    let isSmall = reader.flag()
    func side(_ reader: inout BitReader) -> Int {
      isSmall ? 8 * (reader.take(5) + 1) : reader.number([(1, 9), (1, 13), (1, 18), (1, 30)])
    }
    let height = side(&reader)
    let ratio = reader.take(3)
    guard ratio > 0 else { return (side(&reader), height) }
    let (across, down) = ratios[ratio - 1]
    return (height * across / down, height)
  }

  private static let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]

  private static func skipPreview(_ reader: inout BitReader) {
    let isSmall = reader.flag()
    let sides: [(Int, Int)] = isSmall ? [(16, 0), (32, 0), (1, 5), (33, 9)] : [(1, 6), (65, 8), (321, 10), (1345, 12)]
    _ = reader.number(sides)
    if reader.take(3) == 0 { _ = reader.number(sides) }
  }

  private static func depth(_ reader: inout BitReader) -> Int {
    if reader.flag() {
      let bits = reader.number([(32, 0), (16, 0), (24, 0), (1, 6)])
      reader.skip(4)
      return bits
    }
    return reader.number([(8, 0), (10, 0), (12, 0), (1, 6)])
  }

  /// Reads a channel beside those of colour.
  private mutating func readChannel(_ reader: inout BitReader) {
    if reader.flag() {
      hasAlpha = true
      return
    }
    let kind = reader.number([(0, 0), (1, 0), (2, 4), (18, 6)])
    _ = Self.depth(&reader)
    _ = reader.number([(0, 0), (3, 0), (4, 0), (1, 3)])
    reader.skip(8 * reader.number([(0, 0), (0, 4), (16, 5), (48, 10)]))
    switch kind {
    case 0:
      hasAlpha = true
      reader.skip(1)
    case 2: reader.skip(64)
    case 5: _ = reader.number([(1, 0), (0, 2), (3, 4), (19, 8)])
    default: break
    }
  }
}

/// Reads numbers of some bits, the lowest first. Beyond the end every number is 0 and ``isShort`` is set.
private struct BitReader {
  private let bytes: [UInt8]
  private(set) var place = 0
  private(set) var isShort = false

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func take(_ count: Int) -> Int {
    var number = 0
    guard place + count <= bytes.count * 8 else {
      isShort = true
      return 0
    }
    for bit in 0..<count {
      number |= Int(bytes[place / 8] >> UInt8(place % 8) & 1) << bit
      place += 1
    }
    return number
  }

  mutating func flag() -> Bool { take(1) == 1 }

  mutating func skip(_ count: Int) {
    isShort = isShort || place + count > bytes.count * 8
    place = min(bytes.count * 8, place + count)
  }

  /// A number in one of four codings, which two bits choose: a base, to which some further bits are added.
  mutating func number(_ ways: [(least: Int, bits: Int)]) -> Int {
    let way = ways[take(2)]
    return way.least + take(way.bits)
  }
}
