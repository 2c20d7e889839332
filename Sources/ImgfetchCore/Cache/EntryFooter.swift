/// The last 64 bytes of an entry: where its parts are and what they must hash to.
///
/// The body comes first in the file and the lengths come last, so that the body can be written while its length is not
/// known yet, and a viewer can open the file as the image that it is.
package struct EntryFooter: Hashable, Sendable {
  package var bodyLength: Int64
  package var metadataLength: Int
  package var bodyHash: ContentHash
  package var metadataHash: ContentHash
  /// Which version the entry is of. The metadata is read by it.
  package var version = Self.version

  package static let length = 64
  /// The version that is written, and the latest that is read. Version and magic stay at the very end in all versions to come, so
  /// that each can tell the others.
  package static let version: UInt32 = 2
  /// Version 1 lacks the tagged fields behind the metadata.
  static let oldestVersion: UInt32 = 1
  static let magic: UInt64 = 0x6863_7465_6667_6D69  // "imgfetch", read as a little-endian number
  /// libcurl takes at most 300 KB of header fields; what claims more than this was not written by us.
  static let maximumMetadataLength = 1 << 20

  package enum Reading: Hashable, Sendable {
    case footer(EntryFooter)
    /// Written by a version of this program that does not exist yet.
    case newer(version: UInt32)
    case damaged
  }

  /// What the end of a file of `fileLength` bytes says.
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
