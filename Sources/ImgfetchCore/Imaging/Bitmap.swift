/// The header of a bitmap, as in BMP files and in the pictures of icons.
struct Bitmap: Sendable {
  /// The length of what precedes it in a BMP file.
  static let fileHeader = 14
  static let sizeField = 4

  private let headerSize: Int
  private(set) var width = 0
  private(set) var height = 0
  private(set) var bitsPerPixel = 0
  private var compression = 0
  private var colours = 0
  /// True if a mask locates the alpha of a pixel.
  private var hasAlphaMask = false

  init(headerSize: Int) { self.headerSize = headerSize }

  /// The length of the header that is read behind the field with its size, or nil if no header has that size.
  static func fieldLength(headerSize: Int) -> Int? {
    switch headerSize {
    case coreSize: 8
    case shortSize: 12
    case 40, 52, 56, 64, 108, 124: 32
    default: nil
    }
  }

  /// Reads the header, without the field with its size.
  mutating func read(_ field: FieldBuffer, of format: ImageFormat, at place: Int64) throws(InspectionFailure) {
    let rows: Int32
    if headerSize == Self.coreSize {
      width = field.little16(0)
      rows = Int32(field.little16(2))
      bitsPerPixel = field.little16(6)
    } else {
      width = Int(Int32(truncatingIfNeeded: field.little32(0)))
      rows = Int32(truncatingIfNeeded: field.little32(4))
      bitsPerPixel = field.little16(10)
      compression = field.little32(12)
      colours = field.little32(28)
    }
    height = Int(rows.magnitude)
    guard width >= 0 else { throw .damaged(format, at: place, reason: "its width is negative") }
    guard width > 0, height > 0 else { throw .noPixels(format) }
    let isKnown =
      switch (compression, bitsPerPixel) {
      case (0, 1), (0, 2), (0, 4), (0, 8), (0, 16), (0, 24), (0, 32), (1, 8), (2, 4): true
      case (3, 16), (3, 32), (6, 16), (6, 32): true
      default: false
      }
    guard isKnown else {
      throw .damaged(format, at: place, reason: "\(bitsPerPixel) bits a pixel in coding \(compression) do not exist")
    }
  }

  /// The number of bytes from the end of the read header to the mask of alpha, or nil if there is no mask.
  var masksLength: Int? {
    let hasMasks = compression == 6 || (compression == 3 && headerSize >= 56)
    return hasMasks && (headerSize == 40 || headerSize >= 56) ? 20 : nil
  }

  mutating func readMasks(_ field: FieldBuffer) { hasAlphaMask = field.little32(16) != 0 }

  /// Halves the height, which in icons is that of the picture and of its mask.
  mutating func halveHeight() { height /= 2 }

  var isRunLength: Bool { compression == 1 || compression == 2 }

  /// The header with the masks of colours, which follow one of 40 bytes.
  var headerLength: Int64 {
    guard headerSize == 40 else { return Int64(headerSize) }
    return 40 + (compression == 3 ? 12 : compression == 6 ? 16 : 0)
  }

  var paletteLength: Int64 {
    guard bitsPerPixel <= 8 else { return 0 }
    let most = 1 << bitsPerPixel
    let count = colours == 0 ? most : min(colours, most)
    return Int64(count * (headerSize == Self.coreSize ? 3 : 4))
  }

  /// All rows, each of which ends on a multiple of four bytes.
  var rowsLength: Int64 { Self.rows(width: width, height: height, bits: bitsPerPixel) }

  /// The mask of an icon: one bit a pixel.
  var maskLength: Int64 { Self.rows(width: width, height: height, bits: 1) }

  private static func rows(width: Int, height: Int, bits: Int) -> Int64 {
    // Both are below 2^31 and the bits at most 32, so neither product passes 2^63 once the limit on
    // pixels has been checked.
    let row = (Int64(width) * Int64(bits) + 31) / 32 * 4
    let (all, overflow) = row.multipliedReportingOverflow(by: Int64(height))
    return overflow ? .max : all
  }

  func facts(of format: ImageFormat, trailingBytes: Int64 = 0) -> ImageFacts {
    ImageFacts(
      format: format, width: width, height: height,
      bits: bitsPerPixel <= 8 ? bitsPerPixel : bitsPerPixel == 16 ? 5 : 8,
      hasAlpha: hasAlphaMask || format == .ico, colourModel: bitsPerPixel <= 8 ? .palette : .rgb,
      trailingBytes: trailingBytes)
  }

  /// The size of OS/2's header, which has short sizes and colours of three bytes.
  private static let coreSize = 12
  /// The shortest of its successors.
  private static let shortSize = 16
}
