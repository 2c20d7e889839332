import ImgfetchCore

/// Reads the URLs of a run: those in buckets by the run's account, all others as they are. Text that is no URL is refused, and no name in
/// it is looked up.
struct URLReader: Sendable {
  private let account: (@Sendable () throws(URLFailure) -> S3Account)?
  private let failure: (@Sendable () -> (message: String, exitCode: Int32)?)?

  /// - Parameters:
  ///   - account: called for each URL in a bucket; nil: there are none.
  ///   - failure: why there is no account, once it was asked for in vain.
  init(
    _ account: (@Sendable () throws(URLFailure) -> S3Account)? = nil,
    failure: (@Sendable () -> (message: String, exitCode: Int32)?)? = nil
  ) {
    self.account = account
    self.failure = failure
  }

  /// Why no URL in a bucket can be read: a mistake of the set-up, and not of the lines; nil: none was found yet.
  var brokenAccount: (message: String, exitCode: Int32)? { failure?() }

  func url(_ given: String) throws(URLFailure) -> WebURL {
    let text = try TypedURL.text(of: given, isLocal: ProcessEnvironment.exists)
    guard S3Account.isAddress(text), let account else { return try WebURL(text) }
    return try account().url(text)
  }
}
