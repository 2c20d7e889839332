/// Changes in an EXIF block that must not be left as they are once pixels were turned.
enum ExifBlock {
  /// The block with the orientation "upright" in place of what it said. A block that cannot be understood, or says none,
  /// stays as it is.
  static func upright(_ block: [UInt8]) -> [UInt8] {
    let isBigEndian = block.starts(with: [0x4D, 0x4D])
    guard isBigEndian || block.starts(with: [0x49, 0x49]) else { return block }
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place <= block.count - count else { return nil }
      let bytes = block[place..<place + count]
      return isBigEndian ? bytes.reduce(0) { $0 << 8 | Int($1) } : bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    guard let directory = number(4, 4), let entries = number(directory, 2) else { return block }
    for entry in 0..<entries {
      let place = directory + 2 + 12 * entry
      guard let tag = number(place, 2), let kind = number(place + 2, 2) else { return block }
      // Tag 0x0112, one number of 16 bits, which stands in the entry itself.
      guard tag == 0x0112, kind == 3, number(place + 8, 2) != nil else { continue }
      var turned = block
      turned[place + 8] = isBigEndian ? 0 : 1
      turned[place + 9] = isBigEndian ? 1 : 0
      return turned
    }
    return block
  }
}
