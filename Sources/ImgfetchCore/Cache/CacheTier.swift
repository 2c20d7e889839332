/// A place where images are kept: memory, a disk cache, a cache that is only read, or a new kind.
///
/// A request looks in memory, then on disk, then in the program's own tiers in their order, and uses the first entry
/// that its policy accepts. A downloaded image is kept in those that the policy allows. All methods may be called from
/// any thread at once, and may block.
///
/// None of them reports a failure, because no request fails for want of a cache: an entry that cannot be read is a
/// miss, and one that cannot be kept is fetched again.
///
/// A look-up is part of every hit. It returns a value, and bodies are shared and not copied.
public protocol CacheTier: Sendable {
  /// The entry of a key, or nil if there is none that can be trusted.
  ///
  /// Returns only an entry for exactly this key, however old. The entry stays readable after it is replaced or
  /// forgotten. Its metadata is checked. Its body is checked now or while it is read.
  ///
  /// - Parameters:
  ///   - key: the key of the entry.
  ///   - withBody: true if the body will probably be read. A hint; it can be read in any case.
  ///   - damaged: called if an entry was found damaged and is ignored.
  func lookup(_ key: CacheKey, withBody: Bool, damaged: () -> Void) -> CachedEntry?

  /// Keeps an image under its metadata's key and replaces the earlier entry in one step: look-ups find one or the
  /// other.
  ///
  /// A tier may decline an image, for example because it is too large. It then forgets the earlier entry, or leaves one
  /// that is still valid by itself.
  ///
  /// - Parameters:
  ///   - body: the image's bytes.
  ///   - metadata: the metadata to keep with them.
  ///   - stored: the time at which the image was downloaded or confirmed. A tier that keeps its
  ///     own times may use those.
  func keep(_ body: ImageBody, _ metadata: EntryMetadata, stored: WallTime)

  /// Removes an entry that this tier has returned, unless it was replaced meanwhile. A damaged entry is not returned
  /// again to this process, even if it cannot be removed.
  func forget(_ entry: CachedEntry, because reason: ForgetReason)

  /// Removes an image with everything that was made of it, and all that is kept under its URL for others: the entries
  /// whose names begin with its key's ``CacheKey/family``.
  func removeAll(of key: CacheKey)

  /// Removes everything.
  func removeEverything()

  /// Notes that an entry was used for an answer. Matters to tiers that drop the least recently used first and do not
  /// count look-ups.
  func touch(_ entry: CachedEntry)
}

extension CacheTier {
  /// Notes nothing: for tiers that count look-ups, or drop nothing.
  public func touch(_ entry: CachedEntry) {}
}
