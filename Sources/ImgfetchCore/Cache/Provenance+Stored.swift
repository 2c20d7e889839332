// The stored form, as tagged fields.
extension Provenance {
  private enum Tag {
    static let address: UInt16 = 1
    static let origins: UInt16 = 2
  }

  func write(to writer: inout ByteWriter) {
    if address != .unknown {
      writer.put(tag: Tag.address, length: 1)
      writer.put(address.rawValue)
    }
    guard let otherOrigins else { return }
    writer.put(tag: Tag.origins, length: otherOrigins.reduce(0) { $0 + 4 + $1.utf8.count })
    for origin in otherOrigins { writer.put(origin) }
  }

  /// Decodes a field if it is one of these. An unreadable one counts as missing.
  mutating func take(_ tag: UInt16, _ bytes: ArraySlice<UInt8>) {
    switch tag {
    case Tag.address: address = bytes.first.flatMap(Address.init(rawValue:)) ?? .unknown
    case Tag.origins: otherOrigins = ByteReader.texts(in: bytes)
    default: break
    }
  }
}
