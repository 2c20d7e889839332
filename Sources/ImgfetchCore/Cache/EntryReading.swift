/// The result of reading an entry's file.
enum EntryReading: Sendable {
  case entry(CachedEntry)
  /// No file, or one that must be left alone (a link, a folder, another user's file).
  case nothing
  /// Damaged: to be removed.
  case damaged(FileStatus)
  /// Written in a later version's format, or with a value that only later versions know. It is left alone.
  case newer(version: UInt32)
  /// A file that cannot be read now, because the disk fails, a right is missing, or this process lacks something. It
  /// may be undamaged.
  case unreadable(SystemError)

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
    } catch {
      // These mean that there is no file, or no folder of the cache around it.
      return [.noSuchFile, .notDirectory, .tooManySymbolicLinks].contains(error.code) ? .nothing : .unreadable(error)
    }
    guard folder.trust.trusts(status) else { return .nothing }
    do {
      let reading = try read(
        file, status, key: key, isWhole: withBody && status.size <= wholeLimit,
        isReadOnly: folder.trust.isReadOnly)
      // Another key's entry under this name answers no request.
      if key == nil, case .entry(let entry) = reading, entry.key.path != path { return .damaged(status) }
      return reading
    } catch {
      // An unreadable block is damage like any other. Running out of descriptors or memory is not.
      return error.code == .inputOutput ? .damaged(status) : .unreadable(error)
    }
  }

  private static func open(_ path: String, in folder: CacheFolder) throws(SystemError) -> SharedDescriptor {
    // Non-blocking: a named pipe in an entry's place would otherwise hang the open.
    let flags: OpenFlags = [.read, .noFollow, .nonBlocking]
    do {
      return SharedDescriptor(try folder.namespace.openBeneath(path, [flags, .noAccessTime]))
    } catch {
      // Only the owner may suppress the access time. A read-only cache may be root's.
      guard error.code == .notPermitted, folder.trust.isReadOnly else { throw error }
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
    // In a read-only cache this time is no mark: images of systems are built with such times.
    let isUnmarked = isReadOnly && status.modified == EntryStamp.expired
    let stored = isUnmarked ? WallTime(nanoseconds: 1) : status.modified
    return .entry(
      CachedEntry(
        sharedMetadata: SharedMetadata(metadata), stored: stored, lastUsed: status.accessed,
        body: ImageBody(body, hash: footer.bodyHash),
        stamp: EntryStamp(identity: status.identity, stored: stored), isReadOnly: isReadOnly, file: file))
  }
}

extension EntryReading {
  /// Keys precede the header fields, and few answers have more than this of those.
  private static let tail: Int64 = 64 << 10
  private static let longestKey = 8 << 10

  /// The URL of a damaged entry, so that a message can name it for another fetch, or nil if that is damaged, too. The
  /// file's name is the hash of its key, so a text in the file that hashes to the name is the key, whatever else is
  /// damaged.
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
      // A salt or a variant only appends to the name.
      if path == key.path || path.hasPrefix(key.path + "-") { return key.url }
    }
    return nil
  }

  /// True if a key may begin with the byte: it is a URL, or begins with the mark of a key that was given instead.
  private static func mayBegin(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "h") || byte == UInt8(ascii: "|") }
}
