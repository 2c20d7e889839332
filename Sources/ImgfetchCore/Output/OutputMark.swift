/// Identifies the image of an output: the first 16 bytes of the SHA-256 of its key. Unlike the cache's hash, it cannot
/// be made to collide on purpose.
package struct OutputKey: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  /// 32 hex digits.
  package var hex: String { ContentHash(high: high, low: low).hex }
}

extension OutputKey {
  package init(of key: String) {
    (high, low) = SHA256.prefix(of: key.utf8Span.span)
  }
}

/// The mark of a written file, in an extended attribute: which image it is, and what it contained when it was written.
/// It lives and dies with the file and goes along when that is renamed or copied with its attributes. It is void once
/// the file has changed. 56 bytes: with 64, ext4 would use an extra block for each file.
struct OutputMark: Hashable, Sendable {
  static let attribute = "user.imgfetch.key"

  let key: OutputKey
  let hash: ContentHash
  let size: Int64
  /// The file's modification time as it was written.
  let modified: WallTime

  /// Whether the mark is still valid: another program may have written to the file since.
  func isOf(_ status: FileStatus) -> Bool { status.size == size && status.modified == modified }
}

// The stored form: the hashes as they are printed, then size, time and version as little-endian numbers.
extension OutputMark {
  private static let version: UInt64 = 1

  var words: AttributeWords {
    [
      key.high.bigEndian, key.low.bigEndian, hash.high.bigEndian, hash.low.bigEndian,
      UInt64(bitPattern: size).littleEndian, UInt64(bitPattern: modified.nanoseconds).littleEndian,
      Self.version.littleEndian,
    ]
  }

  /// Nil if a later version wrote it.
  init?(_ words: AttributeWords) {
    guard UInt64(littleEndian: words[6]) == Self.version else { return nil }
    key = OutputKey(high: UInt64(bigEndian: words[0]), low: UInt64(bigEndian: words[1]))
    hash = ContentHash(high: UInt64(bigEndian: words[2]), low: UInt64(bigEndian: words[3]))
    size = Int64(bitPattern: UInt64(littleEndian: words[4]))
    modified = WallTime(nanoseconds: Int64(bitPattern: UInt64(littleEndian: words[5])))
  }
}

struct ExistingFile: Sendable {
  let status: FileStatus
  /// Its mark; nil if it has none that can be trusted.
  let mark: OutputMark?
  /// Whether the mark could be read. There are two ways to read it, of which one may fail where the other does not.
  var isMarkKnown = true

  /// Whether this is still the same file in the same state.
  func isSame(as other: ExistingFile) -> Bool {
    status.identity == other.status.identity && status.size == other.status.size
      && status.modified == other.status.modified
      && (mark == other.mark || !isMarkKnown || !other.isMarkKnown)
  }
}

// A mark is trusted on this user's own files only, where no other user can have set it, and only while the file is as
// it was written.
extension OutputTarget {
  /// Looks at what has the name; nil if there is nothing.
  func existingFile() throws(OutputFailure) -> ExistingFile? {
    guard let status = try status() else { return nil }
    return existingFile(status) { () throws(SystemError) in
      try folder.descriptor.file.words(of: OutputMark.attribute, on: name)
    }
  }

  /// The same for an open file.
  func existingFile(of file: borrowing Descriptor) throws(SystemError) -> ExistingFile {
    let status = try file.status()
    // Read here, because a closure cannot capture a borrowed value.
    var words: AttributeWords?
    var failure: SystemError?
    if folder.takesMarks {
      do throws(SystemError) { words = try file.words(of: OutputMark.attribute) } catch { failure = error }
    }
    return existingFile(status) { () throws(SystemError) in
      if let failure { throw failure }
      return words
    }
  }

  private func existingFile(
    _ status: FileStatus, _ words: () throws(SystemError) -> AttributeWords?
  ) -> ExistingFile {
    var mark: OutputMark?
    var isMarkKnown = true
    if status.kind == .regular, status.owner == folder.user, folder.takesMarks {
      do throws(SystemError) {
        mark = try words().flatMap(OutputMark.init).flatMap { $0.isOf(status) ? $0 : nil }
      } catch {
        isMarkKnown = false
        if error.code == .notSupported { folder.noteThatMarksAreRefused() }
      }
    }
    return ExistingFile(status: status, mark: mark, isMarkKnown: isMarkKnown)
  }
}

extension NameSearch.Occupant {
  init(_ existing: ExistingFile?, for key: OutputKey?) {
    guard let existing else {
      self = .nothing
      return
    }
    guard let found = existing.mark?.key else {
      self = .unknown
      return
    }
    self = found == key ? .own : .another
  }
}

/// The lock on a file that is about to be replaced or marked. Two processes may write different images under the same
/// name at the same time. A process replaces a file only while it holds its lock, and after checking under the lock
/// that the file still has the name and is as it was. So no file is replaced that another process has just put there.
/// The lock is held for one rename.
struct OutputLock: ~Copyable {
  /// The file; nil if it may not be read. It is locked if possible: not all file systems have locks, and network file
  /// systems may require it to be open for writing.
  let file: SharedDescriptor?

  /// How often a lock that is held elsewhere is tried: about a second in all. This program holds it for microseconds. A
  /// process that holds it for longer has other reasons, or was stopped, and must not hold up a run.
  private static let tries = 60

  /// Nil if `existing` no longer has the name or has changed.
  static func take(_ target: OutputTarget, expecting existing: ExistingFile) throws(OutputFailure) -> OutputLock? {
    let folder = target.folder.descriptor
    let file = try? SharedDescriptor(folder.file.open(target.name, [.read, .noFollow, .nonBlocking]))
    if let file {
      lock(file)
      guard let now = try? target.existingFile(of: file.file), now.isSame(as: existing) else { return nil }
    }
    guard try target.status()?.identity == existing.status.identity else { return nil }
    return OutputLock(file: file)
  }

  private static func lock(_ file: SharedDescriptor) {
    for attempt in 0..<tries {
      if (try? file.file.tryLock()) != false { return }
      Threads.sleep(milliseconds: min(attempt + 1, 20))
    }
  }

  /// Releases the lock. Called explicitly, so that it is held until here.
  consuming func release() { withExtendedLifetime(file) {} }
}
