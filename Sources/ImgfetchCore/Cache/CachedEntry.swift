/// An entry that was found in a cache. The metadata of one on disk is checked, and the body of a small one, too.
///
/// It holds the file that was read, so it stays as it is whatever happens to its name.
public struct CachedEntry: Sendable {
  /// The metadata stored with the image.
  public package(set) var metadata: EntryMetadata
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

  /// The hash of the body. Always known for an entry on disk.
  var bodyHash: ContentHash? { body.knownHash }

  /// The key of the entry.
  public var key: CacheKey { metadata.key }

  /// The seconds since the entry was stored, or nil if its time is so far ahead that it means nothing, and the
  /// entry counts as expired.
  package func age(now: WallTime) -> Double? { Self.age(of: stored, now: now) }

  func storedAgain(at time: WallTime) -> CachedEntry {
    var entry = self
    (entry.stored, entry.lastUsed) = (time, time)
    entry.stamp = EntryStamp(identity: stamp.identity, stored: time)
    return entry
  }

  /// The same, right at that time, by that way.
  func confirmed(at time: WallTime, _ provenance: Provenance) -> CachedEntry {
    var entry = storedAgain(at: time)
    entry.metadata.provenance = provenance
    entry.metadata.gone = nil
    return entry
  }

  /// The same, with the mark that another entry has for it.
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

  /// A clock that is a little off, or a file server's, is tolerated. One that is a day ahead is wrong.
  static func age(of stored: WallTime, now: WallTime) -> Double? {
    let (nanoseconds, over) = now.nanoseconds.subtractingReportingOverflow(stored.nanoseconds)
    let seconds = Double(nanoseconds) / 1e9
    if over || seconds < -86_400 { return nil }
    return max(0, seconds)
  }
}

/// Identifies the state of an entry: another file, or another time of the same file, is a later state. In memory, where
/// there is no file, the identity is zero.
package struct EntryStamp: Hashable, Sendable {
  package let identity: FileStatus.Identity
  package let stored: WallTime
}

enum EntryReading: Sendable {
  case entry(CachedEntry)
  /// No file, or one that is not ours to judge (a link, a folder, another user's file).
  case nothing
  /// Damaged: to be removed.
  case damaged(FileStatus)
  /// Written in a later version's format, or with a value that only later versions know. It is left alone.
  case newer(version: UInt32)

  /// Entries up to this size are read with one call and checked at once. The body of a larger one stays in the file.
  /// Four times the usual image, and small enough that a hundred of them in flight fit the promised memory.
  static let wholeLimit: Int64 = 256 << 10
  /// The bytes that are read first of a larger file: enough for the footer and metadata of nearly every answer.
  static let usualTrailer = 2 << 10

  /// Reads the file at `path` in the namespace.
  ///
  /// - Parameters:
  ///   - key: the expected key, or nil for any key that belongs under that name.
  ///   - withBody: true if the body of a small entry is read and checked at once.
  static func read(
    _ path: String, in folder: CacheFolder, key: CacheKey?, withBody: Bool = true
  ) -> EntryReading {
    let file: SharedDescriptor
    let status: FileStatus
    do {
      file = try open(path, in: folder)
      status = try file.file.status()
    } catch { return .nothing }
    guard folder.trust.trusts(status) else { return .nothing }
    do {
      let reading = try read(
        file, status, key: key, isWhole: withBody && status.size <= wholeLimit,
        isReadOnly: folder.trust.isReadOnlyTier)
      // Another key's entry under this name answers no request.
      if key == nil, case .entry(let entry) = reading, entry.key.path != path { return .damaged(status) }
      return reading
    } catch {
      // An unreadable block is damage like any other. Running out of descriptors or memory is not.
      return error.code == .inputOutput ? .damaged(status) : .nothing
    }
  }

  private static func open(_ path: String, in folder: CacheFolder) throws(SystemError) -> SharedDescriptor {
    // Non-blocking: a named pipe in an entry's place would otherwise hang the open.
    let flags: OpenFlags = [.read, .noFollow, .nonBlocking]
    do {
      return SharedDescriptor(try folder.namespace.openBeneath(path, [flags, .noAccessTime]))
    } catch {
      // Only the owner may suppress the access time. A read-only cache may be root's.
      guard error.code == .notPermitted, folder.trust.isReadOnlyTier else { throw error }
      return SharedDescriptor(try folder.namespace.openBeneath(path, flags))
    }
  }

