/// Neal Krawetz's difference hash: whether each of 8 x 8 pixels of a tiny grey picture is darker
/// than its right neighbour.
enum DifferenceHash {
  static func text(of picture: GreyPicture) -> String {
    let grey = TinyPicture(picture, PixelSize(9, 8))
    return HashBits.hex(
      (0..<64).map { bit in
        let place = bit / 8 * 9 + bit % 8
        return grey.pixels[place + 1] > grey.pixels[place]
      })
  }
}

/// The text of a hash of 64 bits.
enum HashBits {
  /// 64 bits as 16 digits, the first one highest.
  static func hex(_ bits: [Bool]) -> String {
    let value = bits.reduce(0 as UInt64) { $0 << 1 | ($1 ? 1 : 0) }
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.utf8.count) + digits
  }
}
