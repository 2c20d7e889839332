/// Takes the metadata out of a TIFF: fields that neither its pixels need nor say who made it go, and what they name is
/// written over with zeros. Nothing is moved, since all is found by its place.
struct TIFFMetadata {
  private var image: [UInt8]
  private let order: ByteOrder
  private let isBig: Bool
  /// The fields that go, with the places of their values.
  private var dropped: [Range<Int>] = []
  /// The places of all else that is named.
  private var kept: [Range<Int>] = []
  private var seen: Set<Int> = []
  /// The bytes of tables that may still be read. Tables that share their bytes would be read again and again.
  private var budget: Int
  private var hasPacket = false

  private var word: Int { isBig ? 8 : 4 }
  private var entryLength: Int { isBig ? 20 : 12 }

  /// More directories than any writer makes.
  private static let mostDirectories = 4096

  /// The fields that say how pixels are stored and shown, and the artist and the copyright.
  private static let needed: Set<Int> = [
    254, 255, 256, 257, 258, 259, 262, 263, 266, 273, 274, 277, 278, 279, 280, 281, 282, 283, 284, 290, 291, 292, 293,
    296, 297, 301, 315, 317, 318, 319, 320, 321, 322, 323, 324, 325, 326, 327, 328, 330, 332, 333, 334, 336, 338, 339,
    340, 341, 342, 343, 344, 345, 346, 347, 433, 434, 435, 512, 513, 514, 515, 517, 518, 519, 520, 521, 529, 530, 531,
    532, 559, 32995, 32996, 32997, 32998, 33421, 33422, 33432, 34675, 37398, 37399,
  ]
  /// Fields of DNG, without which a raw picture cannot be developed, but for those that name one device or file.
  private static let raw = 50706...52600
  private static let devices: Set<Int> = [50735, 50740, 50827]
  private static let xmp = 700
  private static let iptc = 33723
  private static let directories: Set<Int> = [34665, 34853, 40965]

  /// The image with the authorship alone. Nil if its directories are not understood.
  static func edited(_ image: [UInt8]) -> [UInt8]? {
    guard var editor = TIFFMetadata(image) else { return nil }
    return editor.run()
  }

  private init?(_ image: [UInt8]) {
    guard image.count >= 8 else { return nil }
    order = image.starts(with: [0x4D, 0x4D]) ? .big : .little
    self.image = image
    budget = 2 * image.count
    isBig = Self.number(image, 2, 2, order) == 43
  }

  private mutating func run() -> [UInt8]? {
    var waiting = [number(isBig ? 8 : 4, word)]
    while let place = waiting.popLast() {
      guard place != 0, seen.insert(place).inserted else { continue }
      guard seen.count + waiting.count <= Self.mostDirectories, let next = edit(place), budget >= 0 else { return nil }
      waiting += next
    }
    clear()
    return image
  }

  private struct Field {
    let tag: Int
    let bytes: ArraySlice<UInt8>
    let type: Int
    let values: Range<Int>
  }

  /// Edits a directory, and returns the places of the next ones. Nil if it is not a directory.
  private mutating func edit(_ place: Int) -> [Int]? {
    guard let fields = fields(at: place) else { return nil }
    let table = place + (isBig ? 8 : 2)
    let after = table + fields.count * entryLength
    guard after + word <= image.count else { return nil }
    var next = [number(after, word)]
    var left: [UInt8] = []
    var count = 0
    for field in fields {
      if field.tag == 330 { next += values(of: field) }
      if field.tag == Self.xmp, let entry = reduced(field, with: fields.first { $0.tag == Self.iptc }) {
        left += entry
        count += 1
      } else if isKept(field.tag) {
        keep(field, fields)
        left += field.bytes
        count += 1
      } else {
        drop(field)
      }
    }
    kept.append(place..<after + word)
    let rest = [UInt8](repeating: 0, count: (fields.count - count) * entryLength)
    image.replaceSubrange(table..<after + word, with: left + image[after..<after + word] + rest)
    set(place, to: count, isBig ? 8 : 2)
    return next
  }

  private func isKept(_ tag: Int) -> Bool {
    Self.needed.contains(tag) || Self.raw.contains(tag) && !Self.devices.contains(tag)
  }

  private mutating func fields(at place: Int) -> [Field]? {
    let countSize = isBig ? 8 : 2
    guard place >= 0, place <= image.count - countSize else { return nil }
    let count = number(place, countSize)
    guard count <= (image.count - place) / entryLength else { return nil }
    budget -= count * entryLength
    guard budget >= 0 else { return nil }
    var fields: [Field] = []
    for index in 0..<count {
      let start = place + countSize + index * entryLength
      guard start + entryLength <= image.count else { return nil }
      let type = number(start + 2, 2)
      let amount = number(start + 4, word)
      let (length, overflow) = amount.multipliedReportingOverflow(by: Self.size(of: type))
      let inline = start + 4 + word
      var values = inline..<inline
      if !overflow, length > word {
        let first = number(inline, word)
        if first <= image.count, length <= image.count - first { values = first..<first + length }
      } else if !overflow {
        values = inline..<inline + length
      }
      fields.append(
        Field(
          tag: number(start, 2), bytes: image[start..<start + entryLength], type: type, values: values))
    }
    return fields
  }

