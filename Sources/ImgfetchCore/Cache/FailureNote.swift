/// That a URL failed for good, noted for runs to come: it was gone, or no image.
///
/// On disk it is a file beside the entry, in the format of an entry without a body, so that it is checked and compared as an
/// entry is. It is no image, and is not counted as one. Its modification time is that of the failure; its access time lies
/// ahead and says until when it counts at the longest, so that a cleaner need not open it.
package struct FailureNote: Hashable, Sendable {
  /// What the server answered; 404 and 410 are the failure, with anything else the body was no image.
  package let status: Int
  package let failed: WallTime

  package init(status: Int, failed: WallTime) {
    self.status = status
    self.failed = failed
  }

  /// Whether a note has had its time. One from a day ahead or more says nothing.
  static func isOver(_ status: FileStatus, _ plan: EvictionPlan) -> Bool {
    status.accessed < plan.now || plan.age(of: status.modified) == .infinity
  }
}

extension DiskCache {
  /// What is noted of a URL, if that is at most `seconds` old.
  package func failureNote(of key: CacheKey, within seconds: Double) -> FailureNote? {
    guard let folder,
      case .entry(let entry) = EntryReading.read(key.failurePath, in: folder, key: key),
      let age = entry.age(now: clock.wallTime()), age <= seconds
    else { return nil }
    return FailureNote(status: entry.metadata.status, failed: entry.stored)
  }

  /// Notes that a URL has failed for good, for at most so many seconds. What goes wrong costs a request later on, and is not
  /// told.
  package func noteFailure(of key: CacheKey, status: Int, for seconds: Double) {
    guard let temporary = try? openNote(key) else { return }
    do throws(CacheFailure) {
      let now = clock.wallTime()
      let metadata = EntryMetadata(
        key: key, finalURL: key.url, status: status, fields: HeaderFields(), requestTime: now, responseTime: now,
        facts: nil, mime: "", verification: .none)
      let nothing: [UInt8] = []
      guard let bytes = metadata.trailer(bodyLength: 0, bodyHash: ContentHash(of: nothing.span)) else { return }
      let end = (Instant(nanoseconds: now.nanoseconds) + .seconds(max(0, seconds))).nanoseconds
      try CacheFailure.wrapping { () throws(SystemError) in
        try temporary.file.write(bytes.span)
        try temporary.file.setTimes(accessed: WallTime(nanoseconds: end), modified: now)
        try temporary.folder.namespace.rename(temporary.path, to: key.failurePath, in: temporary.folder.namespace)
      }
    } catch {
      _ = try? temporary.folder.namespace.remove(temporary.path)
    }
  }

  /// The URL has turned out to have an image after all.
  package func removeFailureNote(of key: CacheKey) { _ = try? folder?.namespace.remove(key.failurePath) }

  private struct Temporary: ~Copyable {
    let file: Descriptor
    let folder: CacheFolder
    let path: String
  }

  private func openNote(_ key: CacheKey) throws(CacheFailure) -> Temporary {
    var folder = try makeFolder()
    let path = privatePath(key)
    let file = try openForWriting(path, shard: key.shard, [.write, .create, .exclusive, .noFollow], in: &folder)
    return Temporary(file: file, folder: folder, path: path)
  }
}
