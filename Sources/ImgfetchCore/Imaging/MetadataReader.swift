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

  /// The most segments, more than any writer makes; each costs a read.
  private static let mostParts = 1 << 14

  /// More than any file has. Its end is found where nothing more can be read.
  private static let longest: Int64 = 1 << 60

  /// The packet of XMP. Blocks are passed over one by one, so that only the beginning of a GIF is looked at.
  private func gif() -> MetadataBlocks {
    var found = MetadataBlocks()
    let image = read(0, MetadataBlocks.longest)
    guard image.count >= 13 else { return found }
    var at = 13 + (image[10] & 0x80 == 0 ? 0 : 3 << (Int(image[10] & 7) + 1))
    while at + 10 < image.count, image[at] == 0x2C || image[at] == 0x21 {
      let start = at
      let colours = image[at] == 0x2C ? Int(image[at + 9]) : 0
      at += image[at] == 0x21 ? 2 : 11 + (colours & 0x80 == 0 ? 0 : 3 << ((colours & 7) + 1))
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
    var place: Int64 = 2
    for _ in 0..<Self.mostParts {
      let head = read(place, 4)
      guard head.count == 4, head[0] == 0xFF, head[1] != 0xDA, head[1] != 0xD9 else { break }
      // Any number of fill bytes may precede a marker.
      if head[1] == 0xFF {
        place += 1
        continue
      }
      let length = Int(head[2]) << 8 | Int(head[3])
      guard length >= 2 else { break }
      if head[1] == 0xE1 || head[1] == 0xED { found.take(segment: head[1], read(place + 4, length - 2)) }
      place += Int64(2 + length)
    }
    return found
  }

  private func png() -> MetadataBlocks {
    var found = MetadataBlocks()
    var place: Int64 = 8
    for _ in 0..<Self.mostParts {
      let head = read(place, 8)
      guard head.count == 8 else { break }
      let length = head[..<4].reduce(0) { $0 << 8 | Int($1) }
      let name = head[4...].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      if name == PNGChunk.end { break }
      if length <= MetadataBlocks.longest {
        if name == PNGChunk.exif { found.exif = read(place + 8, length) }
        if name == PNGText.international { found.xmp = PNGText.packet(read(place + 8, length)) ?? found.xmp }
        if PNGText.isText(name) { found.texts.take(name, read(place + 8, length)) }
      }
      place += Int64(12 + length)
    }
    return found
  }

  private func webp() -> MetadataBlocks {
    var found = MetadataBlocks()
    var place: Int64 = 12
    for _ in 0..<Self.mostParts {
      let head = read(place, 8)
      guard head.count == 8 else { break }
      let name = head[..<4].reversed().reduce(0) { $0 << 8 | Int($1) }
      let length = head[4...].reversed().reduce(0) { $0 << 8 | Int($1) }
      if length <= MetadataBlocks.longest {
        if name == WebPChunk.exif { found.exif = MetadataBlocks.bareExif(read(place + 8, length)) }
        if name == WebPChunk.xmp { found.xmp = read(place + 8, length) }
      }
      place += Int64(8 + length + length % 2)
    }
    return found
  }
}
