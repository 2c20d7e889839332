// Bitmaps and icons, made byte by byte.
extension TestImages {
  package struct BMPOptions {
    package var bits = 24
    /// 0 for plain rows, 1 and 2 for run-length codes.
    package var coding = 0
    /// The size of the second header.
    package var headerSize = 40
    package var isTopDown = false
    /// Nil: where the rows begin.
    package var start: Int?
    package var end: [UInt8] = []
  }

  package static func bmp(
    width: Int = 9, height: Int = 5, _ change: (inout BMPOptions) -> Void = { _ in }
  ) -> [UInt8] {
    var options = BMPOptions()
    change(&options)
    let header = bitmapHeader(width: width, height: height, options)
    let palette = options.bits <= 8 ? (1 << options.bits) * (options.headerSize == 12 ? 3 : 4) : 0
    let start = options.start ?? 14 + header.count + palette
    var bytes: [UInt8] = Array("BM".utf8) + little(0, 4) + little(0, 4) + little(start, 4) + header
    bytes += (0..<palette).map { UInt8(truncatingIfNeeded: $0 * 37) }
    bytes += rows(width: width, height: height, options)
    return bytes + options.end
  }

  private static func bitmapHeader(width: Int, height: Int, _ options: BMPOptions) -> [UInt8] {
    if options.headerSize == 12 {
      return little(12, 4) + little(width, 2) + little(height, 2) + little(1, 2) + little(options.bits, 2)
    }
    var bytes = little(options.headerSize, 4) + little(width, 4) + little(options.isTopDown ? -height : height, 4)
    bytes += little(1, 2) + little(options.bits, 2) + little(options.coding, 4)
    bytes += [UInt8](repeating: 0, count: max(0, options.headerSize - bytes.count))
    if options.coding == 3, options.headerSize == 40 { bytes += [UInt8](repeating: 0x1F, count: 12) }
    return bytes
  }

  private static func rows(width: Int, height: Int, _ options: BMPOptions) -> [UInt8] {
    if options.coding == 1 || options.coding == 2 {
      // A run, some pixels as they are, and the end of the row.
      let row: [UInt8] = [UInt8(width - 3), 7, 0, 3] + (options.coding == 1 ? [1, 2, 3, 0] : [0x12, 0x30]) + [0, 0]
      return (0..<height).flatMap { _ in row } + [0, 1]
    }
    let row = (width * options.bits + 31) / 32 * 4
    return (0..<row * height).map { UInt8(truncatingIfNeeded: $0 * 11) }
  }

  /// An icon of these pictures, one behind the other.
  package static func ico(_ pictures: [[UInt8]]) -> [UInt8] {
    var place = 6 + 16 * pictures.count
    var bytes = little(0, 2) + little(1, 2) + little(pictures.count, 2)
    for picture in pictures {
      bytes += [16, 16, 0, 0] + little(1, 2) + little(32, 2) + little(picture.count, 4) + little(place, 4)
      place += picture.count
    }
    return bytes + pictures.joined()
  }

  /// A bitmap as icons have it: without the file's header, with a mask behind the rows.
  package static func iconBitmap(width: Int = 8, height: Int = 8, bits: Int = 24) -> [UInt8] {
    let mask = [UInt8](repeating: 0, count: (width + 31) / 32 * 4 * height)
    var bytes = Array(bmp(width: width, height: height) { $0.bits = bits }.dropFirst(14))
    bytes.replaceSubrange(8..<12, with: little(2 * height, 4))
    return bytes + mask
  }

  package static func little(_ number: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }
}
