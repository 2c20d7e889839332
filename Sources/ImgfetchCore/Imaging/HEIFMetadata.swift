/// The places of an AVIF's or a HEIC image's metadata.
struct HEIFMetadata {
  enum Kind { case exif, xmp, other }

  /// An item that is not a picture, and the pieces of the file that hold it.
  struct Item {
    let kind: Kind
    var pieces: [Range<Int64>] = []
    var length: Int64 {
      pieces.reduce(0) { sum, piece in
        let (length, overflow) = sum.addingReportingOverflow(piece.upperBound - piece.lowerBound)
        return overflow ? .max : length
      }
    }
  }

  private(set) var items: [Item] = []
  private(set) var pictures: [Range<Int64>] = []
  /// Boxes that tell something beside the pictures.
  private(set) var boxes: [BoxFile.Box] = []
  /// Boxes that seal the file (C2PA).
  private(set) var seals: [BoxFile.Box] = []
  private let file: BoxFile

  private static let telling: Set<BoxType> = ["uuid", "udta", "free", "skip"]
  /// The identifier of C2PA's box.
  private static let seal: [UInt8] = [
    0xD8, 0xFE, 0xC3, 0xD6, 0x1B, 0x0E, 0x48, 0x3C, 0x92, 0x97, 0x58, 0x28, 0x87, 0x7E, 0xC4, 0x81,
  ]

  init(_ file: BoxFile) {
    self.file = file
    for box in file.boxes(from: 0, to: file.length) {
      switch box.type {
      case "meta": readItems(box)
      case "moov": readMovie(box)
      case let type where Self.telling.contains(type):
        let isSeal = file.bytes(of: box.content..<box.end, atMost: 16) == Self.seal
        if isSeal, type == "uuid" { seals.append(box) } else { boxes.append(box) }
      default: break
      }
    }
  }

  private mutating func readMovie(_ movie: BoxFile.Box) {
    for box in file.boxes(from: movie.content, to: movie.end) {
      if box.type == "trak" {
        boxes += file.boxes(from: box.content, to: box.end).filter {
          Self.telling.contains($0.type) || $0.type == "meta"
        }
      } else if Self.telling.contains(box.type) || box.type == "meta" {
        boxes.append(box)
      }
    }
  }

  private mutating func readItems(_ meta: BoxFile.Box) {
    let tables = file.boxes(from: meta.content + 4, to: meta.end)
    boxes += tables.filter { Self.telling.contains($0.type) }
    func table(_ type: BoxType) -> [UInt8] {
      tables.first { $0.type == type }.map { file.bytes(of: $0.content..<$0.end, atMost: HEIFWalk.longestTable) } ?? []
    }
    let kinds = Self.kinds(table("iinf"))
    let inside = tables.first { $0.type == "idat" }
    for (number, pieces) in Self.places(table("iloc"), inside, file.length) {
      if let kind = kinds[number] { items.append(Item(kind: kind, pieces: pieces)) } else { pictures += pieces }
    }
  }

  /// The kinds of the items that are no pictures, by their numbers.
  private static func kinds(_ table: [UInt8]) -> [Int: Kind] {
    var found: [Int: Kind] = [:]
    var fields = FieldReader(table)
    try? HEIFItems.eachKind(&fields) { item, type, rest in
      var rest = rest
      switch type {
      case "Exif": found[item] = .exif
      case "mime":
        _ = rest.text()
        found[item] = rest.text().elementsEqual("application/rdf+xml".utf8) ? .xmp : .other
      case "uri ": found[item] = .other
      default: break
      }
    }
    return found
  }

  /// The pieces of each item, as places in the file.
  private static func places(
    _ table: [UInt8], _ inside: BoxFile.Box?, _ length: Int64
  ) -> [(item: Int, pieces: [Range<Int64>])] {
    var found: [(item: Int, pieces: [Range<Int64>])] = []
    var fields = FieldReader(table)
    try? HEIFItems.eachPlace(&fields, begin: { found.append(($0, [])) }) { method, base, offset, count in
      let room = method == 1 ? (inside.map { $0.content..<$0.end } ?? 0..<0) : 0..<length
      let (first, one) = (method == 1 ? room.lowerBound : 0).addingReportingOverflow(Int64(base))
      let (start, two) = first.addingReportingOverflow(Int64(offset))
      guard !one, !two, method < 2, room.contains(start), count <= room.upperBound - start else { return }
      found[found.count - 1].pieces.append(start..<(count == 0 ? room.upperBound : start + Int64(count)))
    }
    return found
  }

