import ImgfetchCore

/// Reads the URLs of a run: those in buckets by the run's account, all others as they are.
struct URLReader: Sendable {
  private let account: (@Sendable () throws(URLFailure) -> S3Account)?

  /// - Parameter account: called for each URL in a bucket; nil: there are none.
  init(_ account: (@Sendable () throws(URLFailure) -> S3Account)? = nil) { self.account = account }

  func url(_ text: String) throws(URLFailure) -> WebURL {
    guard S3Account.isAddress(text), let account else { return try WebURL(text) }
    return try account().url(text)
  }
}
