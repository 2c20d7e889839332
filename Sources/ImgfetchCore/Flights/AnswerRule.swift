/// Judges the head of an answer, before any byte of its body is taken.
enum AnswerRule {
  enum Decision {
    /// The body is the image, if it turns out to be one.
    case take
    /// The stored image is still right.
    case notModified
    case redirect(to: WebURL)
    case fail(FetchError)
  }

  /// Judges an answer.
  ///
  /// - Parameters:
  ///   - shared: the shared options: a copy for each answer would retain all their members.
  ///   - isConditional: true if we asked "only if it changed".
  ///   - isRanged: true if we asked for a part only.
  static func decide(
    status: Int, fields: HeaderFields, contentLength: Int64?, url: WebURL, hops: Int, isConditional: Bool,
    isRanged: Bool, options shared: SharedOptions
  ) -> Decision {
    if status == 304 && isConditional { return .notModified }
    if RedirectRule.statuses.contains(status) {
      switch RedirectRule.decide(
        status: status, location: fields.first("Location"), from: url, hops: hops, options: shared.values)
      {
      case .follow(let target): return .redirect(to: target)
      case .refuse(let reason, let remedy):
        return .fail(FetchError(.refused, url.display, reason, status: status, remedy: remedy))
      case .notARedirect: break
      }
    }
    if status == 206 && !isRanged {
      return .fail(
        FetchError(.http, url.display, "the server sent a part (206) where the whole was asked for", status: status))
    }
    guard status == 206 || shared.values.acceptedStatuses.contains(status) else { return .fail(refusal(status, url)) }
    // An encoded body is not what was requested: a caller that accepts any body would store
    // compressed bytes as the image.
    switch ContentCoding(fields) {
    case .none: break
    case .gzip where status != 206: break
    case .gzip: return .fail(coded("gzip, of which this is a part", url, status))
    case .other(let names): return .fail(coded(names, url, status))
    }
    if let objection = fields.objection(by: shared.values.refusedTags) {
      return .fail(FetchError(.refused, url.display, objection, status: status))
    }
    if let contentLength, contentLength > shared.values.maximumBytes {
      return .fail(tooLarge(url, shared.values).answered(status))
    }
    return .take
  }

  private static func coded(_ names: String, _ url: WebURL, _ status: Int) -> FetchError {
    FetchError(
      .notImage, url.display, "the server sent it in a content coding (\(names.prefix(40))) that was not asked for",
      status: status)
  }

  static func tooLarge(_ url: WebURL, _ options: FetchOptions) -> FetchError {
    FetchError(.limit, url.display, "larger than \(options.maximumBytes) bytes", remedy: .allowMoreBytes)
  }

  /// The error for a status that is not accepted.
  static func refusal(_ status: Int, _ url: WebURL) -> FetchError {
    if status == 304 {
      return FetchError(
        .http, url.display,
        "the server answered 304 Not Modified, and there is no stored image that this could be about",
        status: status)
    }
    if (300..<400).contains(status) {
      return FetchError(
        .refused, url.display, "the server answered \(phrase(status)), which leads nowhere that could be followed",
        status: status)
    }
    // Only proxies ask for that.
    let answerer = status == 407 ? "a proxy" : "the server"
    return FetchError(
      .http, url.display, "\(answerer) answered \(phrase(status))",
      isTransient: RetryRule.transientStatuses.contains(status), status: status)
  }

  /// The status with the name that RFC 9110 gives it; a server's own words are not trusted.
  static func phrase(_ status: Int) -> String {
    let names: [Int: String] = [
      204: "No Content", 206: "Partial Content", 300: "Multiple Choices", 301: "Moved Permanently", 302: "Found",
      303: "See Other", 304: "Not Modified", 307: "Temporary Redirect", 308: "Permanent Redirect", 400: "Bad Request",
      401: "Unauthorized", 402: "Payment Required", 403: "Forbidden", 404: "Not Found", 405: "Method Not Allowed",
      406: "Not Acceptable", 407: "Proxy Authentication Required", 408: "Request Timeout", 409: "Conflict", 410: "Gone",
      412: "Precondition Failed", 416: "Range Not Satisfiable", 421: "Misdirected Request", 425: "Too Early",
      429: "Too Many Requests", 451: "Unavailable For Legal Reasons", 500: "Internal Server Error",
      501: "Not Implemented", 502: "Bad Gateway", 503: "Service Unavailable", 504: "Gateway Timeout",
    ]
    return names[status].map { "\(status) \($0)" } ?? String(status)
  }
}

/// The head of an answer whose body is taken. A reference, as it goes through several hands on two threads.
final class AnswerHead: Sendable {
  let url: WebURL
  let status: Int
  let fields: HeaderFields
  let contentLength: Int64?
  /// True if a truncated body can be detected. It cannot if only the end of the connection ends it.
  let hasCertainEnd: Bool
  let requestTime: WallTime
  let responseTime: WallTime
  /// The way on which the answer came.
  let provenance: Provenance

  init(
    url: WebURL, status: Int, fields: HeaderFields, contentLength: Int64?, requestTime: WallTime,
    responseTime: WallTime, provenance: Provenance = Provenance(), hasCertainEnd: Bool = false
  ) {
    self.url = url
    self.status = status
    self.fields = fields
    self.contentLength = contentLength
    self.hasCertainEnd = hasCertainEnd || contentLength != nil
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.provenance = provenance
  }
}