  var exifCount: Int { items.count { $0.kind == .exif } }

  /// The blocks of the first items of each kind.
  var blocks: MetadataBlocks {
    var found = MetadataBlocks()
    found.exif = MetadataBlocks.exif(ofBox: content(of: .exif))
    found.xmp = content(of: .xmp)
    return found
  }

  /// The bytes of the first item of a kind; empty if there is none, or it is too long.
  private func content(of kind: Kind) -> [UInt8] {
    guard let item = items.first(where: { $0.kind == kind }), item.length <= MetadataBlocks.longest else { return [] }
    return item.pieces.flatMap { file.bytes(of: $0, atMost: MetadataBlocks.longest) }
  }

  /// The image with these blocks in place of its own, as long as before. Nil if a picture stands where metadata does.
  func edited(_ image: [UInt8], _ metadata: MetadataBlocks, _ seal: MetadataEditor.Seal) -> [UInt8]? {
    var taken = pictures.sorted { $0.lowerBound < $1.lowerBound }
    taken.removeAll { $0.isEmpty }
    var ends: [Int64] = []
    for piece in taken { ends.append(max(ends.last ?? 0, piece.upperBound)) }
    func isFree(_ range: Range<Int64>) -> Bool {
      // The last picture that begins before the end of it: none of those up to there may reach into it.
      var (low, high) = (0, taken.count)
      while low < high {
        let middle = (low + high) / 2
        if taken[middle].lowerBound < range.upperBound { low = middle + 1 } else { high = middle }
      }
      return low == 0 || ends[low - 1] <= range.lowerBound
    }
    var made = image
    var blocks = metadata
    // Items that share their bytes would be written again and again.
    var room = Int64(image.count)
    for item in items {
      let (left, overflow) = room.subtractingReportingOverflow(item.length)
      room = left
      guard !overflow, room >= 0, item.pieces.allSatisfy(isFree) else { return nil }
      let count = Int(clamping: item.length)
      let content: [UInt8]
      switch item.kind {
      case .exif:
        content = Self.exif(blocks.exif, count)
        blocks.exif = []
      case .xmp:
        content = Self.xmp(blocks.xmp, count)
        blocks.xmp = []
      case .other: content = [UInt8](repeating: 0, count: count)
      }
      var rest = content[...]
      for piece in item.pieces {
        let range = Int(piece.lowerBound)..<Int(piece.upperBound)
        made.replaceSubrange(range, with: rest.prefix(range.count))
        rest = rest.dropFirst(range.count)
      }
    }
    for box in boxes + (seal == .dropped ? seals : []) {
      guard isFree(box.start..<box.end) else { return nil }
      let header = Int(box.start)
      made.replaceSubrange((header + 4)..<(header + 8), with: Array("free".utf8))
      for place in Int(box.content)..<Int(box.end) { made[place] = 0 }
    }
    return made
  }

  /// A directory without entries.
  private static let emptyExif: [UInt8] = [0x49, 0x49, 42, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  private static let emptyXMP = Array("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"/>".utf8)

  private static func exif(_ block: [UInt8], _ room: Int) -> [UInt8] {
    let fitting = [block, emptyExif].first { !$0.isEmpty && $0.count + 4 <= room } ?? []
    let content = [0, 0, 0, 0] + fitting
    return Array((content + [UInt8](repeating: 0, count: max(0, room - content.count))).prefix(room))
  }

  private static func xmp(_ packet: [UInt8], _ room: Int) -> [UInt8] {
    // Less is said about it in a small place, but all of it.
    let fitting = [packet, XMPPacket.bare(packet), emptyXMP].first { !$0.isEmpty && $0.count <= room } ?? []
    return fitting + [UInt8](repeating: UInt8(ascii: " "), count: room - fitting.count)
  }
}
