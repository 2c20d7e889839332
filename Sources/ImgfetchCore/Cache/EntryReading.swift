/// What was found under an entry's name.
enum EntryReading: Sendable {
  case entry(CachedEntry)
  /// Nothing, or nothing that is ours to judge (a link, a folder, another user's file).
  case nothing
  /// Not what it should be: to be removed.
  case damaged(FileStatus)
  /// Of a later version's format, or with a value in it that only later programs know: to be left alone.
  case newer(version: UInt32)

  /// Up to this an entry is read whole with one call and checked at once; beyond it the body stays in the file. Four
  /// times the usual picture, and small enough that a hundred of them in flight fit the memory that is promised.
  static let wholeLimit: Int64 = 256 << 10
  /// What is read first of a larger file: the footer and metadata of nearly every answer.
  static let usualTrailer = 2 << 10

  /// Reads the file at `path` in the namespace.
  ///
  /// - Parameters:
  ///   - key: whose it must be; nil: whoever's belongs under that name.
  ///   - withBody: whether the body of a small one is read and checked at once.
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
      // Another key's entry under this name is no answer to anybody.
      if key == nil, case .entry(let entry) = reading, entry.key.path != path { return .damaged(status) }
      return reading
    } catch {
      // An unreadable block is damage as any other; running out of descriptors or memory is none.
      return error.code == .inputOutput ? .damaged(status) : .nothing
    }
  }

  private static func open(_ path: String, in folder: CacheFolder) throws(SystemError) -> SharedDescriptor {
    // Not blocking: a named pipe in an entry's place would else hang the open.
    let flags: OpenFlags = [.read, .noFollow, .nonBlocking]
    do {
      return SharedDescriptor(try folder.namespace.openBeneath(path, [flags, .noAccessTime]))
    } catch {
      // Only the owner may leave the access time alone; a read-only tier may be root's.
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
    // Whole, so it is another key's with the same hash, or what no version writes. Either way it is not this image.
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
        bodyHash: footer.bodyHash, file: file))
  }
}
