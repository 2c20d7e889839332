/// The names of the PNG chunks that the walk looks at.
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

  /// Chunks that no pixel needs: text, time, and hints for showing the picture, which decoders pass over where they are
  /// unusable. A chunk that is not listed may be one that pixels need, with a changed name.
  static func isMetadata(_ name: UInt32) -> Bool {
    switch name {
    case profile, exif: true
    case 0x7445_5874, 0x7A54_5874, 0x6954_5874, 0x7449_4D45, 0x7048_5973: true  // tEXt, zTXt, iTXt, tIME, pHYs
    case 0x6741_4D41, 0x6348_524D, 0x7352_4742, 0x7342_4954, 0x624B_4744: true  // gAMA, cHRM, sRGB, sBIT, bKGD
    case 0x6849_5354, 0x7350_4C54, 0x6349_4350, 0x6D44_4356, 0x634C_4C49: true  // hIST, sPLT, cICP, mDCV, cLLI
    default: false
    }
  }

  /// True if all four bytes are letters, as in every valid name.
  static func isName(_ name: UInt32) -> Bool {
    (0..<4).allSatisfy { place in
      let letter = UInt8(truncatingIfNeeded: name >> (8 * UInt32(place))) | 0x20
      return letter >= 0x61 && letter <= 0x7A
    }
  }

  /// True if a decoder that does not know the chunk cannot show the image: the first letter is a capital.
  static func isCritical(_ name: UInt32) -> Bool { name & 0x2000_0000 == 0 }
}
