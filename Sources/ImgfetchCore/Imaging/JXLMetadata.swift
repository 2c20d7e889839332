/// The metadata of a JPEG XL: boxes of their own around the codestream. A bare codestream has none.
enum JXLMetadata {
  private static let telling: Set<BoxType> = ["Exif", "xml ", "brob", "jbrd", "uuid", "udta", "free", "skip"]
  private static let coded: Set<BoxType> = ["jxlc", "jxlp", "jxli"]

  private static func isBare(_ file: BoxFile) -> Bool { file.bytes(of: 0..<2, atMost: 2) == [0xFF, 0x0A] }

  static func blocks(_ file: BoxFile) -> MetadataBlocks {
    var found = MetadataBlocks()
    if isBare(file) { return found }
    for box in file.boxes(from: 0, to: file.length) where box.end - box.content <= Int64(MetadataBlocks.longest) {
      let bytes = file.bytes(of: box.content..<box.end, atMost: MetadataBlocks.longest)
      if box.type == "Exif", found.exif.isEmpty { found.exif = MetadataBlocks.exif(ofBox: bytes) }
      if box.type == "xml ", found.xmp.isEmpty { found.xmp = bytes }
    }
    return found
  }

  /// The image with these blocks before its codestream. The data for restoring the original JPEG are removed, too,
  /// since they contain its metadata.
  static func edited(_ image: [UInt8], _ metadata: MetadataBlocks, _ seal: MetadataEditor.Seal) -> [UInt8]? {
    let file = BoxFile(image)
    if isBare(file) { return image }
    var made: [UInt8] = []
    made.reserveCapacity(image.count)
    var isPlaced = false
    for box in file.boxes(from: 0, to: file.length) {
      if !isPlaced, coded.contains(box.type) {
        if !metadata.exif.isEmpty { made += Self.box("Exif", [0, 0, 0, 0] + metadata.exif) }
        if !metadata.xmp.isEmpty { made += Self.box("xml ", metadata.xmp) }
        isPlaced = true
      }
      if telling.contains(box.type) || box.type == "jumb" && seal == .dropped { continue }
      made += image[Int(box.start)..<Int(box.end)]
    }
    return isPlaced ? made : nil
  }

  private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    ByteOrder.big.bytes(content.count + 8, 4) + Array(type.utf8) + content
  }
}
