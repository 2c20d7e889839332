/// Exif blocks that are made or changed.
enum ExifBlock {
  private static let orientation = 0x0112
  private static let artist = 0x013B
  private static let copyright = 0x8298

  /// A block with artist and copyright of this one, and the turn of the pixels, if they are turned.
  /// Empty if nothing is left.
  static func authorship(_ block: [UInt8], orientation turn: Int) -> [UInt8] {
    let texts = [artist, copyright].compactMap { tag in text(tag, in: block).map { (tag, $0) } }
    let isTurned = 2...8 ~= turn
    guard !texts.isEmpty || isTurned else { return [] }
    let count = texts.count + (isTurned ? 1 : 0)
    var writer = ByteWriter()
    writer.put(raw: [0x49, 0x49, 42, 0, 8, 0, 0, 0])
    writer.put(UInt16(count))
    if isTurned {
      for number in [orientation, 3] { writer.put(UInt16(number)) }
      writer.put(UInt32(1))
      writer.put(UInt32(turn))
    }
    let place = 8 + 2 + 12 * count + 4
    var behind: [UInt8] = []
    for (tag, text) in texts {
      for number in [tag, 2] { writer.put(UInt16(number)) }
      writer.put(UInt32(text.count))
      if text.count <= 4 {
        writer.put(raw: text + [UInt8](repeating: 0, count: 4 - text.count))
      } else {
        writer.put(UInt32(place + behind.count))
        behind += text + (text.count % 2 == 1 ? [0] : [])
      }
    }
    writer.put(UInt32(0))
    writer.put(raw: behind)
    return writer.bytes
  }

  /// The block with the maker and the copyright of a PNG's texts as artist and copyright, where it has none. A block
  /// that is invalid is replaced.
  static func adding(_ texts: PNGText.Texts, to block: [UInt8]) -> [UInt8] {
    let wanted = [(artist, texts.maker), (copyright, texts.copyright)]
    let directory = Directory(block)
    let missing = wanted.filter { tag, text in !text.isEmpty && directory?.place(of: tag) == nil }
    guard !missing.isEmpty else { return block }
    let isBig = directory?.isBigEndian ?? false
    func number(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (isBig ? count - 1 - $0 : $0))) }
    }
    var made = directory == nil ? Array("II*\0".utf8) + number(8, 4) : block
    // The directory moves behind everything else, since all that it points at stays where it is.
    if made.count % 2 == 1 { made.append(0) }
    var entries: [(tag: Int, bytes: [UInt8])] = []
    for index in 0..<(directory?.count ?? 0) {
      guard let directory, let tag = directory.number(directory.start + 2 + 12 * index, 2) else { continue }
      entries.append((tag, Array(block[(directory.start + 2 + 12 * index)...].prefix(12))))
    }
    let count = entries.count + missing.count
    guard count <= Int(UInt16.max) else { return block }
    let start = made.count
    var behind: [UInt8] = []
    for (tag, text) in missing {
      let text = text + [0]
      let place = start + 2 + 12 * count + 4 + behind.count
      let value: [UInt8] = text.count <= 4 ? text + [UInt8](repeating: 0, count: 4 - text.count) : number(place, 4)
      if text.count > 4 { behind += text + (text.count % 2 == 1 ? [0] : []) }
      var entry = number(tag, 2) + number(2, 2)
      entry += number(text.count, 4)
      entries.append((tag, entry + value))
    }
    entries.sort { $0.tag < $1.tag }
    let next = directory.flatMap { $0.number($0.start + 2 + 12 * $0.count, 4) } ?? 0
    made += number(count, 2) + entries.flatMap(\.bytes) + number(next, 4) + behind
    made.replaceSubrange(4..<8, with: number(start, 4))
    return made
  }

  /// The block with the orientation "upright". A block that is invalid or has no orientation is not changed. The small
  /// picture in it is dropped: it would show the part that was cut away.
  static func upright(_ block: [UInt8]) -> [UInt8] {
    guard let directory = Directory(block) else { return block }
    var turned = block
    if let place = directory.place(of: orientation), directory.number(place + 2, 2) == 3 {
      turned[place + 8] = directory.isBigEndian ? 0 : 1
      turned[place + 9] = directory.isBigEndian ? 1 : 0
    }
    let next = directory.start + 2 + 12 * directory.count
    if next + 4 <= turned.count { for place in next..<next + 4 { turned[place] = 0 } }
    return turned
  }

  /// A text of the first directory, with the zero behind it.
  private static func text(_ tag: Int, in block: [UInt8]) -> [UInt8]? {
    guard let directory = Directory(block), let place = directory.place(of: tag), directory.number(place + 2, 2) == 2,
      let count = directory.number(place + 4, 4), 1...longestText ~= count,
      let start = count <= 4 ? place + 8 : directory.number(place + 8, 4), start <= block.count - count
    else { return nil }
    // Copyrights of a photographer and of an editor have a zero between them.
    let text = block[start..<start + count]
    return text.contains { $0 > 0x20 } ? Array(text) : nil
  }

  private static let longestText = 16 << 10

  /// The first directory of a block.
  private struct Directory {
    let block: [UInt8]
    let isBigEndian: Bool
    private(set) var start = 0
    private(set) var count = 0

    init?(_ block: [UInt8]) {
      self.block = block
      isBigEndian = block.starts(with: [0x4D, 0x4D])
      guard isBigEndian || block.starts(with: [0x49, 0x49]), number(2, 2) == 42, let start = number(4, 4),
        let count = number(start, 2), start + 2 + 12 * count <= block.count
      else { return nil }
      self.start = start
      self.count = count
    }

    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place <= block.count - count else { return nil }
      let bytes = block[place..<place + count]
      return isBigEndian ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// The place of a tag's entry.
    func place(of tag: Int) -> Int? { (0..<count).lazy.map { start + 2 + 12 * $0 }.first { number($0, 2) == tag } }
  }
}
