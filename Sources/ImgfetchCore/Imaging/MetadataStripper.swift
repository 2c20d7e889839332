/// Copies images without their metadata: camera, location, comments, thumbnails, colour profile, and whatever follows
/// the end. The coded pixels are copied as they are, so nothing visible is lost.
///
/// For images that passed inspection. The result is nil if one is not understood all the same.
enum MetadataStripper {
  /// The chunks that are kept in addition to the critical ones: those that say how a PNG's samples are to be displayed.
  private static let kept: Set<UInt32> = [
    PNGChunk.transparency, PNGChunk.animation, PNGChunk.frame, PNGChunk.frameData,
    0x6741_4D41, 0x6348_524D, 0x7352_4742,  // gAMA, cHRM, sRGB
    0x7342_4954, 0x6349_4350, 0x6D44_4356, 0x634C_4C49,  // sBIT, cICP, mDCV, cLLI
  ]

  /// Copies a PNG with the chunks that `isKept` accepts, and with `chunks` in front of its pixels and their colours.
  static func png(
    _ image: [UInt8], with chunks: [UInt8] = [],
    _ isKept: (_ name: UInt32, _ content: ArraySlice<UInt8>) -> Bool = { name, _ in isEssential(name) }
  ) -> [UInt8]? {
    var made = Array(image.prefix(8))
    made.reserveCapacity(image.count + chunks.count)
    var at = 8
    var isPlaced = false
    while at <= image.count - 12 {
      let length = big(image, at, 4)
      let name = UInt32(truncatingIfNeeded: big(image, at + 4, 4))
      guard length <= image.count - 12 - at else { return nil }
      let end = at + 12 + length
      if !isPlaced, name == PNGChunk.data || name == PNGChunk.palette {
        made += chunks
        isPlaced = true
      }
      if isKept(name, image[(at + 8)..<(at + 8 + length)]) { made += image[at..<end] }
      if name == PNGChunk.end { return made }
      at = end
    }
    return nil
  }

  static func isEssential(_ chunk: UInt32) -> Bool { PNGChunk.isCritical(chunk) || kept.contains(chunk) }

  static func webp(_ image: [UInt8]) -> [UInt8]? {
    guard let parts = parts(ofWebP: image, WebPChunk.isEssential) else { return nil }
    var bare = Array(image.prefix(12))
    for (name, range) in parts {
      let start = bare.count
      bare += image[range]
      // The header has flags for a profile, EXIF and XMP.
      if name == WebPChunk.extended, range.count > 8 { bare[start + 8] &= ~0x2C }
    }
    bare.replaceSubrange(4..<8, with: ByteOrder.little.bytes(bare.count - 8, 4))
    return bare
  }

  /// The chunks of a WebP that `isKept` accepts, each with its padding. A file may have millions of others.
  static func parts(
    ofWebP image: [UInt8], _ isKept: (_ name: Int) -> Bool
  ) -> [(name: Int, range: Range<Int>)]? {
    guard image.count >= 12 else { return nil }
    let end = min(image.count, 8 + little(image, 4, 4))
    var parts: [(name: Int, range: Range<Int>)] = []
    var at = 12
    while at <= end - 8 {
      let (name, length) = (little(image, at, 4), little(image, at + 4, 4))
      guard length <= end - 8 - at else { return nil }
      // The padding byte after an odd length may be missing at the very end.
      let next = min(end, at + 8 + length + length % 2)
      if isKept(name) { parts.append((name, at..<next)) }
      at = next
    }
    return parts
  }

  /// - Parameters:
  ///   - keepingColours: True if a colour profile stays.
  ///   - xmp: A packet that takes the place of the image's own. An empty one means that there is none.
  static func gif(_ image: [UInt8], keepingColours: Bool = false, _ xmp: [UInt8] = []) -> [UInt8]? {
    guard image.count >= 13 else { return nil }
    var at = 13 + coloursLength(image[10])
    guard at <= image.count else { return nil }
    var bare = Array(image[..<at])
    var hasPacket = xmp.isEmpty
    while at < image.count {
      let start = at
      switch image[at] {
      case 0x3B: return bare + (hasPacket ? [] : GIFPacket.block(xmp)) + [0x3B]
      case 0x2C:
        guard at + 10 < image.count else { return nil }
        at += 11 + coloursLength(image[at + 9])
      case 0x21: at += 2
      default: return nil
      }
      let blocks = at
      while at < image.count, image[at] != 0 { at += 1 + Int(image[at]) }
      guard at < image.count else { return nil }
      at += 1
      if image[start] == 0x2C || isEssential(label: image[start + 1], image[blocks..<at], keepingColours) {
        bare += image[start..<at]
      } else if !hasPacket, GIFPacket.isOne(image[start..<at]) {
        bare += GIFPacket.block(xmp)
        hasPacket = true
      }
    }
    return nil
  }

