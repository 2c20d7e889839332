/// The content of one of the 256 folders of a namespace, by names and status alone: no entry is opened.
struct ShardScan: Sendable {
  /// An entry.
  struct File: Sendable {
    /// The entry's place in the listing.
    let place: Int
    let size: Int64
    let allocated: Int64
    let stored: WallTime
    let used: WallTime
  }

  /// A file that is no entry.
  struct Other: Sendable {
    /// The file's place in the listing.
    let place: Int
    let kind: CacheNames.Kind
    let status: FileStatus
  }

  let shard: Int
  let folder: CacheFolder
  private let opened: SharedDescriptor?
  private(set) var listing: FolderListing
  private(set) var files: [File] = []
  private(set) var others: [Other] = []
  private let noted: CacheUsage

  /// Reads a folder. A missing one counts as empty. So does anything that is not a folder, for which `tell` is called.
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
        files.append(
          File(
            place: place, size: status.size, allocated: status.allocated, stored: status.modified,
            used: status.accessed))
      } else {
        others.append(Other(place: place, kind: kind, status: status))
      }
    }
  }

  var usage: CacheUsage { CacheUsage(bytes: files.reduce(0) { $0 &+ $1.size }, entries: Int64(files.count)) }

  func name(of file: File) -> ArraySlice<UInt8> { listing.bytes(at: file.place) }

  /// The bytes that the disk has allocated for the entries.
  var allocated: Int64 { files.reduce(0) { $0 &+ $1.allocated } }

  /// Corrects the ledger by the scan, unless an entry was stored or removed meanwhile.
  func correctLedger() {
    let usage = usage
    if usage != noted { _ = folder.ledger?.correct(shard: shard, from: noted, to: usage) }
  }

  /// The fate of an entry that is to be removed.
  enum Removal {
    case removed
    /// Another process has removed, used or replaced the entry.
    case passedOver
    /// The entry cannot be removed, and the log has the reason.
    case kept
  }

  /// Removes an entry if it is still the one that was listed.
  ///
  /// - Parameter looksAgain: true if so much time has passed since the listing that the entry may have been used or
  ///   replaced.
  func remove(_ file: File, looksAgain: Bool, _ log: RemovalLog) -> Removal {
    guard let opened else { return .passedOver }
    do throws(SystemError) {
      if looksAgain {
        guard let status = try listing.status(at: file.place, in: opened.file), status.kind == .regular,
          status.size == file.size, status.modified == file.stored, status.accessed == file.used
        else { return .passedOver }
      }
      guard try listing.remove(at: file.place, in: opened.file) else { return .passedOver }
    } catch {
      log.note(error, in: shard)
      return .kept
    }
    folder.ledger?.add(shard: shard, bytes: -file.size, entries: -1)
    return .removed
  }

  /// Removes images derived from removed ones. Returns how much that was.
  func remove(_ orphans: Orphans, trial: CleaningTrial?, _ log: RemovalLog) -> CacheUsage {
    var gone = CacheUsage()
    for file in orphans.files {
      if let trial {
        trial.note(file, in: self)
      } else {
        guard remove(file, looksAgain: true, log) == .removed else { continue }
      }
      gone += CacheUsage(bytes: file.size, entries: 1)
    }
    return gone
  }

  /// Removes a file that is not an entry: a part or temporary file only if it is not in use.
  func remove(_ other: Other, _ log: RemovalLog) -> Bool {
    guard let opened else { return false }
    do throws(SystemError) {
      if other.kind == .failureNote { return try listing.remove(at: other.place, in: opened.file) }
      return try Part.remove(listing.name(at: other.place), in: opened.file)
    } catch {
      log.note(error, in: shard)
      return false
    }
  }

  /// Removes the expired entries and the images derived from them, and drops them from this value.
  /// Returns how much that was. A dry run only notes them.
  mutating func removeExpired(
    trial: CleaningTrial?, _ log: RemovalLog, where isExpired: (File) -> Bool
  ) -> CacheUsage {
    var orphans = Orphans(in: self)
    var gone = CacheUsage()
    var kept: [File] = []
    for file in files {
      guard isExpired(file) else {
        kept.append(file)
        continue
      }
      switch trial == nil ? remove(file, looksAgain: false, log) : .removed {
      case .passedOver: break
      case .kept: kept.append(file)
      case .removed:
        orphans.note(file)
        if let trial {
          trial.note(file, in: self)
        } else {
          log.note(file, named: name(of: file), in: shard, isExpired: true)
        }
        gone += CacheUsage(bytes: file.size, entries: 1)
      }
    }
    let lost = Set(orphans.files.map(\.place))
    if !lost.isEmpty { kept.removeAll { lost.contains($0.place) } }
    gone += remove(orphans, trial: trial, log)
    files = kept
    // A million names take thirty megabytes.
    if kept.isEmpty { listing = FolderListing() }
    return gone
  }
}

/// The derived images in one folder whose original is removed: they are removed with it. Names show which entries
/// belong together (see ``CacheKey``), so a cleaner need not open any. A derived image whose original is not in this
/// cache expires like other entries: the original may be in a read-only cache.
struct Orphans {
  private let listing: FolderListing
  /// All derived images. Most folders have none, and then nothing is noted.
  private let derived: [ShardScan.File]
  private var removedFamilies: Set<ContentHash> = []
  private var gone: Set<Int> = []

  init(in scan: ShardScan) {
    let listing = scan.listing
    self.listing = listing
    derived = scan.files.filter { CacheNames.isDerived(listing.bytes(at: $0.place)) }
  }

  mutating func note(_ file: ShardScan.File) {
    if derived.isEmpty { return }
    let name = listing.bytes(at: file.place)
    if CacheNames.isDerived(name) {
      gone.insert(file.place)
    } else if let family = CacheNames.family(of: name) {
      removedFamilies.insert(family)
    }
  }

  /// The derived images to remove with the noted ones, without those that were noted themselves.
  var files: [ShardScan.File] {
    if removedFamilies.isEmpty { return [] }
    return derived.filter { file in
      !gone.contains(file.place)
        && CacheNames.family(of: listing.bytes(at: file.place)).map(removedFamilies.contains) == true
    }
  }
}