  private static func read(
    _ file: SharedDescriptor, _ status: FileStatus, key: CacheKey?, isWhole: Bool, isReadOnly: Bool
  ) throws(SystemError) -> EntryReading {
    var bytes: [UInt8] = []
    var start = isWhole ? 0 : max(0, status.size - Int64(usualTrailer))
    _ = try file.file.read(into: &bytes, count: Int(status.size - start), at: start)
    let footer: EntryFooter
    switch EntryFooter.read(bytes, fileLength: start + Int64(bytes.count)) {
    case .footer(let found): footer = found
    case .newer(let version): return .newer(version: version)
    case .damaged: return .damaged(status)
    }
    let trailer = footer.metadataLength + EntryFooter.length
    if trailer > bytes.count {
      start = status.size - Int64(trailer)
      bytes.removeAll(keepingCapacity: true)
      _ = try file.file.read(into: &bytes, count: trailer, at: start)
      guard bytes.count == trailer else { return .damaged(status) }
    }
    let range = (bytes.count - trailer)..<(bytes.count - EntryFooter.length)
    guard ContentHash(of: bytes.span.extracting(range)) == footer.metadataHash else { return .damaged(status) }
    let metadata: EntryMetadata
    switch EntryMetadata.read(bytes, in: range, version: footer.version, expected: key) {
    case .metadata(let found): metadata = found
    case .newer: return .newer(version: footer.version)
    // The hash is right, so it is another key's with the same hash, or was written by no version. Either way it is not
    // this image.
    case .damaged: return .damaged(status)
    }
    if isWhole {
      bytes.removeLast(trailer)
      guard ContentHash(of: bytes.span) == footer.bodyHash else { return .damaged(status) }
    }
    let body: ImageBody.Content =
      isWhole
      ? .bytes(bytes)
      : .file(ImageBody.Stored(descriptor: file, length: footer.bodyLength, expectedHash: footer.bodyHash))
    return .entry(
      CachedEntry(
        metadata: metadata, stored: status.modified, lastUsed: status.accessed,
        body: ImageBody(body, hash: footer.bodyHash),
        stamp: EntryStamp(identity: status.identity, stored: status.modified), isReadOnly: isReadOnly,
        file: file))
  }
}

extension EntryReading {
  /// Keys precede the header fields, and few answers have more than this of those.
  private static let tail: Int64 = 64 << 10
  private static let longestKey = 8 << 10

  /// The URL of a damaged entry, so that a message can name it for another fetch, or nil if it is damaged,
  /// too. The file's name is the hash of its key. So a text in the file that hashes to the name is the
  /// key, whatever else is wrong.
  static func salvagedURL(_ path: String, in folder: CacheFolder) -> String? {
    var bytes: [UInt8] = []
    guard
      let file = try? folder.namespace.openBeneath(path, [.read, .noFollow, .nonBlocking, .noAccessTime]),
      let status = try? file.status(), folder.trust.trusts(status),
      let count = try? file.read(into: &bytes, count: Int(min(tail, status.size)), at: max(0, status.size - tail)),
      count > 4
    else { return nil }
    for place in 4..<count where mayBegin(bytes[place]) {
      var reader = ByteReader(bytes, in: (place - 4)..<count)
      guard let length = reader.take(UInt32.self), length > 0, length <= longestKey,
        let raw = reader.takeRaw(Int(length))
      else { continue }
      let key = CacheKey(url: String(decoding: raw, as: UTF8.self))
      // A salt or a variant only adds to the name.
      if path == key.path || path.hasPrefix(key.path + "-") { return key.url }
    }
    return nil
  }

  /// True if a key may begin with the byte: it is a URL, or begins with the mark of a key that was given instead.
  private static func mayBegin(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "h") || byte == UInt8(ascii: "|") }
}

// For tiers that are no folder: an entry as one piece of bytes, in the format of the files (<doc:CacheFormat>).
extension CachedEntry {
  /// Creates an entry in memory.
  ///
  /// - Parameters:
  ///   - body: the image's bytes.
  ///   - metadata: the metadata kept with them.
  ///   - stored: the time at which the image was downloaded, or last confirmed by its origin.
  public init(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    self.init(
      metadata: metadata, stored: stored, lastUsed: stored, body: body,
      stamp: EntryStamp(identity: FileStatus.Identity(device: 0, inode: 0), stored: stored), isReadOnly: true, file: nil
    )
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
