/// The tar format as shards use it: ustar (POSIX.1-1988), with a pax header for a size that does not fit.
///
/// A writer of our own, since it is a header of 512 bytes with fixed values. libarchive would be 0.8 MB and nine
/// libraries, and its output depends on its version; a shard's bytes must be the same on every machine.
package enum TarFormat {
  /// Everything in a tar file takes a multiple of this.
  package static let block = 512
  /// Two blocks of zeros end a file. No further padding: it says nothing, and readers need none.
  package static let end = [UInt8](repeating: 0, count: 2 * block)

  /// The largest size that eleven octal digits hold: 8 GiB less one.
  private static let greatestSize: Int64 = 0o77_777_777_777
  /// The length of a name in the header. Names of shards' members are far shorter.
  private static let nameLength = 100
  /// 1980-01-01, the earliest time that every archive format holds. GNU tar warns of older ones.
  private static let time: Int64 = 315_532_800

  /// The bytes before those of a member.
  package static func header(_ name: String, size: Int64) -> [UInt8] {
    if size <= greatestSize { return block(name, size: size, kind: UInt8(ascii: "0")) }
    // The length of a record counts its own digits, which are two.
    let record = Array("size=\(size)\n".utf8)
    let text = Array("\(record.count + 3) ".utf8) + record
    return block("PaxHeaders/" + name, size: Int64(text.count), kind: UInt8(ascii: "x")) + text
      + [UInt8](repeating: 0, count: padding(after: Int64(text.count)))
      + block(name, size: 0, kind: UInt8(ascii: "0"))
  }

  /// The number of zeros that follow `size` bytes.
  package static func padding(after size: Int64) -> Int { Int((Int64(block) - size % Int64(block)) % Int64(block)) }

  private static func block(_ name: String, size: Int64, kind: UInt8) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: block)
    func put(_ text: some Sequence<UInt8>, at place: Int, room: Int) {
      for (at, byte) in text.enumerated() where at < room { bytes[place + at] = byte }
    }
    func put(octal value: Int64, at place: Int, digits: Int) {
      var rest = value
      for at in (0..<digits).reversed() {
        bytes[place + at] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest & 7)
        rest >>= 3
      }
    }
    put(name.utf8, at: 0, room: nameLength)
    put(octal: 0o644, at: 100, digits: 7)
    put(octal: 0, at: 108, digits: 7)
    put(octal: 0, at: 116, digits: 7)
    put(octal: size, at: 124, digits: 11)
    put(octal: time, at: 136, digits: 11)
    bytes[156] = kind
    put("ustar\0".utf8, at: 257, room: 6)
    put("00".utf8, at: 263, room: 2)
    put(octal: 0, at: 329, digits: 7)
    put(octal: 0, at: 337, digits: 7)
    // The sum counts its own field as blanks.
    put([UInt8](repeating: UInt8(ascii: " "), count: 8), at: 148, room: 8)
    let sum = bytes.reduce(into: Int64(0)) { $0 += Int64($1) }
    put(octal: sum, at: 148, digits: 6)
    bytes[154] = 0
    return bytes
  }
}

/// A member of a tar file: its name, and where its bytes are.
package struct TarMember: Hashable, Sendable {
  package let name: String
  package let offset: Int64
  package let size: Int64

  /// The place at which the next header begins.
  package var end: Int64 { offset + size + Int64(TarFormat.padding(after: size)) }
}

extension TarFormat {
  /// The meaning of a header.
  enum Header: Equatable {
    case member(name: String, size: Int64)
    /// The next header's size is in the bytes that follow.
    case extended(size: Int64)
    case end
  }

  /// The header in a block, or nil if it is none of a file that was written here.
  static func parse(_ bytes: [UInt8]) -> Header? {
    guard bytes.count == block else { return nil }
    if bytes.allSatisfy({ $0 == 0 }) { return .end }
    guard bytes[257..<262].elementsEqual("ustar".utf8) else { return nil }
    let name = String(decoding: bytes[0..<nameLength].prefix { $0 != 0 }, as: UTF8.self)
    guard let size = octal(bytes[124..<135]) else { return nil }
    switch bytes[156] {
    case UInt8(ascii: "0"): return .member(name: name, size: size)
    case UInt8(ascii: "x"): return .extended(size: size)
    default: return nil
    }
  }

  /// The size in the text of a pax header, or nil if there is none.
  static func extendedSize(in text: [UInt8]) -> Int64? {
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")), text[..<equals].reversed().starts(with: "ezis ".utf8)
    else { return nil }
    let digits = text[(equals + 1)...].prefix { $0 != UInt8(ascii: "\n") }
    return Int64(String(decoding: digits, as: UTF8.self))
  }

  private static func octal(_ digits: ArraySlice<UInt8>) -> Int64? {
    var value: Int64 = 0
    for digit in digits {
      guard digit >= UInt8(ascii: "0"), digit <= UInt8(ascii: "7") else { return nil }
      value = value << 3 | Int64(digit - UInt8(ascii: "0"))
    }
    return value
  }
}
