/// A note for later runs that a URL has failed for good: it was gone, or not an image.
///
/// On disk it is a file beside the entry, in the format of an entry without a body, so that it is checked and compared
/// like one. It does not count as an image. Its modification time is that of the failure. Its access time is in the
/// future: the note expires then, which a cleaner can see without opening it.
package struct FailureNote: Hashable, Sendable {
  /// The server's status: with 404 and 410 the image was gone, with any other the body was not an image.
  package let status: Int
  package let failed: WallTime

  /// True if a note has expired. One from a day or more ahead is void.
  static func isOver(_ status: FileStatus, _ plan: EvictionPlan) -> Bool {
    status.accessed < plan.now || plan.age(of: status.modified) == .infinity
  }
}

extension DiskCache {
  /// The note that a URL failed, if there is one that is at most `seconds` old.
  package func failureNote(of key: CacheKey, within seconds: Double) -> FailureNote? {
    guard let folder = location.folder,
      case .entry(let entry) = EntryReading.read(key.failurePath, in: folder, key: key),
      let age = entry.age(now: clock.wallTime()), age <= seconds
    else { return nil }
    return FailureNote(status: entry.metadata.status, failed: entry.stored)
  }

  /// Notes that a URL has failed for good. The note is valid for at most `seconds`. If it cannot be written, that costs
  /// a request later and is not reported.
  package func noteFailure(of key: CacheKey, status: Int, for seconds: Double) {
    let path = location.privatePath(key)
    guard (try? location.checkSalt(of: key)) != nil, var folder = try? location.makeFolder(),
      let file = try? location.openForWriting(
        path, shard: key.shard, [.write, .create, .exclusive, .noFollow], in: &folder)
    else { return }
    do throws(SystemError) {
      let now = clock.wallTime()
      let metadata = EntryMetadata(
        key: key, finalURL: key.url, status: status, fields: HeaderFields(), requestTime: now, responseTime: now,
        facts: nil, mime: "", verification: .none)
      let nothing: [UInt8] = []
      guard let bytes = metadata.trailer(bodyLength: 0, bodyHash: ContentHash(of: nothing.span)) else { return }
      let end = (Instant(nanoseconds: now.nanoseconds) + .seconds(max(0, seconds))).nanoseconds
      try file.write(bytes.span)
      try file.setTimes(accessed: WallTime(nanoseconds: end), modified: now)
      try folder.namespace.rename(path, to: key.failurePath, in: folder.namespace)
    } catch {
      _ = try? folder.namespace.remove(path)
    }
  }

  /// Removes the note about a URL, because it has turned out to have an image.
  package func removeFailureNote(of key: CacheKey) {
    _ = try? location.folder?.namespace.remove(key.failurePath)
  }
}
