/// Gives a copy of an image other metadata. Its coded pixels and its colour profile are copied as they are. All other
/// metadata is dropped, and so is whatever follows the end.
///
/// For images that passed inspection. The result is nil if one is not understood all the same.
enum MetadataEditor {
  /// The treatment of a seal on an image's bytes (C2PA). It holds only for an image of which nothing else is changed.
  enum Seal { case kept, dropped }

  /// The same picture with this metadata. The image itself where it has just that already.
  static func image(_ image: [UInt8], _ format: ImageFormat, with metadata: MetadataBlocks) -> [UInt8]? {
    if format.edited(image, metadata, .kept) == image { return image }
    return format.edited(image, metadata, .dropped)
  }
}

// MARK: - JPEG

extension MetadataEditor {
  static func jpeg(_ image: [UInt8], _ metadata: MetadataBlocks, _ seal: Seal) -> [UInt8]? {
    MetadataStripper.jpeg(image, with: segments(metadata)) { isKept($0, $1, seal) }
  }

  /// All segments but comments and application data, of which colours and what determines their transform stay.
  private static func isKept(_ mark: UInt8, _ content: ArraySlice<UInt8>, _ seal: Seal) -> Bool {
    switch mark {
    case 0xE0: content.starts(with: "JFIF".utf8)
    case 0xE2: content.starts(with: "ICC_PROFILE\0".utf8)
    case 0xEB: seal == .kept && content.starts(with: "JP".utf8)
    case 0xEE: content.starts(with: "Adobe".utf8)
    case 0xE1...0xEF, 0xFE: false
    default: true
    }
  }

  private static func segments(_ metadata: MetadataBlocks) -> [UInt8] {
    let resources = metadata.iptc.isEmpty ? [] : IPTCBlock.resources(metadata.iptc)
    return segment(0xE1, MetadataBlocks.exifName, metadata.exif) + segment(0xE1, MetadataBlocks.xmpName, metadata.xmp)
      + segment(0xED, MetadataBlocks.photoshopName, resources)
  }

  /// A segment; none where there is nothing in it, or more than one holds.
  private static func segment(_ mark: UInt8, _ name: [UInt8], _ content: [UInt8]) -> [UInt8] {
    let length = 2 + name.count + content.count
    guard !content.isEmpty, length <= 0xFFFF else { return [] }
    return [0xFF, mark] + ByteOrder.big.bytes(length, 2) + name + content
  }
}

// MARK: - PNG

extension MetadataEditor {
  /// The chunks that say how samples are shown, besides those that decoders need.
  private static let shown: Set<UInt32> = [
    0x6943_4350, 0x7048_5973, 0x624B_4744, 0x6849_5354, 0x7350_4C54,  // iCCP, pHYs, bKGD, hIST, sPLT
  ]

  private static let sealed: UInt32 = 0x6361_4258  // caBX

  static func png(_ image: [UInt8], _ metadata: MetadataBlocks, _ seal: Seal) -> [UInt8]? {
    MetadataStripper.png(image, with: chunks(metadata)) { name, content in
      PNGText.isText(name)
        ? PNGText.isAuthorship(content)
        : MetadataStripper.isEssential(name) || shown.contains(name) || name == sealed && seal == .kept
    }
  }

  private static func chunks(_ metadata: MetadataBlocks) -> [UInt8] {
    chunk("eXIf", metadata.exif) + (metadata.xmp.isEmpty ? [] : chunk("iTXt", PNGText.chunk(metadata.xmp)))
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    guard !content.isEmpty else { return [] }
    let summed = Array(name.utf8) + content
    let sum = Int(FastBytes.crc32(0, summed.span, 0..<summed.count))
    return ByteOrder.big.bytes(content.count, 4) + summed + ByteOrder.big.bytes(sum, 4)
  }
}

// MARK: - WebP

extension MetadataEditor {
  private static let profile = 0x5043_4349  // ICCP
  private static let sealedChunk = 0x4150_3243  // C2PA
  private static let flags: (exif: UInt8, xmp: UInt8) = (0x08, 0x04)

  static func webp(_ image: [UInt8], _ metadata: MetadataBlocks, _ seal: Seal) -> [UInt8]? {
    guard let parts = MetadataStripper.parts(ofWebP: image, { isKept($0, seal) }) else { return nil }
    var made = Array(image.prefix(12))
    made.reserveCapacity(image.count)
    // Metadata has a place in files that have a header of their own.
    if parts.first?.name != WebPChunk.extended, !metadata.exif.isEmpty || !metadata.xmp.isEmpty {
      guard let part = parts.first, let header = header(of: image[part.range]) else { return nil }
      made += header
    }
    for (_, range) in parts {
      made += image[range]
      if range.count % 2 == 1 { made.append(0) }
    }
    setFlags(&made, metadata)
    made += part("EXIF", metadata.exif) + part("XMP ", metadata.xmp)
    made.replaceSubrange(4..<8, with: ByteOrder.little.bytes(made.count - 8, 4))
    return made
  }

  private static func isKept(_ name: Int, _ seal: Seal) -> Bool {
    WebPChunk.isEssential(name) || name == profile || name == sealedChunk && seal == .kept
  }

  private static func setFlags(_ image: inout [UInt8], _ metadata: MetadataBlocks) {
    guard image.count > 20, MetadataStripper.little(image, 12, 4) == WebPChunk.extended else { return }
    image[20] &= ~(flags.exif | flags.xmp)
    if !metadata.exif.isEmpty { image[20] |= flags.exif }
    if !metadata.xmp.isEmpty { image[20] |= flags.xmp }
  }

  /// The header that a file of one picture needs for metadata, or nil if the picture is not understood.
  private static func header(of part: ArraySlice<UInt8>) -> [UInt8]? {
    let bytes = Array(part)
    guard bytes.count >= 8 else { return nil }
    var field = FieldBuffer()
    field.begin(10)
    var place = 8
    _ = field.take(bytes.span, &place, end: bytes.count)
    let (name, length) = (MetadataStripper.little(bytes, 0, 4), MetadataStripper.little(bytes, 4, 4))
    guard let stream = WebPBitstream(field, name: name, length: length) else { return nil }
    return Array("VP8X".utf8) + ByteOrder.little.bytes(10, 4) + [stream.hasAlpha ? 0x10 : 0, 0, 0, 0]
      + ByteOrder.little.bytes(stream.width - 1, 3) + ByteOrder.little.bytes(stream.height - 1, 3)
  }

  private static func part(_ name: String, _ content: [UInt8]) -> [UInt8] {
    guard !content.isEmpty else { return [] }
    return Array(name.utf8) + ByteOrder.little.bytes(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
  }
}
