/// Keeps pages beside a cache: sources of images as they were when last requested, so that they can be requested
/// conditionally.
///
/// Pages are kept in a folder of their own, in the format of entries, and nothing else takes them for images. There are
/// at most ``mostPages`` of them.
package struct PageStore: Sendable {
  package struct KeptPage: Sendable {
    fileprivate let entry: CachedEntry

    package var finalURL: String { entry.metadata.finalURL }
    package var fields: HeaderFields { HeaderFields(encoded: entry.metadata.storedFields.span) }
    /// The kind of addresses that answered on the way.
    package var address: Provenance.Address { entry.metadata.provenance.address }
    package var body: ImageBody { entry.body }
  }

  let location: CacheLocation
  let clock: any Clock

  static let folderName = "pages"
  /// Enough for a large site map index.
  static let mostPages = 2_000

  private func path(_ key: CacheKey) -> String { "\(Self.folderName)/\(key.shard)\(key.fileName)" }

  /// The page of a URL, or nil if none is kept. It is checked while its body is read.
  package func page(_ url: WebURL) -> KeptPage? {
    let key = CacheKey(url: url.canonical)
    guard let folder = location.folder,
      case .entry(let entry) = EntryReading.read(path(key), in: folder, key: key)
    else { return nil }
    return KeptPage(entry: entry)
  }

  /// Keeps a page, if possible.
  ///
  /// - Parameter write: Passes the body on, piece by piece. If it throws, nothing is kept.
  package func keep(
    _ url: WebURL, finalURL: String, _ fields: HeaderFields, from address: Provenance.Address,
    _ write: ((borrowing Span<UInt8>) throws(SystemError) -> Void) throws(SystemError) -> Void
  ) {
    let key = CacheKey(url: url.canonical)
    guard !location.isTrial, var folder = try? location.makeFolder() else { return }
    let temporary = "\(Self.folderName)/\(Processes.identifier).\(UInt64.random(in: .min ... .max))"
    guard
      let file = try? location.openForWriting(
        temporary, shard: Self.folderName, [.write, .create, .exclusive, .noFollow], in: &folder)
    else { return }
    do throws(SystemError) {
      let now = clock.wallTime()
      let metadata = EntryMetadata(
        key: key, finalURL: finalURL, status: 200, fields: fields, requestTime: now, responseTime: now, facts: nil,
        mime: "", verification: .none, provenance: Provenance(address, otherOrigins: nil))
      var hash = ContentHasher()
      var length: Int64 = 0
      try write { (piece) throws(SystemError) in
        hash.update(piece)
        length += Int64(piece.count)
        try file.write(piece)
      }
      guard let trailer = metadata.trailer(bodyLength: length, bodyHash: hash.value) else {
        _ = try folder.namespace.remove(temporary)
        return
      }
      try file.write(trailer.span)
      try folder.namespace.rename(temporary, to: path(key), in: folder.namespace)
    } catch { _ = try? folder.namespace.remove(temporary) }
  }

  /// Removes the pages that were kept first while there are too many.
  package func trim() { Self.trim(location, to: Self.mostPages) }

  /// Removes all pages.
  static func clear(_ location: CacheLocation) { trim(location, to: 0) }

  private static func trim(_ location: CacheLocation, to most: Int) {
    guard let folder = location.folder,
      let pages = try? folder.namespace.open(folderName, [.read, .directory, .noFollow]),
      let names = try? pages.names(), names.count > most
    else { return }
    let aged = names.map { (name: $0, time: (try? pages.status(of: $0))??.modified.nanoseconds ?? 0) }
      .sorted { $0.time < $1.time }
    for page in aged.prefix(names.count - most) { _ = try? pages.remove(page.name) }
  }
}

extension DiskCache {
  /// The pages that are kept beside this cache.
  package var pages: PageStore { PageStore(location: location, clock: clock) }
}
