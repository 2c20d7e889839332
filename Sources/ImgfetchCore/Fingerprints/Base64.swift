/// Base64 with its usual alphabet and padding (RFC 4648 §4).
package enum Base64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  package static func bytes(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    var at = 0
    while at + 2 < bytes.count {
      let group = UInt32(bytes[at]) << 16 | UInt32(bytes[at + 1]) << 8 | UInt32(bytes[at + 2])
      for shift in [18, 12, 6, 0] as [UInt32] { text.append(digits[Int(group >> shift & 63)]) }
      at += 3
    }
    guard at < bytes.count else { return text }
    let isPair = at + 1 < bytes.count
    let group = UInt32(bytes[at]) << 16 | (isPair ? UInt32(bytes[at + 1]) << 8 : 0)
    text.append(digits[Int(group >> 18)])
    text.append(digits[Int(group >> 12 & 63)])
    text.append(isPair ? digits[Int(group >> 6 & 63)] : UInt8(ascii: "="))
    text.append(UInt8(ascii: "="))
    return text
  }

  static func text(of bytes: [UInt8]) -> String { String(decoding: Self.bytes(bytes), as: UTF8.self) }
}
