/// The metadata in an image file, apart from pixels and colours, as blocks in the forms that all formats share.
package struct MetadataBlocks: Sendable, Hashable {
  /// A TIFF structure, from its order of bytes on.
  package var exif: [UInt8] = []
  /// An XMP packet.
  package var xmp: [UInt8] = []
  /// IPTC's datasets, as Photoshop keeps them. Among the formats that are written, only JPEG has a place for them.
  package var iptc: [UInt8] = []
  /// The maker and the terms of the picture, of a PNG's texts, in UTF-8. An editor of the same file copies those texts
  /// as they are.
  var texts = PNGText.Texts()

  package init() {}

  package var isEmpty: Bool { exif.isEmpty && xmp.isEmpty && iptc.isEmpty }

  /// Longer ones are not taken along: what people write has a few KB.
  static let longest = 1 << 20
}

/// Reads the metadata of an image, segment by segment, without reading its pixels. Broken metadata counts as missing.
package struct MetadataReader {
  /// Reads bytes from a place on, up to a count.
  package typealias Source = (_ place: Int64, _ count: Int) -> [UInt8]

  private let read: Source

  /// - Parameter read: gives fewer bytes at the end of the image, and none behind it.
  package init(_ read: @escaping Source) { self.read = read }

  /// The metadata of an image of this format.
  package func metadata(of format: ImageFormat) -> MetadataBlocks {
    switch format {
    case .jpeg: jpeg()
    case .png: png()
    case .webp: webp()
    case .gif: gif()
    case .avif, .heic: HEIFMetadata(BoxFile(read, length: Self.longest)).blocks
    case .jxl: JXLMetadata.blocks(BoxFile(read, length: Self.longest))
    // Theirs is edited where it stands.
    case .tiff, .svg, .bmp, .ico: MetadataBlocks()
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

extension MetadataBlocks {
  static let exifName = Array("Exif\0\0".utf8)
  static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  static let photoshopName = Array("Photoshop 3.0\0".utf8)

  /// The block without the six bytes that JPEG, and some writers of WebP, put before it.
  fileprivate static func bareExif(_ block: [UInt8]) -> [UInt8] {
    block.starts(with: exifName) ? Array(block.dropFirst(exifName.count)) : block
  }

  /// Takes the content of a JPEG's segment.
  fileprivate mutating func take(segment mark: UInt8, _ content: [UInt8]) {
    if mark == 0xE1, exif.isEmpty, content.starts(with: Self.exifName) { exif = Self.bareExif(content) }
    if mark == 0xE1, xmp.isEmpty, content.starts(with: Self.xmpName) {
      xmp = Array(content.dropFirst(Self.xmpName.count))
    }
    if mark == 0xED, iptc.isEmpty, content.starts(with: Self.photoshopName) {
      iptc = IPTCBlock.datasets(in: content.dropFirst(Self.photoshopName.count))
    }
  }
}

/// IPTC's datasets in a JPEG: a resource of Photoshop's among others.
enum IPTCBlock {
  /// The datasets in the resources; empty where there are none.
  static func datasets(in resources: ArraySlice<UInt8>) -> [UInt8] {
    var fields = FieldReader(resources)
    while fields.left >= 12, !fields.isShort {
      guard fields.number(4) == 0x3842_494D else { break }
      let number = fields.number(2)
      let name = fields.number(1)
      fields.skip(name + 1 - name % 2)
      let length = fields.number(4)
      guard length <= fields.left else { break }
      let content = fields.slice(length)
      if number == 0x0404 { return Array(content) }
      fields.skip(min(fields.left, length % 2))
    }
    return []
  }

  /// Resources that hold these datasets.
  static func resources(_ datasets: [UInt8]) -> [UInt8] {
    let length = datasets.count
    let size = (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * (3 - $0))) }
    return Array("8BIM".utf8) + [4, 4, 0, 0] + size + datasets + (length % 2 == 1 ? [0] : [])
  }

  /// Each dataset with its record and number; `bytes` is all of it.
  static func each(
    _ datasets: [UInt8],
    _ take: (_ record: UInt8, _ number: UInt8, _ value: ArraySlice<UInt8>, _ bytes: ArraySlice<UInt8>) -> Void
  ) {
    var at = 0
    while at + 5 <= datasets.count, datasets[at] == 0x1C {
      let length = Int(datasets[at + 3]) << 8 | Int(datasets[at + 4])
      // Longer ones say their length otherwise; no text has so much.
      guard length < 0x8000, at + 5 + length <= datasets.count else { return }
      take(datasets[at + 1], datasets[at + 2], datasets[(at + 5)..<(at + 5 + length)], datasets[at..<(at + 5 + length)])
      at += 5 + length
    }
  }
}
