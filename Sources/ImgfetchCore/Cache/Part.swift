import Synchronization

/// A download on its way to becoming an entry: the file that its bytes are written to, and the lock on it.
///
/// While this exists, no other process writes, renames or removes the file. It is confined to one job at a time; it ends
/// by ``publish(_:body:hash:)``, ``publish(_:hash:)`` or ``abandon(keepForResume:)``, and if nobody says anything it is
/// abandoned when it is let go of.
package final class Part: Sendable {
  package let key: CacheKey
  /// Whether others wait on it; a private one is this process's alone, and nobody resumes it.
  package let isPrivate: Bool
  let folder: CacheFolder
  let file: SharedDescriptor
  /// Its name, in the entry's folder.
  let path: String
  let cache: DiskCache
  private let written: Atomic<Int64>
  private let hasRecord: Atomic<Bool>
  private let over = Atomic<Bool>(false)

  init(
    key: CacheKey, isPrivate: Bool, path: String, folder: CacheFolder, file: SharedDescriptor, length: Int64,
    cache: DiskCache
  ) {
    self.key = key
    self.isPrivate = isPrivate
    self.path = path
    self.folder = folder
    self.file = file
    self.cache = cache
    written = Atomic(length)
    hasRecord = Atomic(length > 0)
  }

  deinit { abandon(keepForResume: hasRecord.load(ordering: .relaxed)) }

  /// How many bytes are in it.
  package var length: Int64 { written.load(ordering: .relaxed) }

  /// What is needed to go on with what was found in it; nil if there is nothing to go on with.
  package var resume: ResumeRecord? {
    guard length > 0, let bytes = file.file.attribute(ResumeRecord.attribute) else { return nil }
    return ResumeRecord(encoded: bytes)
  }

  /// Adds bytes behind those that are there.
  package func write(_ bytes: borrowing Span<UInt8>) throws(CacheFailure) {
    let place = length
    do { try file.file.write(bytes, at: place) } catch { throw .system(error) }
    written.store(place + Int64(bytes.count), ordering: .relaxed)
  }

  /// Takes over the first `count` bytes of another file, without bringing them into this process where the kernel can.
  func copy(_ source: SharedDescriptor, count: Int64) throws(CacheFailure) {
    let place = length
    let copied: Int
    do { copied = try source.file.copy(from: 0, count: Int(count), to: file.file, at: place) } catch {
      throw .system(error)
    }
    guard Int64(copied) == count else { throw .damaged }
    written.store(place + count, ordering: .relaxed)
  }

  /// Throws away what is behind `count` bytes. With the last byte go the notes: they must never be found beside the bytes
  /// of another answer.
  package func truncate(to count: Int64 = 0) throws(CacheFailure) {
    if count == 0 { removeRecord() }
    guard count != length else { return }
    do { try file.file.truncate(to: count) } catch { throw .system(error) }
    written.store(count, ordering: .relaxed)
  }

  /// Sees to it that the download can be gone on with, even after this process was killed. False where the file system
  /// keeps no such notes, or the note is too long for it; then one starts over.
  @discardableResult
  package func saveResume(_ record: ResumeRecord) -> Bool {
    guard !isPrivate, let bytes = record.encoded else { return false }
    // Set before the call: a note that was set half must be removed too.
    hasRecord.store(true, ordering: .relaxed)
    return (try? file.file.setAttribute(ResumeRecord.attribute, to: bytes)) != nil
  }

  /// Has what is written so far on the disk.
  package func sync() throws(CacheFailure) {
    do { try file.file.synchronize() } catch { throw .system(error) }
  }

  /// What is written so far, as a body that stays readable whatever becomes of the part.
  package var body: ImageBody { body(hash: nil) }

  /// The same for who has hashed what was written: other processes can reach the file too, so it is checked when it is read.
  func body(hash: ContentHash?) -> ImageBody {
    ImageBody(.file(ImageBody.Stored(descriptor: file, length: length, expectedHash: hash)))
  }

  /// Ends it without an entry. It is kept only where ``saveResume(_:)`` has noted how to go on.
  package func abandon(keepForResume: Bool) {
    guard endOnce() else { return }
    if keepForResume, !isPrivate, hasRecord.load(ordering: .relaxed), length > 0 {
      // Whoever still has the file open, the next may go on with it.
      file.file.unlock()
    } else {
      _ = try? folder.namespace.remove(path)
    }
  }

  /// Whether this call ends it; it ends once.
  func endOnce() -> Bool { !over.exchange(true, ordering: .relaxed) }

  /// Removes the notes that only a part needs.
  func removeRecord() {
    if hasRecord.exchange(false, ordering: .relaxed) { file.file.removeAttribute(ResumeRecord.attribute) }
  }
}
