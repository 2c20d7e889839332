/// The names of the WebP chunks that the walk looks at, as little-endian numbers.
enum WebPChunk {
  static let lossy = 0x2038_5056  // "VP8 "
  static let lossless = 0x4C38_5056  // "VP8L"
  static let extended = 0x5838_5056  // "VP8X"
  static let alpha = 0x4850_4C41  // "ALPH"
  static let animation = 0x4D49_4E41  // "ANIM"
  static let frame = 0x464D_4E41  // "ANMF"
  static let profile = 0x5043_4349  // "ICCP"
  static let exif = 0x4649_5845  // "EXIF"
  static let xmp = 0x2050_4D58  // "XMP "

  /// True if the chunk is needed to show the picture. Others are metadata.
  static func isEssential(_ name: Int) -> Bool { [lossy, lossless, extended, alpha, animation, frame].contains(name) }

  /// The number of a chunk's bytes that are read as fields.
  static func fieldLength(_ name: Int) -> Int {
    switch name {
    case lossy, extended: 10
    case lossless: 5
    case alpha: 1
    case animation: 6
    case frame: 16
    default: 0
    }
  }
}
