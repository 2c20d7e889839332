/// The images that are kept on disk, shared with any number of other processes.
///
/// All methods may be called from any thread, and block while the disk works. A cache that does not exist yet, or was
/// removed meanwhile, is made by the first store. A look-up makes nothing.
///
/// It is the front of a few types that each know one part of a cache: ``EntryStore``, ``PartStore``, ``EntryWriter``,
/// ``FailureNotes``, ``CacheInventory`` and ``CacheCleaner``, all of them above one ``CacheLocation``.
package final class DiskCache: CacheTier {
  let location: CacheLocation
  private let entries: EntryStore
  let clock: any Clock

  private init(_ location: CacheLocation, tiers: [ReadOnlyCache], clock: any Clock) {
    self.location = location
    self.clock = clock
    entries = EntryStore(location, tiers: tiers, clock: clock)
  }

  private var parts: PartStore { PartStore(entries: entries) }
  private var writer: EntryWriter { EntryWriter(entries: entries, parts: parts) }
  private var notes: FailureNotes { FailureNotes(location: location, clock: clock) }
  private var inventory: CacheInventory { CacheInventory(entries: entries) }
  private var cleaner: CacheCleaner { CacheCleaner(location: location, clock: clock) }

  /// Opens the cache at `root`, which need not exist. It fails if that folder cannot be trusted; there is then no cache
  /// in this run.
  ///
  /// - Parameters:
  ///   - readOnlyTiers: folders of other caches, which are looked in afterwards and never written.
  ///   - isTrial: true if the cache is only looked at: nothing is made, changed or removed.
  ///   - report: called with sentences for the user, each of them once.
  package static func open(
    root: String, namespace: String = "default", readOnlyTiers: [String] = [], isTrial: Bool = false,
    clock: any Clock = SystemClock(), user: UInt32 = Processes.user,
    report: @escaping @Sendable (String) -> Void = { _ in }
  ) throws(CacheUnavailable) -> DiskCache {
    let location: CacheLocation
    do {
      location = try CacheLocation(
        root: root, namespace: namespace, trust: FolderTrust(user: user, isReadOnlyTier: false), isTrial: isTrial,
        report: report)
    } catch {
      if case .unavailable(let reason) = error { throw reason }
      throw CacheUnavailable(error.sentence(of: root))
    }
    var tiers: [ReadOnlyCache] = []
    let trust = FolderTrust(user: user, isReadOnlyTier: true)
    for path in readOnlyTiers {
      do {
        if let tier = try CacheFolder.open(root: path, namespace: namespace, trust: trust) {
          tiers.append(ReadOnlyCache(tier) { location.tell($0) })
        } else {
          report("\(path): there is no cache to read here")
        }
      } catch {
        report(error.sentence(of: path))
      }
    }
    return DiskCache(location, tiers: tiers, clock: clock)
  }

  /// The entry of a key, or nil if there is none that can be trusted. A damaged one is removed.
  ///
  /// The body of a small entry is checked, too. Such a look-up takes four system calls: open, fstat, pread, close.
  ///
  /// - Parameters:
  ///   - withBody: true if the body of a small entry is read at once. False if it is probably not needed; it can be
  ///     read later, like that of a large one.
  ///   - damaged: called for each folder whose entry is damaged and therefore ignored.
  package func lookup(_ key: CacheKey, withBody: Bool = true, damaged: () -> Void = {}) -> CachedEntry? {
    entries.lookup(key, withBody: withBody, damaged: damaged)
  }

  /// The entry of a key that was derived from the image with the hash `origin`, or nil if there is none. All of its
  /// bytes are known to be right: a large body is read for that here. The original image need not be read.
  package func lookup(_ key: CacheKey, madeOf origin: ContentHash) -> CachedEntry? {
    guard let entry = lookup(key), entry.metadata.origin == origin else { return nil }
    guard entry.body.isSound else {
      discard(entry)
      return nil
    }
    touch(entry)
    return entry
  }

  /// Notes that an entry was used. Nothing is written if a use was noted within the last hour.
  package func touch(_ entry: CachedEntry) { entries.touch(entry) }

  /// Removes an entry whose body was found damaged while it was read, so that it is fetched again. One that cannot be
  /// removed is ignored for the rest of the run.
  package func discard(_ entry: CachedEntry) { entries.discard(entry) }

  /// Removes an entry that must not be served any more, because its origin has sent a newer answer that is not kept.
  package func withdraw(_ entry: CachedEntry) { entries.withdraw(entry) }

  /// Updates an entry that its origin has confirmed (304), with the header fields of that answer.
  ///
  /// If they say nothing new about the image, only the file's time is set. Otherwise a new entry replaces the old one.
  /// Returns the entry as it is now, or nil if nothing could be written and the old one is unchanged.
  ///
  /// - Parameters:
  ///   - provenance: the current source of bytes and fields, or nil if it has not changed.
  ///   - isProvenanceNews: true if that alone requires a new entry.
  package func revalidated(
    _ entry: CachedEntry, _ answered: HeaderFields, provenance: Provenance? = nil, isProvenanceNews: Bool = false
  ) -> CachedEntry? {
    writer.revalidated(entry, answered, provenance: provenance, isProvenanceNews: isProvenanceNews)
  }

  /// Replaces an entry by one with the same body and other metadata. Returns the new entry, or nil if it could not be
  /// written. The body's hash is copied unchecked: a damaged body stays recognisable as damaged. An entry of a
  /// read-only cache is copied to this one, or every run would ask the origin about it again.
  package func rewritten(_ entry: CachedEntry, _ metadata: EntryMetadata) -> CachedEntry? {
    writer.rewritten(entry, metadata)
  }

  /// Replaces an entry by one that has more facts about the same body, and is as old. If it cannot be written, the
  /// facts are computed again later.
  package func annotate(_ entry: CachedEntry, _ metadata: EntryMetadata) { writer.annotate(entry, metadata) }

  /// Marks an entry as gone. If that cannot be written, the origin is asked about it as before.
  package func mark(_ entry: CachedEntry, _ mark: GoneMark) { writer.mark(entry, mark) }

  /// Makes sure that the origin is asked about an entry before it is served again. For one whose successor could not be
  /// written.
  package func expire(_ entry: CachedEntry) { entries.expire(entry) }

  /// Stores an image that was derived from another. A failure is reported once.
  package func keep(_ body: [UInt8], _ metadata: EntryMetadata) {
    writer.keep(ImageBody(.bytes(body)), metadata, consequence: "what was made of images is not cached")
  }

  /// Stores an image that did not come through a part. A failure is reported once. The time of the entry is the current
  /// one.
  package func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime) {
    writer.keep(body, metadata, consequence: "images are not cached")
  }

  /// Stores an image of the user's own. The time of the entry is the current one.
  package func store(_ body: ImageBody, _ metadata: EntryMetadata) throws(CacheFailure) {
    try writer.store(body, metadata)
    notes.remove(metadata.key)
  }

  package func forget(_ entry: CachedEntry, because reason: ForgetReason) {
    switch reason {
    case .damaged: discard(entry)
    case .superseded: withdraw(entry)
    }
  }

  /// Removes an image to make room for an output file of it, if one disk has no room for both. Returns the message for
  /// the user, or nil if the file is on another disk, or the image is not here.
  package func giveUp(_ key: CacheKey, for path: String, because code: Errno) -> String? {
    guard let folder = location.folder, let entry = entries.lookup(key, withBody: false), !entry.isReadOnly else {
      return nil
    }
    guard let disk = try? Descriptor.folder(path.pathSplit.folder.map(String.init) ?? ".").status().identity.device,
      (try? folder.namespace.status().identity.device) == disk
    else { return nil }
    let file = try? folder.namespace.open(entry.key.path, [.readWrite, .noFollow])
    withdraw(entry)
    // An open file keeps its room, and this process has it open, so it is truncated. Another process that reads it
    // finds it damaged, and fetches the image. An entry that has taken its name meanwhile is left alone.
    if (try? file?.status().identity) == entry.stamp.identity { try? file?.truncate(to: 0) }
    return "\(location.explain(.system(SystemError(.write, code))).text); the image is not cached"
  }

  /// Adds a user's own file under a key, as if it had just been downloaded from `url`. Unless `verification` is
  /// ``Verification/none``, the file is inspected. Returns the entry as it is listed.
  ///
  /// - Parameters:
  ///   - decode: checks every pixel; called under ``Verification/decode``.
  ///   - dispelsDoubt: returns true if a file has every pixel that only decoding can check.
  package func add(
    _ file: borrowing Descriptor, as key: CacheKey, from url: String? = nil, verification: Verification = .structure,
    limits: InspectionLimits = InspectionLimits(),
    decode: (ImageBody, ImageFacts) throws(FetchError) -> Void = { _, _ throws(FetchError) in },
    dispelsDoubt: (ImageBody, ImageFacts) -> Bool = { _, _ in false }
  ) throws(AddingFailure) -> Listed {
    let listed = try writer.add(
      file, as: key, from: url, verification: verification, limits: limits, decode: decode,
      dispelsDoubt: dispelsDoubt)
    notes.remove(key)
    return listed
  }

  /// Claims the part of a key: to download into it, or to learn that another process is downloading or has stored it.
  package func claimPart(_ key: CacheKey, after earlierLookup: EarlierLookup = .missed) -> PartClaim {
    parts.claim(key, after: earlierLookup)
  }

  /// Claims the right to ask the origin about an entry, or learns that another process is asking or has asked.
  package func claimEntry(_ entry: CachedEntry) -> PartClaim { parts.claim(entry) }

  /// Claims the part of a key that is probably not stored: the part is claimed first, and its holder looks for the
  /// entry once. Returns nil, with nothing left behind, if there is an entry, if another process downloads it, or if
  /// that is not known. The usual order then finds out which.
  package func claimUnseen(_ key: CacheKey) -> Part? {
    guard entries.tiers.isEmpty, case .claimed(let part) = claimPart(key) else { return nil }
    return part
  }

  /// A part for this process alone, which is neither waited for nor resumed: for a download that has waited once in
  /// vain.
  package func claimPrivatePart(_ key: CacheKey) -> PartClaim {
    do { return .claimed(try parts.openPrivate(key)) } catch { return .unavailable(location.explain(error)) }
  }

  /// The note that a URL failed, if there is one that is at most `seconds` old.
  package func failureNote(of key: CacheKey, within seconds: Double) -> FailureNote? {
    notes.note(of: key, within: seconds)
  }

  /// Notes that a URL has failed for good. The note is valid for at most `seconds`. If it cannot be written, that costs
  /// a request later and is not reported.
  package func noteFailure(of key: CacheKey, status: Int, for seconds: Double) {
    notes.add(key, status: status, for: seconds)
  }

  /// Removes the note about a URL, because it has turned out to have an image.
  package func removeFailureNote(of key: CacheKey) { notes.remove(key) }

  /// True if the cache can be used: its folder exists, or can be made, and is. One that is only looked at needs none.
  var isUsable: Bool { location.isTrial || location.folder != nil || (try? location.makeFolder()) != nil }

  /// The reason why the cache cannot be used, as a sentence, or nil if it can.
  var obstacle: String? {
    if location.folder != nil { return nil }
    do throws(CacheFailure) { _ = try location.makeFolder() } catch { return error.sentence(of: location.root) }
    return nil
  }

  /// The path of the namespace's folder, whether or not it exists.
  package var path: String { "\(location.root)/\(CacheFolder.Names.version)/\(location.namespace)" }

  /// The file of an entry, in this cache or a read-only one, or nil if there is none that can be trusted.
  package func path(of key: CacheKey) -> String? { entries.path(of: key) }

  /// The 32 bytes that salts are made with, the same for all processes that use this cache. Made when first needed.
  package func secret() throws(CacheFailure) -> [UInt8] { try location.secret() }

  /// The size of the cache, according to the ledger. Without a ledger that can be trusted, the entries are counted.
  package func size() throws(CacheFailure) -> CacheUsage { try inventory.size() }

  /// The size of the cache, by counting the entries. The ledger is corrected.
  package func exactSize() throws(CacheFailure) -> CacheUsage { try inventory.exactSize().usage }

  /// The same, with the space that the disk has allocated for the entries.
  package func exactRoom() throws(CacheFailure) -> (usage: CacheUsage, allocated: Int64) { try inventory.exactSize() }

  /// Passes each entry to `take` as it is found, until that returns false. Only the ends of the files are read, and
  /// damaged ones are skipped.
  package func list(_ take: (Listed) -> Bool) throws(CacheFailure) { try inventory.list(take) }

  /// The same for the entries of one URL: those of all users, with the images derived from them.
  package func list(of key: CacheKey, _ take: (Listed) -> Bool) throws(CacheFailure) {
    try inventory.list(of: key, take)
  }

  /// Reads every entry completely. With `repairing`, damaged ones are removed.
  package func verify(repairing: Bool) throws(CacheFailure) -> VerifyReport {
    try inventory.verify(repairing: repairing)
  }

  /// Removes an image with all that belongs to its URL: salted entries, variants, derived images, and parts that are
  /// not in use. Returns how much that was.
  @discardableResult
  package func remove(_ key: CacheKey) throws(CacheFailure) -> CacheUsage { try inventory.remove(key) }

  package func removeAll(of key: CacheKey) { _ = try? remove(key) }

  package func removeEverything() { _ = try? clear() }

  /// Makes sure that removed images are requested from the origin from now on, without asking the read-only caches and
  /// the remote cache.
  ///
  /// - Parameter key: the key of the removed image, or nil for all images.
  package func passOver(_ key: CacheKey?) {
    if let key { entries.removed.add(key) } else { entries.removed.addEverything() }
  }

  /// True if read-only caches and the remote cache are not asked for a key.
  func isPassedOver(_ key: CacheKey) -> Bool { entries.removed.contains(key) }

  /// Removes everything in this namespace except downloads in progress. Returns how much that was.
  @discardableResult
  package func clear() throws(CacheFailure) -> CacheUsage { try inventory.clear() }

  /// Removes expired entries, then the least recently used while the cache is over its limit; see ``EvictionPlan``. No
  /// entry is opened, no other process has to wait, and downloads in progress are left alone. It fails with
  /// ``CacheFailure/beingCleaned`` while another process cleans.
  package func clean(
    maximumAge: Double?, maximumSize: Int64?, isDryRun: Bool = false
  ) throws(CacheFailure) -> CleanReport {
    try cleaner.clean(
      maximumAge: maximumAge, maximumSize: maximumSize, trial: isDryRun ? CleaningTrial() : nil)
  }

  /// Removes nothing, and passes each entry that ``clean(maximumAge:maximumSize:isDryRun:)`` would remove to `take`,
  /// until that returns false. Damaged ones are skipped.
  package func listCleaning(
    maximumAge: Double?, maximumSize: Int64?, _ take: (Listed) -> Bool
  ) throws(CacheFailure) -> CleanReport {
    let trial = CleaningTrial()
    let report = try cleaner.clean(maximumAge: maximumAge, maximumSize: maximumSize, trial: trial)
    inventory.list(trial.paths, take)
    return report
  }

  /// Cleans part of the cache if it is over its limit or was not cleaned for a day: folder by folder from where the
  /// last cleaning stopped, for as long as `budget` lasts. Only a cache of twice its limit is cleaned without regard to
  /// time. For the end of a run. Failures are not reported: the next run tries again.
  ///
  /// - Parameter begun: the start of the run, or nil if it needs no report.
  /// - Returns: the removed entries that were used since then.
  @discardableResult
  package func cleanIfDue(
    maximumAge: Double?, maximumSize: Int64?, budget: Instant.Span = .milliseconds(100), since begun: WallTime? = nil
  ) -> CacheUsage {
    cleaner.cleanIfDue(maximumAge: maximumAge, maximumSize: maximumSize, budget: budget, since: begun)
  }

  /// True if an entry of this URL was among the last that were removed by cleaning.
  func wasEvicted(_ key: CacheKey) -> Bool { location.folder.map { EvictionRing.contains(key, in: $0) } ?? false }
}
