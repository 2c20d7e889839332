/// Writes small pictures as PNG without compression: they are sketches of a few hundred pixels.
enum TinyPNG {
  static func bytes(_ picture: ThumbHashPicture) -> [UInt8] {
    var rows: [UInt8] = []
    for y in 0..<picture.height {
      rows.append(0)
      rows += picture.pixels[(y * picture.width * 3)..<((y + 1) * picture.width * 3)]
    }
    var png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    add("IHDR", four(picture.width) + four(picture.height) + [8, 2, 0, 0, 0], to: &png)
    // One stored block: sketches stay far below its 65,535 bytes.
    let count = UInt16(clamping: rows.count)
    let block: [UInt8] = [
      0x78, 0x01, 1, UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: count >> 8),
      UInt8(truncatingIfNeeded: ~count), UInt8(truncatingIfNeeded: ~count >> 8),
    ]
    add("IDAT", block + rows + adler(rows), to: &png)
    add("IEND", [], to: &png)
    return png
  }

  private static func four(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }

  private static func add(_ type: String, _ content: [UInt8], to png: inout [UInt8]) {
    png += four(content.count)
    let checked = Array(type.utf8) + content
    png += checked
    png += four(Int(crc(checked)))
  }

  private static func crc(_ bytes: [UInt8]) -> UInt32 {
    var crc: UInt32 = 0xFFFF_FFFF
    for byte in bytes {
      crc ^= UInt32(byte)
      for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
    }
    return ~crc
  }

  private static func adler(_ bytes: [UInt8]) -> [UInt8] {
    var (a, b): (UInt32, UInt32) = (1, 0)
    for byte in bytes {
      a = (a + UInt32(byte)) % 65_521
      b = (b + a) % 65_521
    }
    return four(Int(b << 16 | a))
  }
}
