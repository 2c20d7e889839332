/// Puts an image into a place under one of its names, by the same rules as in folders, as far as the place can say what
/// is there. A pure value.
///
/// An object of a bucket has a mark that names its image, as a file's attribute does. A web server keeps no such mark:
/// a file there is this image's if it has the bytes of an earlier version. An object of another program, or one that
/// was changed since, is never replaced, unless the user says so.
struct PlaceOutput: PlaceConversation {
  /// An image, and the demands on its name.
  struct Image: Sendable {
    /// The objects that it may be, the plain name first.
    let candidates: [PlaceCommit.Object]
    let options: OutputOptions
    let hash: ContentHash
    let length: Int64
    /// True if no object is expected to be there, so that the place is not asked first.
    let assumesNew: Bool

    /// Identifies the image in the marks of objects.
    var key: String { options.key?.hex ?? "" }
    /// The mark of the same image under its other scheme, or nil if it has none.
    var otherKey: String? { OutputKey.otherScheme(of: options.keyText).map { OutputKey(of: $0).hex } }
  }

  private enum Phase {
    case looking
    /// The bytes of the object of unknown origin are compared.
    case comparing
    /// The bytes of an object that would be replaced are compared with its mark.
    case checking(mark: String)
    case committing(PlaceCommit, isReplacing: Bool)
  }

  private let image: Image
  private let rule: RetryRule
  /// The index of the candidate that is examined.
  private(set) var place: Int
  /// The outcome, or nil until it is known.
  private(set) var outcome: Result<OutputChange, FetchError>?
  private var phase = Phase.looking
  private var attempts: PlaceAttempts
  private var races = 0
  private var reason = NameDigits.ofAnother

  /// A lost race means that something else was faster. This many in a row mean that something is broken.
  private static let mostRaces = 8

  static let keyField = "x-amz-meta-imgfetch-key"
  static let hashField = "x-amz-meta-imgfetch-hash"

  init(_ image: Image, _ rule: RetryRule) {
    self.image = image
    self.rule = rule
    place = min(image.options.first, image.candidates.count - 1)
    attempts = PlaceAttempts(rule)
  }

  private var object: PlaceCommit.Object { image.candidates[place] }

  /// The reason why the name got digits for the first time, or nil if it did not.
  var newDigits: NameDigits? { place > image.options.first && outcome == .success(.new) ? reason : nil }

  mutating func begin() -> PlaceStep { image.assumesNew ? commit(replacing: false) : look() }

  private mutating func look() -> PlaceStep {
    phase = .looking
    attempts.reset()
    return .send(PlaceRequest(method: "HEAD", url: object.url))
  }

  private mutating func commit(replacing: Bool) -> PlaceStep {
    var object = object
    object.replaces = replacing
    object.asksFirst = false
    if object.temporary == nil { object.fields = [(Self.keyField, image.key), (Self.hashField, image.hash.hex)] }
    var commit = PlaceCommit(object, rule)
    let step = commit.begin()
    phase = .committing(commit, isReplacing: replacing)
    return step
  }

  mutating func handle(_ reply: PlaceReply, random: Double, now: WallTime) -> PlaceStep {
    if case .committing(var commit, let isReplacing) = phase {
      let step = commit.handle(reply, random: random, now: now)
      phase = .committing(commit, isReplacing: isReplacing)
      if case .send = step { return step }
      return committed(commit.outcome, isReplacing: isReplacing)
    }
    switch attempts.judge(reply, random: random, now: now) {
    case .again(let pause): return .send(request, after: pause)
    case .failed(let error): return end(.failure(error))
    case .answered(let answer):
      switch phase {
      case .comparing: return compare(answer)
      case .checking(let mark): return check(answer, mark)
      case .looking, .committing: return judge(answer)
      }
    }
  }

  private var request: PlaceRequest {
    switch phase {
    case .comparing, .checking: PlaceRequest(url: object.url, keeps: 0, isDigested: true)
    case .looking, .committing: PlaceRequest(method: "HEAD", url: object.url)
    }
  }

