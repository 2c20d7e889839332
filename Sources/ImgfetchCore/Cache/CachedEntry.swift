/// An entry that was found in a cache. The metadata of one on disk is checked, and the body of a small one, too.
///
/// It holds the file that was read, so it stays as it is whatever happens to its name.
public struct CachedEntry: Sendable {
  /// The metadata stored with the image.
  public package(set) var metadata: EntryMetadata {
    get { sharedMetadata.value }
    set { sharedMetadata = SharedMetadata(newValue) }
  }
  /// The same as one reference: entries are passed on as copies, and the metadata has a dozen strings.
  private(set) var sharedMetadata: SharedMetadata
  /// The time at which the image was stored, or last confirmed by its origin.
  public package(set) var stored: WallTime
  /// The time at which the image was last used for an answer.
  package private(set) var lastUsed: WallTime
  /// The image. A large one is checked while it is read: if that fails, everything made from it must be discarded.
  public let body: ImageBody
  package private(set) var stamp: EntryStamp
  /// True if the entry is from a read-only cache.
  package let isReadOnly: Bool
  /// The file that was read, or nil for an entry in memory.
  let file: SharedDescriptor?

  /// True if the origin is to be asked before the entry is served: it is gone, or its successor could not be written.
  var isExpired: Bool { stored == EntryStamp.expired }

  /// The hash of the body. Always known for an entry on disk.
  var bodyHash: ContentHash? { body.knownHash }

  /// The key of the entry.
  public var key: CacheKey { sharedMetadata.value.key }

  /// The seconds since the entry was stored, or nil if its time is so far ahead that it has no meaning, and the entry
  /// counts as expired.
  package func age(now: WallTime) -> Double? { Self.age(of: stored, now: now) }

  func storedAgain(at time: WallTime) -> CachedEntry {
    var entry = self
    (entry.stored, entry.lastUsed) = (time, time)
    entry.stamp = EntryStamp(identity: stamp.identity, stored: time)
    return entry
  }

  /// The same entry, confirmed at that time by an answer with that provenance.
  func confirmed(at time: WallTime, _ provenance: Provenance) -> CachedEntry {
    var entry = storedAgain(at: time)
    entry.metadata.provenance = provenance
    entry.metadata.gone = nil
    return entry
  }

  /// The same entry, with the mark that another entry has for it.
  func marked(_ mark: GoneMark?) -> CachedEntry {
    guard let mark else { return self }
    var entry = self
    entry.metadata.gone = mark
    return entry
  }

  func having(_ metadata: EntryMetadata) -> CachedEntry {
    var entry = self
    entry.metadata = metadata
    return entry
  }

  /// A clock that is a little off, or a file server's, is tolerated. A clock that is a day ahead is wrong.
  static func age(of stored: WallTime, now: WallTime) -> Double? {
    let (nanoseconds, over) = now.nanoseconds.subtractingReportingOverflow(stored.nanoseconds)
    let seconds = Double(nanoseconds) / 1e9
    if over || seconds < -86_400 { return nil }
    return max(0, seconds)
  }
}

// For tiers that are not folders: an entry as one sequence of bytes, in the format of the files (<doc:CacheFormat>).
extension CachedEntry {
  /// Creates an entry in memory.
  ///
  /// - Parameters:
  ///   - body: the image's bytes.
  ///   - metadata: the metadata kept with them.
  ///   - stored: the time at which the image was downloaded, or last confirmed by its origin.
  public init(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    self.init(body, SharedMetadata(metadata), stored: stored, isReadOnly: true)
  }

  init(_ body: ImageBody, _ metadata: SharedMetadata, stored: WallTime, isReadOnly: Bool) {
    self.init(
      sharedMetadata: metadata, stored: stored, lastUsed: stored, body: body,
      stamp: EntryStamp(identity: FileStatus.Identity(device: 0, inode: 0), stored: stored), isReadOnly: isReadOnly,
      file: nil)
  }

  /// Decodes the output of ``EntryMetadata/encoded(with:)``, or returns nil if the bytes are damaged, those of another
  /// key, or of a later version. Everything is checked.
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
