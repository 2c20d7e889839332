/// What a PNG's first chunk says.
struct PNGHeader: Sendable {
  let width: Int
  let height: Int
  let depth: Int
  let colourType: UInt8

  /// Reads the chunk's 13 bytes; nil if they contradict each other or the format.
  init?(_ field: Gathered) {
    width = field.big32(0)
    height = field.big32(4)
    depth = Int(field[8])
    colourType = field[9]
    let depths: [Int]
    switch colourType {
    case 0: depths = [1, 2, 4, 8, 16]
    case 3: depths = [1, 2, 4, 8]
    case 2, 4, 6: depths = [8, 16]
    default: return nil
    }
    // Behind these: compression and filter method, of which there is one each, and whether it is interlaced.
    guard depths.contains(depth), field[10] == 0, field[11] == 0, field[12] < 2 else { return nil }
    guard width <= Int(Int32.max), height <= Int(Int32.max) else { return nil }
  }

  var isPalette: Bool { colourType == 3 }
  var isGrey: Bool { colourType == 0 || colourType == 4 }
  var hasAlphaChannel: Bool { colourType >= 4 }

  var bitsPerPixel: Int {
    switch colourType {
    case 2: 3 * depth
    case 4: 2 * depth
    case 6: 4 * depth
    default: depth
    }
  }
}

/// The chunks of a PNG that the walk looks at, by their names.
enum PNGChunk {
  static let header: UInt32 = 0x4948_4452  // IHDR
  static let palette: UInt32 = 0x504C_5445  // PLTE
  static let data: UInt32 = 0x4944_4154  // IDAT
  static let end: UInt32 = 0x4945_4E44  // IEND
  static let transparency: UInt32 = 0x7452_4E53  // tRNS
  static let profile: UInt32 = 0x6943_4350  // iCCP
  static let exif: UInt32 = 0x6558_4966  // eXIf
  static let animation: UInt32 = 0x6163_544C  // acTL
  static let frame: UInt32 = 0x6663_544C  // fcTL
  static let frameData: UInt32 = 0x6664_4154  // fdAT

  /// Whether all four bytes are letters, as in every name.
  static func isName(_ name: UInt32) -> Bool {
    (0..<4).allSatisfy { place in
      let letter = UInt8(truncatingIfNeeded: name >> (8 * UInt32(place))) | 0x20
      return letter >= 0x61 && letter <= 0x7A
    }
  }

  /// Whether an image cannot be shown by someone who does not know this chunk (its first letter is a capital).
  static func isCritical(_ name: UInt32) -> Bool { name & 0x2000_0000 == 0 }
}
