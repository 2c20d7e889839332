// A part becomes an entry: metadata and footer are appended, and the file is renamed. Readers see the old entry or the
// new one, never half of one.
extension Part {
  /// Publishes a body that is in memory: one call writes all of it.
  package func publish(_ metadata: EntryMetadata, body: [UInt8], hash: ContentHash) throws(CacheFailure) {
    try end { () throws(CacheFailure) in
      guard let trailer = metadata.trailer(bodyLength: Int64(body.count), bodyHash: hash) else {
        throw .headerTooLong
      }
      try truncate()
      try CacheFailure.wrapping { () throws(SystemError) in try file.file.write(body.span, trailer.span) }
      try rename(to: metadata.key, length: Int64(body.count + trailer.count))
    }
  }

  /// Publishes the bytes that were written to it. Whether it succeeds or not, ``body`` stays readable. The answer
  /// is checked when it is read, as one that was found.
  package func publish(_ metadata: EntryMetadata, hash: ContentHash) throws(CacheFailure) -> ImageBody {
    let body = body(hash: hash)
    try end { () throws(CacheFailure) in
      guard let trailer = metadata.trailer(bodyLength: body.count, bodyHash: hash) else { throw .headerTooLong }
      try CacheFailure.wrapping { () throws(SystemError) in try file.file.write(trailer.span, at: body.count) }
      try rename(to: metadata.key, length: body.count + Int64(trailer.count))
    }
    return body
  }

  private func end(_ publish: () throws(CacheFailure) -> Void) throws(CacheFailure) {
    guard endOnce() else { return }
    do { try publish() } catch {
      // If it is there it is still ours: the lock is held until the file is closed. A placing that failed half-way has given the name up,
      // and somebody else may have it.
      if let name = try? folder.namespace.status(of: path), name.identity == (try? file.file.status())?.identity {
        _ = try? folder.namespace.remove(path)
      }
      throw error
    }
  }

  /// The entry may be another variant's than the part is: which fields Vary names is known only with the answer.
  private func rename(to key: CacheKey, length: Int64) throws(CacheFailure) {
    removeRecord()
    let replaced: CacheUsage
    do { replaced = try EntryPlacing.place(path, as: key.path, in: folder, privateName: cache.privatePath(key)) } catch
    {
      throw .system(error)
    }
    folder.ledger?.add(shard: key.shardIndex, bytes: length - replaced.bytes, entries: 1 - replaced.entries)
    // The file is an entry by now, and stays open for as long as it is delivered, which others must not wait for who are to ask
    // about it.
    file.file.unlock()
  }
}
