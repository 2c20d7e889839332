/// Checks that a document's bytes are UTF-8, unless it says that it is in another encoding.
struct UTF8Check: Sendable {
  private var isOther = false
  private var missing = 0
  /// The bytes that may come next, which exclude overlong forms, halves of pairs and numbers beyond Unicode.
  private var range: ClosedRange<UInt8> = 0x80...0xBF

  mutating func take(_ byte: UInt8) throws(WalkFault) {
    guard !isOther, byte >= 0x80 || missing > 0 else { return }
    if missing > 0 {
      guard range ~= byte else { throw WalkFault("bytes that are not UTF-8") }
      missing -= 1
      range = 0x80...0xBF
      return
    }
    switch byte {
    case 0xC2...0xDF: missing = 1
    case 0xE0: (missing, range) = (2, 0xA0...0xBF)
    case 0xED: (missing, range) = (2, 0x80...0x9F)
    case 0xE1...0xEF: missing = 2
    case 0xF0: (missing, range) = (3, 0x90...0xBF)
    case 0xF4: (missing, range) = (3, 0x80...0x8F)
    case 0xF1...0xF3: missing = 3
    default: throw WalkFault("bytes that are not UTF-8")
    }
  }

  /// Reads the encoding from the content of `<?xml …?>`.
  mutating func read(declaration: [UInt8]) {
    guard declaration.starts(with: "xml".utf8),
      let place = declaration.indices.first(where: { declaration[$0...].starts(with: "encoding".utf8) })
    else { return }
    let name = String(decoding: declaration[(place + 8)...], as: UTF8.self).lowercased()
      .drop { " \t\r\n=\"'".contains($0) }.prefix { !"\"' ?".contains($0) }
    isOther = !["utf-8", "utf8", "us-ascii", "ascii"].contains(String(name))
  }
}
