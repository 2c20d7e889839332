import ImgfetchCore

/// Reads the URLs of a run: those in buckets with the run's account, all others as they are. Text that is no URL is
/// refused, and no name in it is looked up.
struct URLReader: Sendable {
  private let account: (@Sendable () throws(URLFailure) -> S3Account)?
  private let failure: (@Sendable () -> RunFailure?)?

  /// - Parameters:
  ///   - account: Called for each URL in a bucket; nil if there are none.
  ///   - failure: The reason why there is no account, once one was needed.
  init(
    _ account: (@Sendable () throws(URLFailure) -> S3Account)? = nil, failure: (@Sendable () -> RunFailure?)? = nil
  ) {
    self.account = account
    self.failure = failure
  }

  /// The reason why no URL in a bucket can be read: a mistake in the set-up, and not in the lines. Nil if none was
  /// found so far.
  var brokenAccount: RunFailure? { failure?() }

  func url(_ given: String) throws(URLFailure) -> WebURL {
    let text = try TypedURL.text(of: given, isLocal: ProcessEnvironment.exists)
    guard S3Account.isAddress(text), let account else {
      let url = try WebURL(text)
      if let user = url.user, user.utf8.elementsEqual(WebURL.mask.utf8) { throw .otherText(Self.masked) }
      return url
    }
    return try account().url(text)
  }

  /// The mask that rows and messages have would be sent as a name.
  private static let masked =
    "the name and password in it are masked (***), as rows and messages show them; write them out, or leave them out and "
    + "give --netrc or --user"
}
