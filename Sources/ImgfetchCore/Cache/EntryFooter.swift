/// The last 64 bytes of an entry: the lengths and hashes of its parts.
///
/// The body comes first in the file and the lengths come last. So the body can be written before its length is known,
/// and an image viewer can open the file.
package struct EntryFooter: Hashable, Sendable {
  package var bodyLength: Int64
  package var metadataLength: Int
  package var bodyHash: ContentHash
  package var metadataHash: ContentHash
  /// The format version, which the metadata has, too.
  package var version = Self.version

  package static let length = 64
  /// The version that is written, and the latest that is read. Version and magic number stay at the very end in all
  /// future versions, so that each can recognise the others.
  package static let version: UInt32 = 2
  /// Version 1 has no tagged fields after the metadata.
  static let oldestVersion: UInt32 = 1
  static let magic: UInt64 = 0x6863_7465_6667_6D69  // "imgfetch" as a little-endian number
  /// libcurl accepts at most 300 KB of header fields. A length above this was not written by this program.
  static let maximumMetadataLength = 1 << 20

  package enum Reading: Hashable, Sendable {
    case footer(EntryFooter)
    /// Written by a later version of this program.
    case newer(version: UInt32)
    case damaged
  }

  /// Reads the footer at the end of a file of `fileLength` bytes.
  package static func read(_ bytes: [UInt8], fileLength: Int64) -> Reading {
    guard bytes.count >= length else { return .damaged }
    var reader = ByteReader(bytes, in: (bytes.count - length)..<bytes.count)
    guard let bodyLength = reader.take(Int64.self), let bodyHash = reader.takeHash(),
      let metadataHash = reader.takeHash(), let metadataLength = reader.take(UInt32.self),
      let reserved = reader.take(UInt64.self), let version = reader.take(UInt32.self),
      reader.take(UInt64.self) == magic
    else { return .damaged }
    if version > Self.version { return .newer(version: version) }
    let rest = fileLength - Int64(length) - Int64(metadataLength)
    guard version >= oldestVersion, reserved == 0, metadataLength <= maximumMetadataLength, bodyLength >= 0,
      bodyLength == rest
    else { return .damaged }
    return .footer(
      EntryFooter(
        bodyLength: bodyLength, metadataLength: Int(metadataLength), bodyHash: bodyHash, metadataHash: metadataHash,
        version: version))
  }

  func write(to writer: inout ByteWriter) {
    writer.put(bodyLength)
    writer.put(bodyHash)
    writer.put(metadataHash)
    writer.put(UInt32(clamping: metadataLength))
    writer.put(0 as UInt64)
    writer.put(version)
    writer.put(Self.magic)
  }
}
