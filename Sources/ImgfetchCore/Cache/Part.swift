import Synchronization

/// A download that is to become an entry: the file that its bytes are written to, and the lock on it.
///
/// While this object exists, no other process writes, renames or removes the file. One job at a time may use it. It
/// ends with ``publish(_:body:hash:times:)``, ``publish(_:hash:times:)`` or ``abandon(keepForResume:)``, and is
/// abandoned if it is dropped without one of these.
package final class Part: Sendable {
  package let key: CacheKey
  /// True if the part is private to this process: it is neither waited for nor resumed.
  package let isPrivate: Bool
  let folder: CacheFolder
  let file: SharedDescriptor
  let path: String
  let cache: CacheLocation
  private let clock: any Clock
  private let written: Atomic<Int64>
  private let hasRecord: Atomic<Bool>
  private let over = Atomic<Bool>(false)

  init(
    key: CacheKey, isPrivate: Bool, path: String, folder: CacheFolder, file: SharedDescriptor, length: Int64,
    cache: CacheLocation, clock: any Clock
  ) {
    self.key = key
    self.isPrivate = isPrivate
    self.path = path
    self.folder = folder
    self.file = file
    self.cache = cache
    self.clock = clock
    written = Atomic(length)
    hasRecord = Atomic(length > 0)
  }

  deinit { abandon(keepForResume: hasRecord.load(ordering: .relaxed)) }

  /// The number of its bytes.
  package var length: Int64 { written.load(ordering: .relaxed) }

  /// The record that is needed to resume the download, or nil if it cannot be resumed.
  package var resume: ResumeRecord? {
    guard length > 0, let bytes = file.file.attribute(ResumeRecord.attribute) else { return nil }
    return ResumeRecord(encoded: bytes)
  }

  package func write(_ bytes: borrowing Span<UInt8>) throws(CacheFailure) {
    let place = length
    do { try file.file.write(bytes, at: place) } catch { throw .system(error) }
    written.store(place + Int64(bytes.count), ordering: .relaxed)
  }

  /// Copies the first `count` bytes of another file, inside the kernel if it can.
  func copy(_ source: ImageBody.Stored, count: Int64) throws(CacheFailure) {
    let place = length
    let copied: Int
    do { copied = try source.copy(from: 0, count: Int(count), to: file.file, at: place) } catch {
      throw .system(error)
    }
    guard Int64(copied) == count else { throw .damaged }
    written.store(place + count, ordering: .relaxed)
  }

  /// Drops the bytes after the first `count`. If none are left, the resume record goes, too: it must never be found
  /// beside the bytes of another answer.
  package func truncate(to count: Int64 = 0) throws(CacheFailure) {
    do throws(SystemError) {
      if count == 0 { try removeRecord() }
      if count == length { return }
      try file.file.truncate(to: count)
    } catch { throw .system(error) }
    written.store(count, ordering: .relaxed)
  }

  /// Makes the download resumable, even if this process is killed. Returns false if the file system has no attributes,
  /// or the record is too long for one. The download then starts over.
  @discardableResult
  package func saveResume(_ record: ResumeRecord) -> Bool {
    guard !isPrivate, let bytes = record.encoded else { return false }
    // Set before the call: a record that was set only partly must be removed, too. Without one the part
    // would be kept for nothing.
    let hadRecord = hasRecord.exchange(true, ordering: .relaxed)
    do { try file.file.setAttribute(ResumeRecord.attribute, to: bytes) } catch {
      if !hadRecord { try? removeRecord() }
      return false
    }
    return true
  }

  /// True if a file takes room on the same disk.
  func isOnDisk(of other: SharedDescriptor) -> Bool {
    guard let disk = try? file.file.status().identity.device else { return false }
    return (try? other.file.status().identity.device) == disk
  }

  /// Writes the bytes so far to the disk.
  package func sync() throws(CacheFailure) {
    do { try file.file.synchronize() } catch { throw .system(error) }
  }

  /// The bytes so far, as a body that stays readable after the part has ended.
  package var body: ImageBody { body(hash: nil) }

  /// The same with the hash of the written bytes. Other processes can reach the file, too, so it is
  /// checked when it is read.
  func body(hash: ContentHash?) -> ImageBody {
    ImageBody(.file(ImageBody.Stored(descriptor: file, length: length, expectedHash: hash)))
  }

  /// Ends the part without an entry. The file is kept only if ``saveResume(_:)`` has made the download resumable.
  package func abandon(keepForResume: Bool) {
    guard endOnce() else { return }
    if keepForResume, !isPrivate, hasRecord.load(ordering: .relaxed), length > 0 {
      // The next process may resume it, even if the file is still open elsewhere.
      file.file.unlock()
    } else {
      _ = try? folder.namespace.remove(path)
    }
  }

  /// Ends the part. Returns false if it had ended already.
  func endOnce() -> Bool { !over.exchange(true, ordering: .relaxed) }

  func removeRecord() throws(SystemError) {
    guard hasRecord.load(ordering: .relaxed) else { return }
    try file.file.removeAttribute(ResumeRecord.attribute)
    hasRecord.store(false, ordering: .relaxed)
  }
}

