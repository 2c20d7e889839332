/// This run's knowledge of the remote cache: the place of its objects, whether it is still asked, and the entries that
/// are still to be put there.
///
/// May be called from any thread. Its state is behind one lock.
final class RemoteCache: Sendable {
  private struct State {
    var health: RemoteHealth
    var uploads = UploadQueue()
  }

  let settings: RemoteCacheSettings
  private let namespace: String
  private let warn: (@Sendable (String) -> Void)?
  private let state: Guarded<State>

  init(_ settings: RemoteCacheSettings, namespace: String, warn: (@Sendable (String) -> Void)?) {
    self.settings = settings
    self.namespace = namespace
    self.warn = warn
    state = Guarded(State(health: RemoteHealth(settings.mode)))
  }

  var isRead: Bool { state.withLock { $0.health.isRead } }
  var isWritten: Bool { state.withLock { $0.health.isWritten } }

  func objectURL(of key: CacheKey) -> WebURL? { settings.url.below("/v1/\(namespace)/\(key.path)") }

  /// The folders that the entry of a key is in, below the store's own, from the outermost on.
  func folders(of key: CacheKey) -> [WebURL] {
    ["/v1/", "/v1/\(namespace)/", "/v1/\(namespace)/\(key.path.prefix { $0 != "/" })/"].compactMap {
      settings.url.below($0)
    }
  }

  /// Notes how a request for an object ended. Returns false if the store is given up because of this.
  @discardableResult
  func noteReading(_ outcome: RemoteHealth.Outcome) -> Bool { note { $0.noteReading(outcome) } }

  /// Notes the beginning of an answer; see ``RemoteHealth/noteAnswer(isSlow:)``. False: the store is given up by this.
  func noteAnswer(isSlow: Bool) -> Bool { note { $0.noteAnswer(isSlow: isSlow) } }

  private func note(_ change: (inout RemoteHealth) -> String?) -> Bool {
    let (wasRead, isRead, message) = state.withLock { state in
      let before = state.health.isRead
      let message = change(&state.health)
      if !state.health.isWritten { state.uploads.clear() }
      return (before, state.health.isRead, message)
    }
    tell(message)
    return !wasRead || isRead
  }

  private func tell(_ message: String?) {
    if let message { warn?("the remote cache \(settings.url.display): \(message)") }
  }

  // MARK: Uploads

  func add(_ key: CacheKey) { state.withLock { if $0.health.isWritten { $0.uploads.add(key) } } }

  /// The next entry to be put there, or nil if there is none for now.
  func nextUpload() -> CacheKey? { state.withLock { $0.uploads.next() } }

  /// Notes that an upload has ended, or that its entry is gone (nil).
  func uploadEnded(_ outcome: RemoteHealth.Outcome?) {
    let message = state.withLock { state in
      let message = outcome.flatMap { state.health.noteWriting($0) }
      if !state.health.isWritten { state.uploads.clear() }
      return message
    }
    // The run may end as soon as no upload is left, and no message is printed after that.
    tell(message)
    state.withLock { $0.uploads.ended() }
    state.broadcast()
  }

  /// Drops the entries that wait to be put there.
  func dropUploads() {
    state.withLock { $0.uploads.clear() }
    state.broadcast()
  }

  /// Waits until everything has been put there, or until `deadline`. Then the user is told how many entries are not
  /// there.
  func waitForUploads(until deadline: Instant) {
    if state.wait(until: deadline, { $0.uploads.isDone ? () : nil }) != nil { return }
    tell(state.withLock { $0.health.noteUnfinished($0.uploads.count) })
  }
}
