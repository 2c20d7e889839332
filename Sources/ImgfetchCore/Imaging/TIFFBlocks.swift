/// The metadata of a TIFF as the blocks that other formats have. In a TIFF it stands in fields of the first directory,
/// between those of the pixels.
struct TIFFBlocks {
  private let read: MetadataReader.Source
  private let order: ByteOrder
  private let isBig: Bool
  private let first: Int64

  private typealias Field = ExifBlock.Entry

  /// The blocks of the image, which are empty where it has none.
  static func blocks(_ read: @escaping MetadataReader.Source) -> MetadataBlocks {
    guard let file = TIFFBlocks(read) else { return MetadataBlocks() }
    return file.blocks
  }

  private init?(_ read: @escaping MetadataReader.Source) {
    let head = read(0, 16)
    guard head.count >= 8 else { return nil }
    order = head[0] == UInt8(ascii: "I") ? .little : .big
    var fields = FieldReader(head, order: order)
    fields.skip(2)
    isBig = fields.number(2) == 43
    if isBig { fields.skip(4) }
    first = Int64(fields.number(isBig ? 8 : 4))
    self.read = read
  }

  private static let xmp = 700
  private static let iptc = 33723
  /// Description, maker, model, orientation, resolution, software, time, artist, computer and copyright. The other
  /// fields of the first directory are the pixels' own.
  private static let described: Set<Int> = [270, 271, 272, 274, 282, 283, 296, 305, 306, 315, 316, 33432]
  private static let camera = 34665
  private static let position = 34853
  /// The maker's note and the directory for other programs: what they refer to would be elsewhere.
  private static let bound: Set<Int> = [37500, 40965]

  /// The types behind it have 64 bits, and Exif has none of them.
  private static let lastType = 13

  /// More fields than any directory has.
  private static let mostFields = 4096
  /// More than a segment of JPEG holds.
  private static let longestExif = 64 << 10
  /// Longer values are documents or data of a program. The block has room for the short ones beside each other.
  private static let longestValue = 16 << 10

  private var blocks: MetadataBlocks {
    var blocks = MetadataBlocks()
    let wanted = Self.described.union([Self.xmp, Self.iptc, Self.camera, Self.position])
    let fields = fields(at: first) { wanted.contains($0) }
    blocks.xmp = fields.first { $0.tag == Self.xmp }?.value ?? []
    blocks.iptc = fields.first { $0.tag == Self.iptc }?.value ?? []
    blocks.exif = exif(fields)
    return blocks
  }

  /// The fields of a directory with such tags and a value that is there, in their order.
  private func fields(at place: Int64, _ isWanted: (Int) -> Bool) -> [Field] {
    let (word, countSize) = (isBig ? 8 : 4, isBig ? 8 : 2)
    let length = 4 + 2 * word
    var head = FieldReader(read(place, countSize), order: order)
    let count = head.number(countSize)
    guard !head.isShort, count <= Self.mostFields else { return [] }
    var table = FieldReader(read(place + Int64(countSize), count * length), order: order)
    var found: [Field] = []
    // Values may share their bytes, so that all together are bounded, too.
    var budget = 3 * MetadataBlocks.longest
    while table.left >= length {
      let (tag, type, amount) = (table.number(2), table.number(2), table.number(word))
      let inline = Array(table.slice(word))
      let size = TIFFDirectory.size(ofType: type)
      guard isWanted(tag), size > 0, amount <= MetadataBlocks.longest / size else { continue }
      var reference = FieldReader(inline, order: order)
      let bytes = amount * size
      budget -= bytes
      guard budget >= 0 else { break }
      let value = bytes <= word ? Array(inline.prefix(bytes)) : read(Int64(reference.number(word)), bytes)
      if value.count == bytes { found.append(Field(tag: tag, type: type, count: amount, value: value)) }
    }
    return found
  }

  /// A block with the fields that say something, and the directories of camera and position.
  private func exif(_ fields: [Field]) -> [UInt8] {
    func fits(_ field: Field) -> Bool { field.type <= Self.lastType && field.value.count <= Self.longestValue }
    let kept = fields.filter { Self.described.contains($0.tag) && fits($0) }
    let inner = [Self.camera, Self.position].compactMap { tag -> (tag: Int, fields: [Field])? in
      guard let field = fields.first(where: { $0.tag == tag }) else { return nil }
      var place = FieldReader(field.value, order: order)
      let fields = self.fields(at: Int64(place.number(min(8, field.value.count)))) { !Self.bound.contains($0) }
        .filter(fits)
      return fields.isEmpty ? nil : (tag, fields)
    }
    guard !kept.isEmpty || !inner.isEmpty else { return [] }
    var block = [UInt8](repeating: order == .little ? 0x49 : 0x4D, count: 2) + order.bytes(42, 2) + order.bytes(8, 4)
    // The directories follow the first one and its values, whose length does not depend on their places.
    let empty = inner.map { Field(tag: $0.tag, type: 4, count: 1, value: order.bytes(0, 4)) }
    var next = block.count + ExifBlock.directory(kept + empty, at: block.count, order).count
    var (links, behind): ([Field], [UInt8]) = ([], [])
    for (tag, fields) in inner {
      links.append(Field(tag: tag, type: 4, count: 1, value: order.bytes(next, 4)))
      let bytes = ExifBlock.directory(fields, at: next, order)
      behind += bytes
      next += bytes.count
    }
    block += ExifBlock.directory(kept + links, at: block.count, order) + behind
    return block.count <= Self.longestExif ? block : []
  }
}
