/// Reads an Exif block that was found in an image already: pixel work whose body is the block alone, so that a helper
/// gets some KB and opens no decoder.
struct ExifWork: PixelWork {
  /// The first byte of the encoded work; other kinds of work begin with others.
  private static let mark: UInt8 = 0x62

  var encoded: [UInt8] { [Self.mark] }

  init() {}

  /// Nil where the bytes are not ``encoded`` work.
  init?(encoded bytes: [UInt8]) { if bytes != [Self.mark] { return nil } }

  func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8] {
    let block: [UInt8]
    do throws(BodyReadFailure) { block = try body.bytes() } catch { throw PixelFailure(error) }
    let exif = block.isEmpty ? nil : ExifFacts(try ExifReader(block, facts.format))
    return ImageDetails(fingerprints: [], exif: exif, readsExif: true).encoded
  }

  /// True if a block is found in images of this format without their decoder, or none can be there. An SVG that cannot
  /// be drawn here is an image all the same.
  static func applies(to format: ImageFormat) -> Bool {
    switch format {
    case .jpeg, .png, .webp, .tiff: true
    case .gif, .svg, .bmp: true
    case .avif, .heic, .jxl, .ico: false
    }
  }

  /// The block, which is empty where there is none.
  static func block(of body: ImageBody, _ facts: ImageFacts) -> [UInt8] {
    MetadataReader { place, count in body.bytes(from: place, atMost: count) }.metadata(of: facts.format).exif
  }

  /// The camera's record. Most images have none: then no helper is asked.
  static func details(
    of body: ImageBody, _ facts: ImageFacts, _ limits: PixelLimits
  ) throws(PixelFailure) -> ImageDetails {
    let block = Self.block(of: body, facts)
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