// Publishing: metadata and footer are appended, and the file is renamed. Readers see the old entry or the new one,
// never half of one.
extension Part {
  /// The times at which an entry was stored and last used, if that is not now.
  package typealias Times = (stored: WallTime, used: WallTime)

  /// Publishes a body that is in memory. It is written with one system call.
  package func publish(
    _ metadata: EntryMetadata, body: [UInt8], hash: ContentHash, times: Times? = nil
  ) throws(CacheFailure) {
    try end { () throws(CacheFailure) in
      guard let trailer = metadata.trailer(bodyLength: Int64(body.count), bodyHash: hash) else { throw .headerTooLong }
      try truncate()
      try CacheFailure.wrapping { () throws(SystemError) in try file.file.write(body.span, trailer.span) }
      try set(times)
      try rename(to: metadata, length: Int64(body.count + trailer.count), isOfNow: times == nil)
    }
  }

  /// Publishes the bytes that were written to the part. ``body`` stays readable even if that fails. Returns the body,
  /// which is checked when it is read, like that of an entry that was found.
  package func publish(
    _ metadata: EntryMetadata, hash: ContentHash, times: Times? = nil
  ) throws(CacheFailure) -> ImageBody {
    let body = body(hash: hash)
    try end { () throws(CacheFailure) in
      guard let trailer = metadata.trailer(bodyLength: body.count, bodyHash: hash) else { throw .headerTooLong }
      try CacheFailure.wrapping { () throws(SystemError) in try file.file.write(trailer.span, at: body.count) }
      try set(times)
      try rename(to: metadata, length: body.count + Int64(trailer.count), isOfNow: times == nil)
    }
    return body
  }

  /// Publishes the first `length` bytes of a body that is in memory or in another file.
  func publish(
    _ metadata: EntryMetadata, _ body: ImageBody, length: Int64, hash: ContentHash, times: Times?
  ) throws(CacheFailure) {
    switch body.content {
    case .bytes(let bytes):
      let isWhole = length == Int64(bytes.count)
      try publish(metadata, body: isWhole ? bytes : Array(bytes.prefix(Int(length))), hash: hash, times: times)
    case .file(let stored):
      try copy(stored, count: length)
      _ = try publish(metadata, hash: hash, times: times)
    }
  }

  /// Sets the times before the file has its name, so that it never looks younger than it is. Rather no entry than one
  /// that is served as fresh for longer than it may be.
  private func set(_ times: Times?) throws(CacheFailure) {
    guard let times else { return }
    do { try file.file.setTimes(accessed: times.used, modified: times.stored) } catch { throw .system(error) }
  }

  private func end(_ publish: () throws(CacheFailure) -> Void) throws(CacheFailure) {
    guard endOnce() else { return }
    do { try publish() } catch {
      // If it still has its name, it is this part's: the lock is held until the file is closed. A renaming that failed
      // half-way has given up the name, and another process may have it.
      if let name = try? folder.namespace.status(of: path), name.identity == (try? file.file.status())?.identity {
        _ = try? folder.namespace.remove(path)
      }
      throw error
    }
  }

  /// Renames the part to the entry, which may be of another variant: the fields that Vary names are
  /// known only with the answer.
  private func rename(to metadata: EntryMetadata, length: Int64, isOfNow: Bool) throws(CacheFailure) {
    let key = metadata.key
    // A record that stays does no harm: a download is never resumed from an entry.
    try? removeRecord()
    do {
      let outcome = try EntryPlacing.place(
        path, as: key.path, in: folder, privateName: cache.privatePath(key), unless: isOfNow && isOutdated(metadata))
      if case .replaced(let replaced) = outcome {
        folder.ledger?.add(shard: key.shardIndex, bytes: length - replaced.bytes, entries: 1 - replaced.entries)
      }
    } catch {
      throw .system(error)
    }
    // The file is an entry now, and stays open while it is delivered. Other processes that want to ask the origin about
    // it must not wait for that.
    file.file.unlock()
  }

  /// True if the entry that is there was asked for when this answer had come already: a process that was stopped for
  /// hours must not replace a newer image when it continues. One of the future is a clock's mistake.
  private func isOutdated(_ metadata: EntryMetadata) -> Bool {
    let reading = EntryReading.read(metadata.key.path, in: folder, key: metadata.key, withBody: false)
    guard case .entry(let entry) = reading else { return false }
    let asked = entry.metadata.requestTime
    return asked > metadata.responseTime && asked <= clock.wallTime()
  }
}
