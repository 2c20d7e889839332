// For tiers that are no folder: an entry as one piece of bytes, in the format of the files (<doc:CacheFormat>).
extension CachedEntry {
  /// An entry that is in memory.
  ///
  /// - Parameters:
  ///   - body: the image's bytes.
  ///   - metadata: what was kept with them.
  ///   - stored: when the image was downloaded, or last confirmed by its origin.
  public init(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    self.init(
      metadata: metadata, stored: stored, lastUsed: stored, body: body,
      stamp: EntryStamp(identity: FileStatus.Identity(device: 0, inode: 0), stored: stored), isReadOnly: true, file: nil
    )
  }

  /// An entry from what ``EntryMetadata/encoded(with:)`` has made; nil if the bytes are damaged, those of another key, or of a later
  /// version. Everything is checked.
  public init?(encoded bytes: [UInt8], key: CacheKey, stored: WallTime) {
    guard case .footer(let footer) = EntryFooter.read(bytes, fileLength: Int64(bytes.count)) else { return nil }
    let trailer = footer.metadataLength + EntryFooter.length
    guard trailer <= bytes.count, footer.bodyLength == Int64(bytes.count - trailer) else { return nil }
    let range = (bytes.count - trailer)..<(bytes.count - EntryFooter.length)
    guard ContentHash(of: bytes.span.extracting(range)) == footer.metadataHash,
      ContentHash(of: bytes.span.extracting(0..<range.lowerBound)) == footer.bodyHash,
      case .metadata(let metadata) = EntryMetadata.read(bytes, in: range, version: footer.version, expected: key)
    else { return nil }
    let body = ImageBody(.bytes(Array(bytes[..<range.lowerBound])), hash: footer.bodyHash)
    self.init(body, metadata, stored: stored)
  }
}

extension EntryMetadata {
  /// The whole entry as bytes; nil if the body cannot be read, or if the answer's header is longer than an entry may have.
  public func encoded(with body: ImageBody) -> [UInt8]? {
    guard let hash = try? body.contentHash(), let bytes = try? body.bytes(),
      let trailer = trailer(bodyLength: body.count, bodyHash: hash)
    else { return nil }
    return bytes + trailer
  }
}