  private static func size(of type: Int) -> Int { max(1, TIFFDirectory.size(ofType: type)) }

  private func values(of field: Field) -> [Int] {
    let size = Self.size(of: field.type)
    return stride(from: field.values.lowerBound, to: field.values.upperBound, by: size)
      .prefix(Self.mostDirectories).map { number($0, size) }
  }

  /// Keeps a field's values, and the pixels that it names.
  private mutating func keep(_ field: Field, _ fields: [Field]) {
    kept.append(field.values)
    let lengthsTag: Int
    switch field.tag {
    case 273: lengthsTag = 279
    case 324: lengthsTag = 325
    case 513: lengthsTag = 514
    default: return
    }
    guard let lengths = fields.first(where: { $0.tag == lengthsTag }) else {
      // What has no length may reach to the end.
      kept.append(0..<image.count)
      return
    }
    budget -= field.values.count
    guard budget >= 0 else { return }
    let (size, lengthSize) = (Self.size(of: field.type), Self.size(of: lengths.type))
    var at = lengths.values.lowerBound
    for place in stride(from: field.values.lowerBound, to: field.values.upperBound, by: size) {
      guard at + lengthSize <= lengths.values.upperBound else { break }
      let (start, length) = (number(place, size), number(at, lengthSize))
      if start <= image.count { kept.append(start..<start + min(length, image.count - start)) }
      at += lengthSize
    }
  }

  /// Drops a field's values, and the directory that it names, with the values of that.
  private mutating func drop(_ field: Field, depth: Int = 0) {
    // What stands in the directory goes with its entry.
    if !field.values.isEmpty, field.values.count > word { dropped.append(field.values) }
    // Exif's, and in it that of positions.
    guard depth < 4, Self.directories.contains(field.tag), let place = values(of: field).first,
      seen.insert(place).inserted, seen.count <= Self.mostDirectories, let fields = fields(at: place)
    else { return }
    dropped.append(place..<min(image.count, place + (isBig ? 8 : 2) + fields.count * entryLength + word))
    for field in fields { drop(field, depth: depth + 1) }
  }

  /// Replaces the entry of an XMP packet by one with the authorship alone, written over the former one. Nil if nothing
  /// of it is left.
  private mutating func reduced(_ field: Field, with datasets: Field?) -> [UInt8]? {
    guard !hasPacket, field.values.count > word, field.values.count <= MetadataBlocks.longest else { return nil }
    hasPacket = true
    let whole = XMPPacket.authorship(
      Array(image[field.values]), datasets.map { Array(image[$0.values]) } ?? [])
    guard let packet = [whole, XMPPacket.bare(whole)].first(where: { !$0.isEmpty && $0.count <= field.values.count })
    else { return nil }
    kept.append(field.values)
    let blank = [UInt8](repeating: UInt8(ascii: " "), count: field.values.count - packet.count)
    image.replaceSubrange(field.values, with: packet + blank)
    return Array(field.bytes)
  }

  /// Writes zeros over what was dropped, wherever nothing that is kept stands.
  private mutating func clear() {
    let kept = Self.merged(kept)
    var next = 0
    for range in Self.merged(dropped) {
      while next < kept.count, kept[next].upperBound <= range.lowerBound { next += 1 }
      var place = range.lowerBound
      var piece = next
      while piece < kept.count, kept[piece].lowerBound < range.upperBound {
        for free in place..<max(place, kept[piece].lowerBound) { image[free] = 0 }
        place = kept[piece].upperBound
        piece += 1
      }
      for free in place..<max(place, range.upperBound) { image[free] = 0 }
    }
  }

  /// The ranges in order, those that touch as one.
  private static func merged(_ ranges: [Range<Int>]) -> [Range<Int>] {
    var merged: [Range<Int>] = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    return merged
  }

  private func number(_ place: Int, _ size: Int) -> Int { Self.number(image, place, size, order) }

  /// 0 where there are not so many bytes.
  private static func number(_ image: [UInt8], _ place: Int, _ size: Int, _ order: ByteOrder) -> Int {
    guard place >= 0, place <= image.count - size else { return 0 }
    return order.number(image[place..<place + size])
  }

  private mutating func set(_ place: Int, to number: Int, _ size: Int) {
    image.replaceSubrange(place..<place + size, with: order.bytes(number, size))
  }
}
