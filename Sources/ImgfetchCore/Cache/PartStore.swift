import Synchronization

/// The files of downloads in progress. ``PartProtocol`` explains why each has one holder.
struct PartStore: Sendable {
  let entries: EntryStore
  var location: CacheLocation { entries.location }

  func claim(_ key: CacheKey, after earlierLookup: EarlierLookup) -> PartClaim {
    do {
      var claiming = try PartClaiming(key, earlierLookup: earlierLookup, in: self)
      return claiming.begin()
    } catch {
      return .unavailable(location.explain(error))
    }
  }

  func claim(_ entry: CachedEntry) -> PartClaim {
    do {
      var claiming = try PartClaiming(entry, in: self)
      return claiming.begin()
    } catch {
      return .unavailable(location.explain(error))
    }
  }

  func openPrivate(_ key: CacheKey) throws(CacheFailure) -> Part {
    var folder = try location.makeFolder()
    while true {
      let path = location.privatePath(key)
      do {
        let file = SharedDescriptor(
          try location.openForWriting(
            path, shard: key.shard, [.readWrite, .create, .exclusive, .noFollow], in: &folder))
        // Locked so that a cleaner leaves it alone. If a cleaner locked it between the two calls, it has removed the file or
        // is about to.
        if (try? file.file.tryLock()) == false { continue }
        return Part(key: key, isPrivate: true, path: path, folder: folder, file: file, length: 0, cache: location)
      } catch {
        // Left over from another process with the same pid.
        if error.code != .fileExists { throw error }
      }
    }
  }

  /// Removes a file that may be a part, by the rules of those who hold parts: under its lock, and only if it still has its
  /// name. Returns false if it is in use or gone.
  static func remove(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Bool {
    do {
      let file = try folder.open(name, [.readWrite, .noFollow, .nonBlocking])
      guard try file.tryLock(), try folder.status(of: name)?.identity == file.status().identity else { return false }
      return try folder.remove(name)
    } catch {
      // A link is not a part.
      if error.code == .tooManySymbolicLinks { return try folder.remove(name) }
      if error.code == .noSuchFile { return false }
      throw error
    }
  }
}

/// The result of claiming a part.
package enum PartClaim: Sendable {
  /// The part is ours to download into.
  case claimed(Part)
  /// The entry is ours to ask the origin about. A part is to be claimed if there is something to download.
  case lockedEntry(EntryLock)
  /// Another process has stored the image meanwhile.
  case published(CachedEntry)
  /// Another process is downloading it.
  case busy(BusyPart)
  /// There will be no entry, for this reason. The image can still be fetched.
  case unavailable(String)
}

/// What a claimant knew about the entry when it began. An entry that was stored later answers it.
package enum EarlierLookup: Sendable {
  /// It looked and found nothing that it could trust.
  case missed
  /// It looked and found an entry that was not good enough.
  case saw(EntryStamp)
  /// It did not look, or may not have seen everything. The time is when it began.
  case skipped(WallTime)

  /// How long before a look-up that found nothing an entry may have been written that gets its name only afterwards.
  ///
  /// A file's time is that of its last write, and its holder renames it later. With 10 ms, which covers the kernel's tick, a holder that
  /// lost its core in between had its image downloaded a second time by a process that waited for it: in one of three whole test runs.
  private static let lag = Instant.Span.seconds(2)

  /// It looked at this time and found nothing, but may not have seen everything: an old entry that could not be read for a moment is not
  /// taken for a new one.
  package static func missed(at time: WallTime) -> EarlierLookup { .skipped(time.earlier(lag)) }

  func isAnswered(by entry: CachedEntry) -> Bool {
    switch self {
    case .missed: true
    case .saw(let stamp): entry.stamp != stamp
    case .skipped(let began): entry.stored > began
    }
  }
}

/// A part, or the lock on an entry, that another process holds. Its claimant polls it, each time after
/// ``delay(randomness:)``. It keeps the file open, so that a poll takes four or five system calls.
package struct BusyPart: Sendable {
  private let claiming: PartClaiming
  /// How many bytes the file had just now.
  package let length: Int64

  init(_ claiming: PartClaiming, length: Int64) {
    self.claiming = claiming
    self.length = length
  }

  /// Tries again. A holder that has died or given up is succeeded. If a second holder has followed the first, it is not
  /// waited for: the claim is then for a private part.
  package func poll() -> PartClaim {
    var claiming = claiming
    return claiming.resume()
  }

  /// The time until the next poll: 10 to 50 ms, so that waiters are answered within about the time of a download, and a hundred
  /// of them do not poll at once. `randomness` is a number from 0 to 1.
  package static func delay(randomness: Double) -> Instant.Span {
    .milliseconds(10 + Int(40 * min(1, max(0, randomness))))
  }
}

/// The lock on an entry while its origin is asked whether it is still right.
///
/// Most entries are, and then nothing is downloaded. So a claimant locks the entry's own file instead of making a part, which
/// would be created and removed for nothing. Measured with 2,200 entries that are all still right: an eighth less time.
///
/// It must end with ``release()`` or ``giveUp()``, because what is made from the entry keeps its file open for as long as it
/// is read. If it is dropped, that counts as giving up.
package final class EntryLock: Sendable {
  private let file: SharedDescriptor
  private let isOver = Atomic<Bool>(false)

  init(_ file: SharedDescriptor) { self.file = file }

  deinit { giveUp() }

  /// Ends it after the origin has answered, so that waiters find the entry newer than before; or if it was not asked at all.
  package func release() {
    if !isOver.exchange(true, ordering: .relaxed) { file.file.unlock() }
  }

  /// Ends it without an answer to share. Waiters must not wait for one claimant after another. They recognise this case by
  /// the access time, which is advanced by a nanosecond: that does not count as a use, and is visible although the kernel's
  /// own times go by ticks.
  package func giveUp() {
    guard !isOver.exchange(true, ordering: .relaxed) else { return }
    if let status = try? file.file.status() {
      try? file.file.setTimes(accessed: WallTime(nanoseconds: status.accessed.nanoseconds &+ 1), modified: nil)
    }
    file.file.unlock()
  }
}
