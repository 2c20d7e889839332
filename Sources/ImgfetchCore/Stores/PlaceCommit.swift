/// Gives an object its name: whole, and only if no other attempt was first, as far as the place supports that. A pure
/// value.
///
/// A web server gets the file under a temporary name, and then moves it, if the name is free (`Overwrite: F`), since
/// most servers ignore a condition on PUT. A bucket gets one PUT with the condition that there is no object
/// (`If-None-Match: *`), or, above the limit of one PUT, parts that are completed under that condition.
package struct PlaceCommit: PlaceConversation {
  /// The object to be put, and its place.
  struct Object: Sendable {
    var url: WebURL
    /// A URL on the same server that nothing reads, or nil for a bucket, in which nothing is visible before it is
    /// complete.
    var temporary: WebURL?
    /// The folders that it is in, the outermost first. They are made if the server says that they are missing.
    var folders: [WebURL] = []
    var length: Int64
    var type: String
    /// A text that differs for each attempt, with which a bucket's object can be attributed to its attempt.
    var mark: String
    /// Further fields that a bucket keeps with it: `x-amz-meta-…`.
    var fields: [(name: String, value: String)] = []
    var replaces = false
    /// True if the place is asked first for the object, which saves sending a large file in vain.
    var asksFirst = true
  }

  /// Sizes of a bucket's uploads.
  struct Limits: Sendable {
    /// The limit of one PUT: 5 GiB, by Amazon's documentation.
    var single: Int64 = 5 << 30
    /// The size above which a file is sent in parts, of which 10,000 are allowed.
    var part: Int64 = 64 << 20

    static let mostParts: Int64 = 10_000

    func partSize(of length: Int64) -> Int64 { max(part, (length + Self.mostParts - 1) / Self.mostParts) }
  }

  private enum Phase {
    case looking, putting, makingFolders, moving
    /// A request was repeated, by libcurl or by this, because its answer was lost, and finds the effect of the first
    /// one. So a move to a name that is taken may have succeeded, if the temporary file is gone; and a move of a
    /// temporary file that is gone, if the name is taken.
    case lookingForTemporary, lookingForTarget
    case beginningUpload, sendingPart, completing
    /// A bucket says that there is an object. For the same reason it may be this attempt's.
    case askingWhose
    /// The remains of an attempt are being removed.
    case removing
  }

  let object: Object
  /// The outcome, or nil until it is known.
  private(set) var outcome: Result<CommitOutcome, FetchError>?
  private let limits: Limits
  private var phase = Phase.looking
  private var attempts: PlaceAttempts
  private var isConditional = true
  private var folders: MissingFolders
  private var uploadID: String?
  private var tags: [String] = []
  /// The error of an unexpected answer to one of these questions.
  private var refusal: FetchError?

  init(_ object: Object, _ rule: RetryRule, limits: Limits = Limits()) {
    self.object = object
    self.limits = limits
    folders = MissingFolders(object.folders)
    attempts = PlaceAttempts(rule)
  }

  private var isBucket: Bool { object.temporary == nil }

  mutating func begin() -> PlaceStep {
    if object.replaces || !object.asksFirst { return start() }
    return .send(request)
  }

  private mutating func start() -> PlaceStep {
    go(to: isBucket && object.length > limits.single ? .beginningUpload : .putting)
  }

  private mutating func go(to next: Phase) -> PlaceStep {
    phase = next
    attempts.reset()
    return .send(request)
  }

  mutating func handle(_ reply: PlaceReply, random: Double, now: WallTime) -> PlaceStep {
    // The answer does not matter.
    if case .removing = phase { return .done }
    // Another attempt at the same name is on its way: it may fail.
    let further: Set<Int> = isBucket && (phase == .putting || phase == .completing) ? [409] : []
    switch attempts.judge(reply, furtherStatuses: further, random: random, now: now) {
    case .again(let pause): return .send(request, after: pause)
    case .failed where phase == .makingFolders: return passFolder()
    case .failed(let error): return phase == .looking ? start() : end(.failure(error))
    case .answered(let answer): return take(answer)
    }
  }

  private mutating func take(_ answer: PlaceAnswer) -> PlaceStep {
    switch phase {
    // The PUT will show any other problem.
    case .looking: return answer.isSuccess ? end(.success(.lost)) : start()
    case .putting: return isBucket ? takeOfBucket(answer) : takeOfServer(answer)
    case .moving: return takeOfMove(answer)
    case .lookingForTemporary: return end(.success(answer.isAbsent ? .done : .lost))
    case .lookingForTarget: return end(answer.isSuccess ? .success(.done) : .failure(refusal ?? .cancelled))
    case .beginningUpload, .sendingPart, .completing: return takeOfUpload(answer)
    case .askingWhose:
      guard answer.isSuccess else { return end(.failure(refusal ?? .cancelled)) }
      return end(.success(answer.fields.first(Self.markField) == object.mark ? .done : .lost))
    case .makingFolders: return passFolder()
    case .removing: return .done
    }
  }

  // MARK: A web server

  private mutating func takeOfServer(_ answer: PlaceAnswer) -> PlaceStep {
    if answer.isSuccess { return go(to: .moving) }
    if !object.folders.isEmpty, folders.begin(after: answer.status) { return go(to: .makingFolders) }
    return end(.failure(PlaceErrors.refusal(answer, of: "PUT", object.url)))
  }

  private mutating func passFolder() -> PlaceStep {
    folders.noteAnswer()
    return go(to: folders.request == nil ? .putting : .makingFolders)
  }

  private mutating func takeOfMove(_ answer: PlaceAnswer) -> PlaceStep {
    if answer.isSuccess { return end(.success(.done)) }
    refusal = PlaceErrors.refusal(answer, of: "MOVE", object.url)
    if answer.isAbsent { return go(to: .lookingForTarget) }
    if answer.status == 412 { return go(to: .lookingForTemporary) }
    return end(.failure(refusal ?? .cancelled))
  }

  // MARK: A bucket

  private static let markField = "x-amz-meta-imgfetch-attempt"

  private mutating func takeOfBucket(_ answer: PlaceAnswer) -> PlaceStep {
    if answer.isSuccess { return end(.success(isConditional ? .done : .doneUnguarded)) }
    refusal = PlaceErrors.refusal(answer, of: "PUT", object.url)
    return missedCondition(answer) ?? end(.failure(refusal ?? .cancelled))
  }

  /// The step that follows an answer about the condition, or nil if it is about something else.
  private mutating func missedCondition(_ answer: PlaceAnswer) -> PlaceStep? {
    if answer.status == 412 { return go(to: .askingWhose) }
    // A store that knows no conditions says so, or ignores them.
    if answer.status == 501, isConditional, !object.replaces {
      isConditional = false
      return .send(request)
    }
    return nil
  }

  private mutating func takeOfUpload(_ answer: PlaceAnswer) -> PlaceStep {
    // An upload may turn out to have failed after the status was sent.
    let code = S3Document.errorCode(in: answer.body)
    let isFine = answer.isSuccess && code == nil
    switch phase {
    case .beginningUpload:
      guard isFine, let id = S3Document.text(of: "UploadId", in: answer.body), !id.isEmpty else {
        return end(.failure(PlaceErrors.refusal(answer, of: "POST", object.url)))
      }
      uploadID = id
      return go(to: .sendingPart)
    case .sendingPart:
      guard isFine, let tag = answer.fields.first("ETag") else {
        return end(.failure(PlaceErrors.refusal(answer, of: "PUT", object.url)))
      }
      tags.append(tag)
      let isLast = Int64(tags.count) * limits.partSize(of: object.length) >= object.length
      return go(to: isLast ? .completing : .sendingPart)
    default:
      if isFine {
        uploadID = nil
        return end(.success(isConditional ? .done : .doneUnguarded))
      }
      refusal = PlaceErrors.refusal(answer, of: "POST", object.url)
      // An upload that is no longer there may have been completed.
      if answer.status == 404 {
        uploadID = nil
        return go(to: .askingWhose)
      }
      return missedCondition(answer) ?? end(.failure(refusal ?? .cancelled))
    }
  }

  // MARK: The end

  private mutating func end(_ outcome: Result<CommitOutcome, FetchError>) -> PlaceStep {
    self.outcome = outcome
    let isLeft: Bool
    switch (phase, outcome) {
    case (.looking, _): isLeft = false
    case (_, .success(.done)), (_, .success(.doneUnguarded)): isLeft = uploadID != nil
    // A server that refuses a PUT has kept nothing.
    case (.putting, .failure(let error)): isLeft = !isBucket && !(400..<500).contains(error.status ?? 0)
    default: isLeft = !isBucket || uploadID != nil
    }
    return isLeft ? go(to: .removing) : .done
  }

  // MARK: The requests

  private var request: PlaceRequest {
    var request = PlaceRequest(url: object.url)
    switch phase {
    case .looking, .askingWhose, .lookingForTarget: request.method = "HEAD"
    case .putting:
      request.method = "PUT"
      request.url = object.temporary ?? object.url
      request.fields = [("Content-Type", object.type)] + (isBucket ? condition + marks : [])
      request.body = .file(from: 0, count: object.length)
    case .makingFolders: request = folders.request ?? request
    case .moving:
      request.method = "MOVE"
      request.url = object.temporary ?? object.url
      request.fields = [("Destination", object.url.requestURL), ("Overwrite", object.replaces ? "T" : "F")]
    case .lookingForTemporary:
      request.method = "HEAD"
      request.url = object.temporary ?? object.url
    case .beginningUpload, .sendingPart, .completing: request = requestOfUpload
    case .removing:
      request.method = "DELETE"
      request.url = object.temporary ?? object.url
      request.query = uploadQuery
    }
    return request
  }

  private var condition: [(name: String, value: String)] {
    isConditional && !object.replaces ? [("If-None-Match", "*")] : []
  }

  private var marks: [(name: String, value: String)] { [(Self.markField, object.mark)] + object.fields }

  private var uploadQuery: String? { uploadID.map { "uploadId=" + SignatureV4.encoded(Array($0.utf8)) } }

  private var requestOfUpload: PlaceRequest {
    var request = PlaceRequest(url: object.url)
    switch phase {
    case .beginningUpload:
      request.method = "POST"
      request.query = "uploads="
      request.fields = [("Content-Type", object.type)] + marks
    case .sendingPart:
      let size = limits.partSize(of: object.length)
      let start = Int64(tags.count) * size
      request.method = "PUT"
      request.query = "partNumber=\(tags.count + 1)&\(uploadQuery ?? "")"
      request.body = .file(from: start, count: min(size, object.length - start))
    default:
      request.method = "POST"
      request.query = uploadQuery
      request.fields = [("Content-Type", "application/xml")] + condition
      request.body = .bytes(S3Document.completion(of: tags))
    }
    return request
  }
}
