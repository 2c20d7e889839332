/// Reads an Exif block that was found in an image already: pixel work whose body is the block alone, so that a helper
/// gets some KB and opens no decoder.
struct ExifWork: PixelWork {
  /// The first byte of the encoded work; other kinds of work begin with others.
  private static let mark: UInt8 = 0x62

  var encoded: [UInt8] { [Self.mark] }

  init() {}

  /// Nil where the bytes are not ``encoded`` work.
  init?(encoded bytes: [UInt8]) { if bytes != [Self.mark] { return nil } }

  /// None: no picture is looked at.
  func formats(for facts: ImageFacts) -> Set<ImageFormat> { [] }

  func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    let block: [UInt8]
    do throws(BodyReadFailure) { block = try body.bytes() } catch { throw PixelFailure(error) }
    let exif = block.isEmpty ? nil : ExifFacts(try ExifReader(block, facts.format))
    return ImageDetails(fingerprints: [], exif: exif, readsExif: true).encoded
  }

  /// The block, which is empty where there is none; nil where only the format's decoder finds it. A picture that cannot
  /// be decoded here, of 200 million pixels or by a library that is missing, is an image all the same.
  static func block(of body: ImageBody, _ facts: ImageFacts) -> [UInt8]? {
    let reader = MetadataReader { place, count in body.bytes(from: place, atMost: count) }
    switch facts.format {
    case .jpeg, .png, .webp, .tiff, .gif, .svg, .bmp: break
    case .avif, .heic:
      // Of several blocks the library knows which is that of the picture, and whether a film has one of its own.
      let count = reader.exifCount
      guard count == 1 || count == 0 && facts.frames == 1 else { return nil }
    case .jxl, .ico: return nil
    }
    return reader.metadata(of: facts.format).exif
  }

  /// The camera's record in a block. Most images have none: then no helper is asked.
  static func details(
    of block: [UInt8], _ facts: ImageFacts, _ limits: PixelLimits
  ) throws(PixelFailure) -> ImageDetails {
    guard !block.isEmpty else { return ImageDetails(fingerprints: [], exif: nil, readsExif: true) }
    let bytes = try limits.memory.holding(Int64(4 * block.count)) { memory throws(PixelFailure) in
      try limits.executor.perform(ExifWork(), ImageBody(.bytes(block)), facts, memory: memory)
    }
    guard let details = ImageDetails(encoded: bytes), details.known.contains(.exif) else {
      throw .damaged(facts.format, reason: "its decoder answered with something else")
    }
    return details
  }
}
