/// What is in one of the 256 folders of a namespace, by names and status alone: no entry is opened.
struct ShardScan: Sendable {
  /// An entry's file.
  struct File: Sendable {
    /// Its place in the listing.
    let place: Int
    let size: Int64
    let stored: WallTime
    let used: WallTime
  }

  /// What is there besides entries.
  struct Other: Sendable {
    /// Its place in the listing.
    let place: Int
    let kind: CacheNames.Kind
    let status: FileStatus
  }

  let shard: Int
  let folder: CacheFolder
  private let opened: SharedDescriptor?
  private(set) var listing: FolderListing
  private(set) var files: [File] = []
  /// Parts, temporary files and notes of failures.
  private(set) var others: [Other] = []
  /// What the ledger said before the listing.
  private let noted: CacheUsage

  /// Reads a folder. One that is missing has nothing in it; nor has what is no folder, which `tell` hears of.
  init(_ shard: Int, of folder: CacheFolder, _ tell: (String) -> Void) throws(SystemError) {
    self.shard = shard
    self.folder = folder
    noted = folder.ledger?.usage(of: shard) ?? CacheUsage()
    guard let present = try folder.openShard(shard, tell) else {
      opened = nil
      listing = FolderListing()
      return
    }
    let opened = SharedDescriptor(present)
    self.opened = opened
    listing = try FolderListing(of: opened.file)
    files.reserveCapacity(listing.count)
    for place in 0..<listing.count {
      guard let status = try listing.status(at: place, in: opened.file), status.kind == .regular else { continue }
      let kind = CacheNames.kind(of: place, in: listing)
      if kind == .entry {
        files.append(File(place: place, size: status.size, stored: status.modified, used: status.accessed))
      } else {
        others.append(Other(place: place, kind: kind, status: status))
      }
    }
  }

  /// What the entries take.
  var usage: CacheUsage {
    CacheUsage(bytes: files.reduce(0) { $0 &+ $1.size }, entries: Int64(files.count))
  }

  /// Puts what was found in the place of what the ledger said, unless somebody stored or removed meanwhile.
  func correctLedger() {
    let usage = usage
    if usage != noted { _ = folder.ledger?.correct(shard: shard, from: noted, to: usage) }
  }

  /// Removes an entry, if it is still the one that was listed. False: it is not, or it is gone.
  ///
  /// - Parameter looksAgain: whether so much time has passed since the listing that it may have been used or replaced.
  func remove(_ file: File, looksAgain: Bool) throws(SystemError) -> Bool {
    guard let opened else { return false }
    if looksAgain {
      guard let status = try listing.status(at: file.place, in: opened.file), status.kind == .regular,
        status.size == file.size, status.modified == file.stored, status.accessed == file.used
      else { return false }
    }
    guard try listing.remove(at: file.place, in: opened.file) else { return false }
    folder.ledger?.add(shard: shard, bytes: -file.size, entries: -1)
    return true
  }

  /// Removes what was made of images that went. The answer is how much that was.
  func remove(_ orphans: Orphans, isDryRun: Bool) throws(SystemError) -> CacheUsage {
    var gone = CacheUsage()
    for file in orphans.files {
      if try isDryRun ? true : remove(file, looksAgain: true) { gone += CacheUsage(bytes: file.size, entries: 1) }
    }
    return gone
  }

  /// Removes what is no entry: a part or temporary file only if nobody holds it.
  func remove(_ other: Other) throws(SystemError) -> Bool {
    guard let opened else { return false }
    if other.kind == .failureNote { return try listing.remove(at: other.place, in: opened.file) }
    return try PartRemoval.remove(listing.name(at: other.place), in: opened.file)
  }

  /// Removes the entries that are meant (as a dry run: only says so) with what was made of them, and lets go of them. The
  /// answer is what went.
  mutating func removeAll(isDryRun: Bool, where isMeant: (File) -> Bool) throws(SystemError) -> CacheUsage {
    var orphans = Orphans(in: self)
    var gone = CacheUsage()
    var kept: [File] = []
    for file in files {
      if !isMeant(file) {
        kept.append(file)
      } else if try isDryRun ? true : remove(file, looksAgain: false) {
        orphans.note(file)
        gone += CacheUsage(bytes: file.size, entries: 1)
      }
    }
    let lost = Set(orphans.files.map(\.place))
    if !lost.isEmpty { kept.removeAll { lost.contains($0.place) } }
    gone += try remove(orphans, isDryRun: isDryRun)
    files = kept
    // A million names take thirty megabytes.
    if kept.isEmpty { listing = FolderListing() }
    return gone
  }
}
