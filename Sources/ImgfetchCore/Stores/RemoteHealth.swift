/// Decides whether the remote cache is still worth asking in this run. A pure value.
///
/// A store that cannot be reached, is slow, or refuses requests is left alone after the first time, so that it costs a
/// run one timeout and one warning. A wrong object costs a download, and the first one the warning. After several wrong
/// objects without a right one in between, the store is left alone, too.
struct RemoteHealth: Sendable {
  /// The outcome of a request to the remote cache.
  enum Outcome: Equatable, Sendable {
    /// The store has the entry, or has it now.
    case present
    /// The store has no such entry, or does not take this one.
    case absent
    /// The store takes no object of that size.
    case tooLarge
    /// The store's object of that name is not the entry.
    case wrong
    /// The entry was written by a later version of this program.
    case newer
    /// The store itself is useless.
    case unusable(String)
  }

  private(set) var isRead: Bool
  private(set) var isWritten: Bool
  /// Wrong objects since the last right one.
  private var wrong = 0
  /// Slow answers since the last quick one.
  private var slow = 0
  private var hasWarned = false
  private var hasToldOfSize = false
  private var hasToldOfNewer = false

  /// The number of wrong objects in a row that is no accident: something else answers at that address.
  static let mostWrong = 3

  /// The slow answers in a row after which the store is left alone. Each costs the run nearly as much as one that never
  /// comes, and that is paid for once.
  static let mostSlow = 2

  init(_ mode: RemoteCacheSettings.Mode) {
    isRead = mode != .write
    isWritten = mode != .read
  }

  /// Notes the outcome of a request for an object. Returns a message for the user, if it is news.
  mutating func noteReading(_ outcome: Outcome) -> String? {
    guard isRead else { return nil }
    switch outcome {
    case .present: wrong = 0
    case .absent, .tooLarge: break
    case .wrong:
      wrong += 1
      if wrong >= Self.mostWrong { return giveUp("\(wrong) objects in a row are no entries of a cache") }
      if hasWarned { return nil }
      hasWarned = true
      return "an object there is damaged, or no entry of a cache: such objects are passed over"
    case .newer:
      // Its entries would be replaced by this version's.
      isWritten = false
      if hasToldOfNewer { return nil }
      hasToldOfNewer = true
      return "a newer imgfetch has written entries there: those are passed over, and nothing is put there in this run"
    case .unusable(let reason): return giveUp(reason)
    }
    return nil
  }

  /// Notes the beginning of an answer to a request for an object. Returns what to tell the user, if it is news.
  ///
  /// - Parameter isSlow: true if it took more than half of the time allowed for an answer.
  mutating func noteAnswer(isSlow: Bool) -> String? {
    guard isRead else { return nil }
    slow = isSlow ? slow + 1 : 0
    return slow < Self.mostSlow ? nil : giveUp("it is slow: its answers take more than half of the time allowed")
  }

  /// Notes the outcome of putting an object there. A store that cannot be written to may still be read.
  mutating func noteWriting(_ outcome: Outcome) -> String? {
    if outcome == .tooLarge, !hasToldOfSize, isWritten {
      hasToldOfSize = true
      return "it answers 413 to a PUT: images that are too large for it are not put there (nginx: client_max_body_size)"
    }
    guard isWritten, case .unusable(let reason) = outcome else { return nil }
    isWritten = false
    if hasWarned { return nil }
    hasWarned = true
    return "\(reason); nothing more is put there in this run"
  }

  /// Notes, at the end of the run, the number of entries that the store has not taken in time. Returns
  /// the message for the user.
  mutating func noteUnfinished(_ count: Int) -> String? {
    if hasWarned || count == 0 { return nil }
    hasWarned = true
    return "it was too slow to take \(count == 1 ? "1 image" : "\(count) images") before the end of the run"
  }

  private mutating func giveUp(_ reason: String) -> String? {
    isRead = false
    isWritten = false
    if hasWarned { return nil }
    hasWarned = true
    return "\(reason); it is not used any more in this run"
  }
}

extension RemoteHealth.Outcome {
  /// The outcome of a failed request for an object.
  init?(_ error: FetchError) {
    switch error.kind {
    // These do not concern the store: this run ends, or its own disk is full.
    case .cancelled, .file: return nil
    case .http where error.status == 404 || error.status == 410: self = .absent
    // It is larger than this run takes.
    case .limit: self = .absent
    case .truncated: self = .wrong
    default: self = .unusable(error.reason)
    }
  }

  /// The outcome of a failed PUT. A connection that is lost during the answer counts like one that is lost before it:
  /// the difference depends only on how far the server had read.
  init?(ofPut error: FetchError) {
    if error.kind == .truncated { self = .unusable(error.reason) } else { self.init(error) }
  }

  /// The outcome of a PUT with that status.
  init(statusOfPut status: Int) {
    switch status {
    case 200..<300, 412: self = .present
    case 413: self = .tooLarge
    case 409:
      self = .unusable(
        "it answers 409 Conflict to a PUT: the folder is missing, and cannot be made (nginx: create_full_put_path on)")
    default: self = .unusable("it answers \(StatusPhrase.of(status)) to a PUT")
    }
  }
}
