/// Reads the metadata of an image, segment by segment, without reading its pixels. Broken metadata counts as missing.
package struct MetadataReader {
  /// Reads bytes from a place on, up to a count.
  package typealias Source = (_ place: Int64, _ count: Int) -> [UInt8]

  private let read: Source

  /// - Parameter read: gives fewer bytes at the end of the image, and none behind it.
  package init(_ read: @escaping Source) { self.read = read }

  package func metadata(of format: ImageFormat) -> MetadataBlocks {
    switch format {
    case .jpeg: jpeg()
    case .png: png()
    case .webp: webp()
    case .gif: gif()
    case .avif, .heic: HEIFMetadata(BoxFile(read, length: Self.longest)).blocks
    case .jxl: JXLMetadata.blocks(BoxFile(read, length: Self.longest))
    // In a copy of the same file it is edited where it stands.
    case .tiff: TIFFBlocks.blocks(read)
    case .svg, .bmp, .ico: MetadataBlocks()
    }
  }

  /// The number of an AVIF's or a HEIC's blocks of Exif, each for a picture of its own.
  var exifCount: Int { HEIFMetadata(BoxFile(read, length: Self.longest)).exifCount }

  /// The most segments, more than any writer makes; each costs a read.
  private static let mostParts = 20_000

  /// More than any file has. Its end is found where nothing more can be read.
  private static let longest: Int64 = 1 << 60

  /// The packet of XMP. Blocks are passed over one by one, so that only the beginning of a GIF is looked at.
  private func gif() -> MetadataBlocks {
    var found = MetadataBlocks()
    let image = read(0, MetadataBlocks.longest)
    guard image.count >= 13 else { return found }
    var at = 13 + MetadataStripper.coloursLength(image[10])
    while at + 10 < image.count, image[at] == 0x2C || image[at] == 0x21 {
      let start = at
      at += image[at] == 0x21 ? 2 : 11 + MetadataStripper.coloursLength(image[at + 9])
      while at < image.count, image[at] != 0 { at += 1 + Int(image[at]) }
      at += 1
      guard at <= image.count else { break }
      if let packet = GIFPacket.packet(image[start..<at]) {
        found.xmp = packet
        break
      }
    }
    return found
  }

  private func jpeg() -> MetadataBlocks {
    var found = MetadataBlocks()
    eachSegment { mark, place, length in
      if mark == 0xE1 || mark == 0xED { found.take(segment: mark, read(place, length)) }
      return true
    }
    return found
  }

  private func png() -> MetadataBlocks {
    var found = MetadataBlocks()
    eachChunk(ofPNG: true) { name, place, length in
      let name = name.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      guard length <= MetadataBlocks.longest else { return true }
      if name == PNGChunk.exif { found.exif = read(place, length) }
      if name == PNGText.international { found.xmp = PNGText.packet(read(place, length)) ?? found.xmp }
      if PNGText.isText(name) { found.texts.take(name, read(place, length)) }
      return true
    }
    return found
  }

  private func webp() -> MetadataBlocks {
    var found = MetadataBlocks()
    eachChunk(ofPNG: false) { name, place, length in
      let name = ByteOrder.little.number(name)
      guard length <= MetadataBlocks.longest else { return true }
      if name == WebPChunk.exif { found.exif = MetadataBlocks.bareExif(read(place, length)) }
      if name == WebPChunk.xmp { found.xmp = read(place, length) }
      return true
    }
    return found
  }

  /// Passes the place of each segment in front of a JPEG's first scan, until `take` returns false.
  package func eachSegment(_ take: (_ mark: UInt8, _ place: Int64, _ length: Int) -> Bool) {
    var place: Int64 = 2
    for _ in 0..<Self.mostParts {
      let head = read(place, 4)
      guard head.count == 4, head[0] == 0xFF, head[1] != 0xDA, head[1] != 0xD9 else { return }
      // Any number of fill bytes may precede a marker.
      if head[1] == 0xFF {
        place += 1
        continue
      }
      let length = Int(head[2]) << 8 | Int(head[3])
      guard length >= 2, take(head[1], place + 4, length - 2) else { return }
      place += Int64(2 + length)
    }
  }

  /// Passes the place of each chunk of a PNG or a WebP, until `take` returns false.
  package func eachChunk(
    ofPNG isPNG: Bool, _ take: (_ name: ArraySlice<UInt8>, _ place: Int64, _ length: Int) -> Bool
  ) {
    var place: Int64 = isPNG ? 8 : 12
    for _ in 0..<Self.mostParts {
      let head = read(place, 8)
      guard head.count == 8 else { return }
      let name = isPNG ? head[4...] : head[..<4]
      let length = isPNG ? ByteOrder.big.number(head[..<4]) : ByteOrder.little.number(head[4...])
      guard !isPNG || !name.elementsEqual("IEND".utf8), take(name, place + 8, length) else { return }
      place += Int64(isPNG ? 12 + length : 8 + length + length % 2)
    }
  }
}
