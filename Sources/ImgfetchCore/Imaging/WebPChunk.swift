/// The chunks of a WebP that the walk looks at, by their names (read as they stand in the file, low byte first).
enum WebPChunk {
  static let lossy = 0x2038_5056  // "VP8 "
  static let lossless = 0x4C38_5056  // "VP8L"
  static let extended = 0x5838_5056  // "VP8X"
  static let alpha = 0x4850_4C41  // "ALPH"
  static let animation = 0x4D49_4E41  // "ANIM"
  static let frame = 0x464D_4E41  // "ANMF"
  static let profile = 0x5043_4349  // "ICCP"
  static let exif = 0x4649_5845  // "EXIF"

  /// Whether a picture is not the same without it; others only speak of it.
  static func isOfThePicture(_ name: Int) -> Bool {
    [lossy, lossless, extended, alpha, animation, frame].contains(name)
  }

  /// How many bytes of a chunk are read as fields.
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

/// What the head of a VP8 or VP8L stream says.
struct WebPBitstream: Sendable {
  let width: Int
  let height: Int
  let hasAlpha: Bool
  let isLossless: Bool

  /// Reads the head of a stream of `length` bytes; nil if no decoder would take it.
  init?(_ field: Gathered, name: Int, length: Int) {
    isLossless = name == WebPChunk.lossless
    if isLossless {
      let bits = field.little32(1)
      guard length >= 5, field[0] == 0x2F, bits >> 29 == 0 else { return nil }
      width = (bits & 0x3FFF) + 1
      height = (bits >> 14 & 0x3FFF) + 1
      hasAlpha = bits >> 28 & 1 == 1
    } else {
      let tag = field.little24(0)
      // A key frame, of one of four profiles, to be shown, whose first part fits into the chunk.
      guard length >= 10, tag & 1 == 0, tag >> 1 & 7 <= 3, tag >> 4 & 1 == 1, tag >> 5 <= length - 10 else {
        return nil
      }
      guard field[3] == 0x9D, field[4] == 0x01, field[5] == 0x2A else { return nil }
      width = field.little16(6) & 0x3FFF
      height = field.little16(8) & 0x3FFF
      hasAlpha = false
    }
  }
}
