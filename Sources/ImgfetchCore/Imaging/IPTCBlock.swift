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
    let size = ByteOrder.big.bytes(length, 4)
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
