/// Decides which images are put into a remote cache, which other users read: only those that any of them might have had
/// from the origin. A pure value.
enum RemoteRule {
  /// The reason why an answer is not put there, or nil if it may be.
  ///
  /// - Parameter isPublic: true if nothing in the request identifies the asker.
  static func obstacle(
    to key: CacheKey, from finalURL: String, status: Int, fields: HeaderFields, facts: ImageFacts?,
    for request: FetchRequest, isPublic: Bool
  ) -> String? {
    if key.salt != nil || !isPublic { return "the request says who asks" }
    if let secret = secret(in: fields, key, finalURL, request) { return secret }
    if !isHeld(key) { return "it is one of several answers" }
    if status != 200 || facts == nil { return "it is no whole image that was inspected" }
    return obstacle(in: fields).map { "its \($0)" }
  }

  /// The secret that all readers of the store would be told: a query that anyone who knows it may use.
  private static func secret(
    in fields: HeaderFields, _ key: CacheKey, _ finalURL: String, _ request: FetchRequest
  ) -> String? {
    if SecretQuery.isThere(in: key.url.utf8) || SecretQuery.isThere(in: finalURL.utf8) {
      return "its URL is signed, or holds a token"
    }
    if !request.options.keyFilter.isNone, finalURL.utf8.contains(UInt8(ascii: "?")) {
      return "its URL has a query of which the key is not to depend"
    }
    // The fields of the request that Vary names are stored.
    if case .fields(let names) = Variance(fields), names.contains("referer"),
      request.options.headers.contains(where: { field in
        field.name.lowercased() == "referer" && field.value?.utf8.contains(UInt8(ascii: "?")) == true
      })
    {
      return "its Referer has a query, and the answer depends on it"
    }
    var isTold = false
    fields.forEachLine { _, value in isTold = isTold || SecretQuery.isThere(in: value) }
    return isTold ? "its header names a URL that is signed, or holds a token" : nil
  }

  /// The mark in an answer that says that it is for one user, or nil if there is none. A redirect with such a mark is
  /// for one user, and so is all that it leads to.
  static func obstacle(in fields: HeaderFields) -> String? {
    var isForbidden = false
    // Also where it names fields only: other users would get the answer without them.
    CacheControl.forEach(in: fields) { name, _ in isForbidden = isForbidden || name == "private" || name == "no-store" }
    if isForbidden { return "Cache-Control forbids it" }
    return fields.contains("set-cookie") ? "Set-Cookie says that it is for one user" : nil
  }

  /// True if the status of a PUT may mean that its folder is missing: WebDAV's 409, and 404 from
  /// servers that deviate from it.
  static func lacksFolder(_ status: Int) -> Bool { status == 409 || status == 404 }

  /// True if the store had no such object before the PUT with that answer. Nil means that the status does not say.
  /// Buckets answer 200 to both.
  static func isFirst(_ status: Int) -> Bool? {
    switch status {
    case 201: true
    case 204, 412: false
    default: nil
    }
  }

  /// True if entries of this key can be in a remote cache. Of the answers of one URL, only the first can.
  static func isHeld(_ key: CacheKey) -> Bool { key.salt == nil && key.variant == nil && key.derivation == nil }
}

/// Decides whether the remote cache is still worth asking in this run. A pure value.
///
/// A store that cannot be reached, is slow, or refuses requests is left alone after the first time, so that it costs a
/// run one timeout and one warning. A wrong object costs a download. Several in a row without a right one, and the
/// store is left alone, too.
struct RemoteHealth: Sendable {
  /// The outcome of a request to the store.
  enum Outcome: Equatable, Sendable {
    /// The store has the entry, or has it now.
    case present
    /// The store has no such entry, or does not take this one.
    case absent
    /// The store takes no object of that size.
    case tooLarge
    /// The store's object of that name is not the entry.
    case wrong
    /// The store itself is of no use.
    case unusable(String)
  }

  private(set) var isRead: Bool
  private(set) var isWritten: Bool
  /// Wrong objects since the last right one.
  private var wrong = 0
  private var hasWarned = false
  private var hasToldOfSize = false

  /// The wrong objects in a row that are no accident: something else answers at that address.
  static let mostWrong = 3

  init(_ mode: RemoteCacheSettings.Mode) {
    isRead = mode != .write
    isWritten = mode != .read
  }

  /// Returns what to tell the user, if it is news.
  mutating func noteReading(_ outcome: Outcome) -> String? {
    guard isRead else { return nil }
    switch outcome {
    case .present: wrong = 0
    case .absent, .tooLarge: break
    case .wrong:
      wrong += 1
      guard wrong >= Self.mostWrong else { return nil }
      return giveUp("\(wrong) objects in a row are no entries of a cache")
    case .unusable(let reason): return giveUp(reason)
    }
    return nil
  }

  /// The same for an object that was put there. A store that cannot be written may still be read.
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
    // These say nothing of the store: this run ends, or its own disk is full.
    case .cancelled, .file: return nil
    case .http where error.status == 404 || error.status == 410: self = .absent
    // It is larger than this run takes.
    case .limit: self = .absent
    case .truncated: self = .wrong
    default: self = .unusable(error.reason)
    }
  }

  /// The outcome of a PUT with that status.
  init(statusOfPut status: Int) {
    switch status {
    case 200..<300, 412: self = .present
    case 413: self = .tooLarge
    case 409:
      self = .unusable(
        "it answers 409 Conflict to a PUT: the folder is missing, and cannot be made (nginx: create_full_put_path on)")
    default: self = .unusable("it answers \(AnswerRule.phrase(status)) to a PUT")
    }
  }
}

/// The queue of entries that are still to be put into the remote cache. A pure value.
struct UploadQueue: Sendable {
  struct Entry: Equatable, Sendable {
    let key: CacheKey
    /// True if the store said that it has none.
    let isMissing: Bool
  }

  private var waiting = Queue<Entry>()
  private(set) var running = 0

  /// Entries beyond this are not put there: a key takes some 200 bytes, and a store that falls this far
  /// behind will not catch up.
  static let limit = 20_000
  /// The entries on their way at once. With fewer, an entry is put there late, and downloaded by
  /// other machines meanwhile.
  static let mostRunning = 32

  /// The number of entries that wait or are on their way.
  var count: Int { waiting.count + running }
  var isDone: Bool { count == 0 }

  mutating func add(_ entry: Entry) {
    if waiting.count < Self.limit { waiting.append(entry) }
  }

  /// The next entry to put there now, or nil if none is left or enough are on their way.
  mutating func next() -> Entry? {
    guard running < Self.mostRunning, let entry = waiting.popFirst() else { return nil }
    running += 1
    return entry
  }

  mutating func ended() { running -= 1 }

  /// Drops the entries that wait.
  mutating func clear() { waiting = Queue() }
}
