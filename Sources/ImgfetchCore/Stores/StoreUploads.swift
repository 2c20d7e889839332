/// Puts entries into the remote cache. They take no place of a download, because nothing waits for them.
///
/// Belongs to the network's thread. ``RemoteCache`` keeps the queue of entries that are still to be put there.
final class StoreUploads {
  private let remote: RemoteCache
  private let talks: PlaceTalks
  /// Makes a disk thread open an entry. ``put(_:for:)`` follows.
  private let open: @Sendable (CacheKey) -> Void
  /// Notes the end of an upload. ``ended(_:)`` follows.
  private let noteEnd: @Sendable (StorePut) -> Void
  /// Folders that were made in this run, because the store makes none by itself.
  private var madeFolders: Set<String> = []

  init(
    _ remote: RemoteCache, _ talks: PlaceTalks, open: @escaping @Sendable (CacheKey) -> Void,
    noteEnd: @escaping @Sendable (StorePut) -> Void
  ) {
    self.remote = remote
    self.talks = talks
    self.open = open
    self.noteEnd = noteEnd
  }

  /// Begins with the waiting entries, as many as may be on their way at once.
  func begin() {
    while let key = remote.nextUpload() { open(key) }
  }

  /// Starts the upload of an entry that a disk thread has opened. With nil, the entry is gone.
  func put(_ file: ImageBody.Stored?, for key: CacheKey) {
    guard let file, let url = remote.objectURL(of: key) else { return ended(nil) }
    let put = StorePut(
      at: url, in: remote.folders(of: key).filter { !madeFolders.contains($0.requestURL) },
      length: file.length, connectTimeout: Instant.Span(remote.settings.connectTimeout))
    // A slow store must not hold up images on the way to their place.
    talks.converse(put, sending: .file(file.descriptor), isCounted: false) { [noteEnd] end in
      if let put = end as? StorePut { noteEnd(put) }
    }
  }

  /// Notes that an entry is there, or will not be.
  func ended(_ put: StorePut) {
    madeFolders.formUnion(put.madeFolders.map(\.requestURL))
    ended(put.outcome)
  }

  private func ended(_ outcome: RemoteHealth.Outcome?) {
    remote.uploadEnded(outcome)
    begin()
  }
}