extension AnswerHead {
  /// True if the body comes compressed, and is stored uncompressed.
  var isCompressed: Bool { ContentCoding(fields) == .gzip }

  /// The head that the body has once its coding is undone.
  var decoded: AnswerHead {
    var plain = fields
    plain.remove(allOf: ContentCoding.ownFields)
    return AnswerHead(
      url: url, status: status, fields: plain, contentLength: nil, requestTime: requestTime, responseTime: responseTime,
      provenance: provenance, hasCertainEnd: hasCertainEnd)
  }

  /// The head of the whole answer, if this is the head of its rest: the earlier head, updated by this one (RFC 9111
  /// §3.4), with the length of the whole.
  func completing(_ earlier: HeaderFields, _ provenance: Provenance) -> AnswerHead {
    guard status == 206 else { return self }
    let total = fields.first("Content-Range").flatMap(ContentRange.parse)?.total
    var whole = earlier
    // As after a 304: the age counts from this answer.
    for name in ["Age", "Date"] { whole.remove(name) }
    _ = whole.update(from: fields)
    for name in ["Content-Range", "Content-Length"] { whole.remove(name) }
    if let total { whole.append("Content-Length", String(total)) }
    return AnswerHead(
      url: url, status: 200, fields: whole, contentLength: total.map(Int64.init), requestTime: requestTime,
      responseTime: responseTime, provenance: provenance.confirmed(by: self.provenance), hasCertainEnd: hasCertainEnd)
  }
}

/// Judges a redirect: the URL that it leads to, or the reason why it is not followed.
///
/// Each hop is a request of its own: it must be http or https, may not step down from https to http, is counted, and
/// meets the host rules like the first. Only fields without any identity go to another origin.
struct RedirectRule {
  enum Decision: Equatable {
    case follow(WebURL)
    /// An answer like any other, if its status is accepted.
    case notARedirect
    case refuse(reason: String, remedy: FetchError.Remedy?)
  }

  static let statuses = StatusSet(bounds: [301, 303, 307, 308])

  /// The fields that may go along to another origin.
  static let harmlessFields: Set<String> = ["accept", "accept-language", "user-agent"]

  static func decide(
    status: Int, location: String?, from url: WebURL, hops: Int, options: FetchOptions
  ) -> Decision {
    guard statuses.contains(status), let location else { return .notARedirect }
    guard hops < options.maximumRedirects else {
      if options.acceptedStatuses.contains(status) { return .notARedirect }
      return .refuse(
        reason: options.maximumRedirects == 0
          ? "redirects (\(status)), and no redirect may be followed"
          : "redirects more than \(options.maximumRedirects) times", remedy: .allowMoreRedirects)
    }
    let target: WebURL
    do { target = try url.resolving(location) } catch {
      return .refuse(reason: "redirects (\(status)) to what is not followed: \(error)", remedy: error.remedy)
    }
    if url.scheme == "https" && target.scheme == "http" && !options.allowsDowngrade {
      return .refuse(
        reason: "redirects (\(status)) from https to http (\(target.display)), which is not followed",
        remedy: .allowDowngrade)
    }
    return .follow(target)
  }

  /// The fields that go out to `target`, of those that the first origin got.
  static func fields(
    _ fields: [(name: String, value: String)], from first: Origin, to target: Origin
  ) -> [(name: String, value: String)] {
    first == target ? fields : fields.filter { harmlessFields.contains($0.name.lowercased()) }
  }
}

/// The way of a flight over redirects: where it has got to, and by way of what.
struct RedirectTrail: Sendable {
  private(set) var url: WebURL
  /// Redirects until here.
  private(set) var hops: Int
  /// True if an answer on the way came from a public address. From there, no redirect may lead to an
  /// address of another kind.
  private(set) var isFromPublic: Bool
  /// The kind of the addresses that answered on the way, or nil before the first answer.
  private var address: Provenance.Address?
  /// The origins that redirected on the way.
  private var passed: [String] = []
  /// The reason, found in the redirects on the way, why the image may not go into a remote
  /// cache. Nil means that it may.
  private(set) var sharingObstacle: String?

  init(url: WebURL, hops: Int, isFromPublic: Bool) {
    self.url = url
    self.hops = hops
    self.isFromPublic = isFromPublic
  }

  /// Moves on to the target of a redirect.
  mutating func follow(to target: WebURL) {
    if target.origin != url.origin {
      let origin = url.origin.description
      if !passed.contains(origin) { passed.append(origin) }
    }
    hops += 1
    url = target
  }

  /// Notes the kind of an address that answered.
  mutating func note(_ kind: Provenance.Address) { address = address?.followed(by: kind) ?? kind }

  /// Notes an answer that redirects.
  mutating func noteRedirect(_ fields: HeaderFields, isPublic: Bool) {
    if isPublic { isFromPublic = true }
    sharingObstacle = sharingObstacle ?? RemoteRule.obstacle(in: fields).map { "a redirect's \($0)" }
  }

  /// The way that an answer has come which comes now.
  var provenance: Provenance {
    // Where an answer came from is read off its URL later on, which only a URL that is shown as
    // it was sent says surely.
    let origins = url.isShownAsSent ? passed : passed + [url.origin.description]
    return Provenance(address ?? .unknown, otherOrigins: origins)
  }
}
