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
  ///   - isConditional: true if the request asked "only if it changed".
  ///   - isRanged: true if the request asked for a part only.
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

  static func refusal(_ status: Int, _ url: WebURL) -> FetchError {
    if status == 304 {
      return FetchError(
        .http, url.display,
        "the server answered 304 Not Modified, and there is no stored image that this could be about",
        status: status)
    }
    if (300..<400).contains(status) {
      return FetchError(
        .refused, url.display,
        "the server answered \(StatusPhrase.of(status)), which is no redirect that can be followed",
        status: status)
    }
    // Only proxies ask for that.
    let answerer = status == 407 ? "a proxy" : "the server"
    return FetchError(
      .http, url.display, "\(answerer) answered \(StatusPhrase.of(status))",
      isTransient: PassingStatuses.all.contains(status), status: status)
  }
}