  /// All extensions but comments and application data, of which only the loop count is kept, and perhaps the profile.
  private static func isEssential(label: UInt8, _ blocks: ArraySlice<UInt8>, _ keepsColours: Bool) -> Bool {
    let name = blocks.dropFirst().prefix(11)
    return switch label {
    case 0xFE: false
    case 0xFF:
      name.elementsEqual("NETSCAPE2.0".utf8) || name.elementsEqual("ANIMEXTS1.0".utf8)
        || keepsColours && name.elementsEqual("ICCRGBG1012".utf8)
    default: true
    }
  }

  static func coloursLength(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 3 << (Int(flags & 7) + 1) }

  private static func big(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    ByteOrder.big.number(bytes[at..<at + count])
  }

  static func little(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int {
    ByteOrder.little.number(bytes[at..<at + count])
  }
}

extension MetadataStripper {
  /// Copies a JPEG with the segments that `isKept` accepts, and with `segments` behind that of JFIF. The further images
  /// of a multi-picture file are left out.
  static func jpeg(
    _ image: [UInt8], with segments: [UInt8] = [],
    _ isKept: (_ mark: UInt8, _ content: ArraySlice<UInt8>) -> Bool = isEssential
  ) -> [UInt8]? {
    var made = Array(image.prefix(2))
    made.reserveCapacity(image.count + segments.count)
    var at = 2
    var isPlaced = false
    while at + 1 < image.count, image[at] == 0xFF {
      let mark = image[at + 1]
      // Any number of fill bytes may precede a marker.
      if mark == 0xFF {
        at += 1
        continue
      }
      if mark == 0xD9 { return made + [0xFF, 0xD9] }
      guard at + 4 <= image.count else { return nil }
      let end = at + 2 + big(image, at + 2, 2)
      guard end >= at + 4, end <= image.count else { return nil }
      // JFIF's segment comes first; what readers look for in front follows it.
      if !isPlaced, mark != 0xE0 {
        made += segments
        isPlaced = true
      }
      if isKept(mark, image[(at + 4)..<end]) { made += image[at..<end] }
      at = end
      if mark == 0xDA {
        at = endOfCodes(image, from: end)
        made += image[end..<at]
      }
    }
    return nil
  }

  /// All segments but comments and application data, of which those are kept that determine the colour transform.
  static func isEssential(_ mark: UInt8, _ content: ArraySlice<UInt8>) -> Bool {
    switch mark {
    case 0xE0: content.starts(with: "JFIF".utf8)
    case 0xEE: content.starts(with: "Adobe".utf8)
    case 0xE1...0xEF, 0xFE: false
    default: true
    }
  }

  /// The end of coded data: the first marker that is not a restart marker.
  private static func endOfCodes(_ image: [UInt8], from start: Int) -> Int {
    var at = start
    while true {
      at = FastBytes.mark(in: image.span, from: at)
      guard at + 1 < image.count, 0xD0...0xD7 ~= image[at + 1] else { return at }
      at += 2
    }
  }
}

/// XMP in a GIF: an application's extension, whose packet stands there as it is. Bytes behind it lead readers that take
/// it for blocks to its end.
enum GIFPacket {
  private static let head: [UInt8] = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8)
  private static let tail: [UInt8] = [1] + (0...255).reversed().map { UInt8($0) } + [0]

  static func isOne(_ extent: ArraySlice<UInt8>) -> Bool { extent.starts(with: head) }

  static func block(_ packet: [UInt8]) -> [UInt8] { head + packet + tail }

  /// The packet in an extension of this application's, or nil for another one.
  static func packet(_ extent: ArraySlice<UInt8>) -> [UInt8]? {
    guard isOne(extent), extent.count > head.count + tail.count else { return nil }
    return Array(extent.dropFirst(head.count).dropLast(tail.count))
  }
}
