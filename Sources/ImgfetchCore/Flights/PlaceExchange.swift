/// One request to a place: a web server's folder, or a bucket, that the user writes into or reads from.
struct PlaceRequest: Sendable {
  enum Body: Sendable {
    case none
    /// A part of the file that the conversation is about.
    case file(from: Int64, count: Int64)
    case bytes([UInt8])
  }

  var method = "GET"
  var url: WebURL
  /// The query, without the question mark.
  var query: String?
  /// The header fields, of which those that begin with `x-amz-` are signed.
  var fields: [(name: String, value: String)] = []
  var body = Body.none
  /// The bytes of the answer's body that are kept. The rest is not awaited.
  var keeps = 64 << 10
  /// True if the body is only hashed, to its end.
  var isDigested = false
  /// Nil: as for images.
  var connectTimeout: Instant.Span?
}

/// The answer of a place.
struct PlaceAnswer: Sendable {
  var status: Int
  var fields = HeaderFields()
  var body: [UInt8] = []
  /// The hash of the body, if it was asked for.
  var digest: ContentHash?

  var isSuccess: Bool { (200..<300).contains(status) }
  var isAbsent: Bool { status == 404 || status == 410 }
}

/// The end of a request to a place.
enum PlaceReply: Sendable {
  case answered(PlaceAnswer)
  case failed(FetchError)
}

/// A conversation with a place. A pure value: it is given the outcome of each request, and returns the next step.
protocol PlaceConversation: Sendable {
  /// The first request.
  mutating func begin() -> PlaceStep
  /// Decides what follows a reply.
  ///
  /// - Parameters:
  ///   - random: between 0 and 1.
  ///   - now: the time on the wall, for a `Retry-After` that is a date.
  mutating func handle(_ reply: PlaceReply, random: Double, now: WallTime) -> PlaceStep
}

enum PlaceStep: Sendable {
  case send(PlaceRequest, after: Instant.Span)
  case done

  static func send(_ request: PlaceRequest) -> PlaceStep { .send(request, after: .seconds(0)) }
}

/// Counts the attempts at one request, and says what its last one came to.
struct PlaceAttempts: Sendable {
  enum Verdict {
    case again(after: Instant.Span)
    case answered(PlaceAnswer)
    case failed(FetchError)
  }

  let rule: RetryRule
  /// The number of attempts of this request.
  private(set) var count = 0

  init(_ rule: RetryRule) { self.rule = rule }

  /// Prepares for another request.
  mutating func reset() { count = 0 }

  /// Judges a reply.
  ///
  /// - Parameter furtherStatuses: the statuses that pass, besides the usual ones.
  mutating func judge(
    _ reply: PlaceReply, of url: WebURL, furtherStatuses: Set<Int> = [], random: Double, now: WallTime
  ) -> Verdict {
    count += 1
    switch reply {
    case .failed(let error):
      let decision = rule.decide(isTransient: error.isTransient, attempts: count, retryAfter: nil, random: random)
      if case .retry(let pause) = decision { return .again(after: pause) }
      return .failed(error)
    case .answered(let answer):
      let isTransient =
        RetryRule.transientStatuses.contains(answer.status) || furtherStatuses.contains(answer.status)
      guard isTransient else { return .answered(answer) }
      let patience = answer.fields.first("Retry-After").flatMap { RetryAfter.parse($0, now: now) }
      let decision = rule.decide(isTransient: true, attempts: count, retryAfter: patience, random: random)
      if case .retry(let pause) = decision { return .again(after: pause) }
      return .answered(answer)
    }
  }
}

/// The errors that users are told for the answers of places.
enum PlaceErrors {
  /// An answer that is no success.
  static func refusal(_ answer: PlaceAnswer, of request: String, _ url: WebURL) -> FetchError {
    let code = S3Document.errorCode(in: answer.body).map { " (\($0))" } ?? ""
    let advice = advice(answer.status, request, url).map { ": \($0)" } ?? ""
    return FetchError(
      .http, url.display, "the place answers \(AnswerRule.phrase(answer.status))\(code) to a \(request)\(advice)",
      isTransient: RetryRule.transientStatuses.contains(answer.status), status: answer.status)
  }

  private static func advice(_ status: Int, _ request: String, _ url: WebURL) -> String? {
    switch status {
    case 300..<400: "places are not followed elsewhere; give the URL that it leads to"
    // Stores say so in the body, which the answer to a HEAD lacks.
    case 400 where url.account?.keys?.sessionToken != nil: "the session token may be wrong, or no longer valid"
    case 401: "it wants to know who asks"
    case 403: "the account may not do that there"
    case 404 where S3Account.isAddress(url.typed): "is there such a bucket?"
    case 405 where !S3Account.isAddress(url.typed), 501 where !S3Account.isAddress(url.typed):
      "a server is wanted that takes PUT, MOVE and DELETE (nginx: dav_methods PUT DELETE MKCOL MOVE)"
    case 409: "the folder is missing, and cannot be made (nginx: create_full_put_path on)"
    case 413: "it takes no files of that size (nginx: client_max_body_size 0)"
    case 507: "it has no room"
    default: nil
    }
  }
}
