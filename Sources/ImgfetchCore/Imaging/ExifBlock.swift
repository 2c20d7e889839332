/// Exif blocks that are made or changed.
enum ExifBlock {
  private static let orientation = 0x0112
  private static let artist = 0x013B
  private static let copyright = 0x8298

  /// An entry of a directory, with its value.
  struct Entry {
    let tag: Int
    let type: Int
    let count: Int
    let value: [UInt8]
  }

  /// A directory that begins at a place of its block, and the values that are too long for it.
  ///
  /// - Parameter next: the place of the directory behind it, or 0 if it is the last one.
  static func directory(_ entries: [Entry], at place: Int, _ order: ByteOrder, next: Int = 0) -> [UInt8] {
    let length = 2 + 12 * entries.count + 4
    var (table, values) = (order.bytes(entries.count, 2), [UInt8]())
    for entry in entries.sorted(by: { $0.tag < $1.tag }) {
      table += order.bytes(entry.tag, 2) + order.bytes(entry.type, 2) + order.bytes(entry.count, 4)
      if entry.value.count <= 4 {
        table += entry.value + [UInt8](repeating: 0, count: 4 - entry.value.count)
      } else {
        table += order.bytes(place + length + values.count, 4)
        values += entry.value + (entry.value.count % 2 == 1 ? [0] : [])
      }
    }
    return table + order.bytes(next, 4) + values
  }

  /// A block with artist and copyright of this one, and the turn of the pixels, if they are turned.
  /// Empty if nothing is left.
  static func authorship(_ block: [UInt8], orientation turn: Int) -> [UInt8] {
    var entries = [artist, copyright].compactMap { tag in text(tag, in: block).map { entry(tag, $0) } }
    if 2...8 ~= turn { entries.append(Entry(tag: orientation, type: 3, count: 1, value: [UInt8(clamping: turn), 0])) }
    return entries.isEmpty ? [] : [0x49, 0x49, 42, 0, 8, 0, 0, 0] + directory(entries, at: 8, .little)
  }

  private static func entry(_ tag: Int, _ text: [UInt8]) -> Entry {
    Entry(tag: tag, type: 2, count: text.count, value: text)
  }

  /// The block with the maker and the copyright of a PNG's texts as artist and copyright, where it has none. A block
  /// that is invalid is replaced.
  static func adding(_ texts: PNGText.Texts, to block: [UInt8]) -> [UInt8] {
    let wanted = [(artist, texts.maker), (copyright, texts.copyright)]
    let present = Directory(block)
    let missing = wanted.filter { tag, text in !text.isEmpty && present?.place(of: tag) == nil }
    guard !missing.isEmpty else { return block }
    let order = present?.order ?? .little
    var made = present == nil ? Array("II*\0".utf8) + order.bytes(8, 4) : block
    // The directory moves behind everything else, since all that it points at stays where it is.
    if made.count % 2 == 1 { made.append(0) }
    let entries = (present?.entries ?? []) + missing.map { tag, text in entry(tag, text + [0]) }
    guard entries.count <= Int(UInt16.max) else { return block }
    let start = made.count
    made += directory(entries, at: start, order, next: present.flatMap { $0.number($0.end, 4) } ?? 0)
    made.replaceSubrange(4..<8, with: order.bytes(start, 4))
    return made
  }

  /// The block with the orientation "upright". A block that is invalid or has no orientation is not changed. The small
  /// picture in it is dropped: it would show the part that was cut away.
  static func upright(_ block: [UInt8]) -> [UInt8] {
    guard let directory = Directory(block) else { return block }
    var turned = block
    if let place = directory.place(of: orientation), directory.number(place + 2, 2) == 3 {
      turned.replaceSubrange(place + 8..<place + 10, with: directory.order.bytes(1, 2))
    }
    let next = directory.end
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
    let order: ByteOrder
    private var start = 0
    private var count = 0

    init?(_ block: [UInt8]) {
      self.block = block
      order = block.starts(with: [0x4D, 0x4D]) ? .big : .little
      guard order == .big || block.starts(with: [0x49, 0x49]), number(2, 2) == 42, let start = number(4, 4),
        let count = number(start, 2), start + 2 + 12 * count <= block.count
      else { return nil }
      self.start = start
      self.count = count
    }

    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place <= block.count - count else { return nil }
      return order.number(block[place..<place + count])
    }

    private var places: some Sequence<Int> { stride(from: start + 2, to: end, by: 12) }

    /// The place behind its entries, where the place of the next directory stands.
    var end: Int { start + 2 + 12 * count }

    /// The place of a tag's entry.
    func place(of tag: Int) -> Int? { places.first { number($0, 2) == tag } }

    /// All entries as they stand there, each with a value or the place of one.
    var entries: [Entry] {
      places.map { place in
        func part(_ offset: Int, _ size: Int) -> Int { number(place + offset, size) ?? 0 }
        return Entry(tag: part(0, 2), type: part(2, 2), count: part(4, 4), value: Array(block[place + 8..<place + 12]))
      }
    }
  }
}
