import CZlib
import Glibc

/// Draws pictures for the scenarios: PNGs of noise, each another one, every one of `size` bytes or a little more.
struct Pictures {
  let folder: String
  let count: Int
  let size: Int

  func draw() -> Bool {
    // Three bytes a pixel, and noise does not get smaller.
    let side = max(1, Int((Double(size) / 3).squareRoot()))
    for number in 1...max(1, count) {
      let bytes = picture(number, side: side)
      let file = open("\(folder)/p\(number).png", O_WRONLY | O_CREAT | O_TRUNC, 0o644)
      guard file >= 0 else { return false }
      defer { close(file) }
      var done = 0
      while done < bytes.count {
        let wrote = bytes.withUnsafeBytes { left in
          write(file, left.baseAddress.map { $0 + done }, bytes.count - done)
        }
        guard wrote > 0 else { return false }
        done += wrote
      }
    }
    return true
  }

  private func picture(_ number: Int, side: Int) -> [UInt8] {
    var header = Self.bigEndian(UInt32(side)) + Self.bigEndian(UInt32(side))
    header += [8, 2, 0, 0, 0]  // 8 bits, red, green and blue; nothing unusual.
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + Self.chunk("IHDR", header)
      + Self.chunk("IDAT", Self.stored(noise(number, side: side))) + Self.chunk("IEND", [])
  }

  /// Rows of pixels, each behind a zero: unfiltered.
  private func noise(_ seed: Int, side: Int) -> [UInt8] {
    var state = UInt64(truncatingIfNeeded: seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    var rows: [UInt8] = []
    rows.reserveCapacity(side * (side * 3 + 1))
    for _ in 0..<side {
      rows.append(0)
      for _ in 0..<side * 3 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        rows.append(UInt8(truncatingIfNeeded: state >> 24))
      }
    }
    return rows
  }

  /// The form in which zlib stores uncompressed bytes.
  private static func stored(_ bytes: [UInt8]) -> [UInt8] {
    var length = compressBound(uLong(bytes.count))
    var output = [UInt8](repeating: 0, count: Int(length))
    _ = compress2(&output, &length, bytes, uLong(bytes.count), Z_NO_COMPRESSION)
    return Array(output.prefix(Int(length)))
  }

  private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    let named = Array(name.utf8) + content
    return bigEndian(UInt32(content.count)) + named + bigEndian(UInt32(crc32(0, named, uInt(named.count))))
  }

  private static func bigEndian(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }
}
