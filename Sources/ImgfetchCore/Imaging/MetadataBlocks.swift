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

  /// Longer ones are not taken along: what people write has a few KB.
  static let longest = 1 << 20
}

extension MetadataBlocks {
  static let exifName = Array("Exif\0\0".utf8)
  static let xmpName = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
  static let photoshopName = Array("Photoshop 3.0\0".utf8)

  /// The block without the six bytes that JPEG, and some writers of WebP, put before it.
  static func bareExif(_ block: [UInt8]) -> [UInt8] {
    block.starts(with: exifName) ? Array(block.dropFirst(exifName.count)) : block
  }

  /// The block of a box. It begins behind a number that says how much precedes it.
  static func exif(ofBox bytes: [UInt8]) -> [UInt8] {
    bytes.count > 4 ? Array(bytes.dropFirst(4).dropFirst(ByteOrder.big.number(bytes[..<4]))) : []
  }

  /// Takes the content of a JPEG's segment.
  mutating func take(segment mark: UInt8, _ content: [UInt8]) {
    if mark == 0xE1, exif.isEmpty, content.starts(with: Self.exifName) { exif = Self.bareExif(content) }
    if mark == 0xE1, xmp.isEmpty, content.starts(with: Self.xmpName) {
      xmp = Array(content.dropFirst(Self.xmpName.count))
    }
    if mark == 0xED, iptc.isEmpty, content.starts(with: Self.photoshopName) {
      iptc = IPTCBlock.datasets(in: content.dropFirst(Self.photoshopName.count))
    }
  }
}