  private mutating func committed(_ outcome: Result<CommitOutcome, FetchError>?, isReplacing: Bool) -> PlaceStep {
    switch outcome {
    case .success(.done)?, .success(.doneUnguarded)?: return end(.success(isReplacing ? .changed : .new))
    case .failure(let error)?: return end(.failure(error))
    case .success(.lost)?, nil:
      races += 1
      guard races <= Self.mostRaces else {
        return end(
          .failure(FetchError(.file, object.url.display, "what is there changes all the time", isTransient: true)))
      }
      return look()
    }
  }

  /// Judges the existing object by the head of the answer.
  private mutating func judge(_ answer: PlaceAnswer) -> PlaceStep {
    if answer.isAbsent { return commit(replacing: false) }
    // A 403 to HEAD does not mean that PUT is refused.
    guard answer.isSuccess else { return answer.status == 403 ? commit(replacing: false) : refuse(answer) }
    if image.options.keepsExisting { return end(.success(.kept)) }
    let isSameLength = answer.fields.first("Content-Length").flatMap(Int64.init) == image.length
    guard object.temporary == nil, let key = answer.fields.first(Self.keyField) else {
      // Its bytes matter only if they may be the image's.
      guard isSameLength || (object.temporary != nil && !image.options.earlier.isEmpty) else { return passStranger() }
      phase = .comparing
      attempts.reset()
      return .send(request)
    }
    if key == image.key || key == image.otherKey {
      let isSame = isSameLength && answer.fields.first(Self.hashField) == image.hash.hex
      return isSame ? end(.success(.same)) : replace(answer)
    }
    guard image.options.replaces == .own else { return replace(answer) }
    guard place + 1 < image.candidates.count else {
      return end(.failure(FetchError(.file, object.url.display, "another image has that name")))
    }
    place += 1
    return look()
  }

  /// Replaces an object that bears a mark, if it has the bytes that the mark names: programs that change objects copy
  /// their fields, too.
  private mutating func replace(_ answer: PlaceAnswer) -> PlaceStep {
    if image.options.replaces == .any { return commit(replacing: true) }
    guard let mark = answer.fields.first(Self.hashField) else { return passStranger() }
    phase = .checking(mark: mark)
    attempts.reset()
    return .send(request)
  }

  private mutating func check(_ answer: PlaceAnswer, _ mark: String) -> PlaceStep {
    if answer.isAbsent { return commit(replacing: false) }
    guard answer.isSuccess else { return refuse(answer) }
    if answer.digest == image.hash { return end(.success(.same)) }
    return answer.digest?.hex.hasBytes(of: mark) == true ? commit(replacing: true) : passStranger()
  }

  private mutating func compare(_ answer: PlaceAnswer) -> PlaceStep {
    if answer.isAbsent { return commit(replacing: false) }
    guard answer.isSuccess else { return refuse(answer) }
    guard let digest = answer.digest else { return passStranger() }
    if digest == image.hash { return end(.success(.same)) }
    // Only if the object has no mark.
    return object.temporary != nil && image.options.earlier.contains(digest) ? commit(replacing: true) : passStranger()
  }

  /// Leaves an object of another program alone: the image gets the name with digits.
  private mutating func passStranger() -> PlaceStep {
    if image.options.replaces == .any { return commit(replacing: true) }
    guard place == 0, image.candidates.count > 1 else {
      return end(
        .failure(
          FetchError(
            .file, object.url.display,
            "cannot be put there: what has that name was not put there by imgfetch; remove it, or replace it by --overwrite"
          )))
    }
    reason = .ofStranger
    place = max(1, image.options.first)
    return look()
  }

  private mutating func refuse(_ answer: PlaceAnswer) -> PlaceStep {
    end(.failure(PlaceErrors.refusal(answer, of: "HEAD", object.url)))
  }

  private mutating func end(_ outcome: Result<OutputChange, FetchError>) -> PlaceStep {
    self.outcome = outcome
    return .done
  }
}
