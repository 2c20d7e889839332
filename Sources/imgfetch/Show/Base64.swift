import ImgfetchCore

/// RFC 4648.
enum Base64 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var at = 0
    while at + 2 < bytes.count {
      let group = UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2])
      for shift in [18, 12, 6, 0] as [UInt32] { text.append(alphabet[Int(group >> shift & 63)]) }
      at += 3
    }
    guard at < bytes.count else { return text }
    let isPair = at + 1 < bytes.count
    let group = UInt32(bytes[at]) << 16 | (isPair ? UInt32(bytes[at + 1]) << 8 : 0)
    text.append(alphabet[Int(group >> 18)])
    text.append(alphabet[Int(group >> 12 & 63)])
    text.append(isPair ? alphabet[Int(group >> 6 & 63)] : UInt8(ascii: "="))
    text.append(UInt8(ascii: "="))
    return text
  }
}
