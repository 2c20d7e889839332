/// The state in which a flight begins to use the network.
struct DownloadStart: Sendable {
  /// The URL that the first waiter gave and that led here: the image's own, or a mirror.
  let givenURL: WebURL
  /// True if the URL is a mirror.
  var isOfMirror = false
  /// The first waiter's options, which decide.
  let shared: SharedOptions
  /// The URL to begin with: the request's own, the target of a stored redirect, or a mirror.
  let url: WebURL
  var hops = 0
  var mirrors: ArraySlice<WebURL>
  /// True if an answer on the way here came from a public address.
  var isFromPublic = false
  /// True if a URL or mirror that was given up before may have the image later.
  var mayPass = false
  /// The rules of caching for the network.
  var caching = NetworkCaching.byAge
  /// True if the origin is asked about a stored copy.
  var asksConditionally = false
  /// The resource of the stored copy that the origin is asked about, or nil if there is none.
  var validated: ValidatedResource?
  /// The failures of the URL and mirrors so far, or nil if there are no mirrors.
  var mirrorFailures: MirrorFailures?
  /// The incomplete body that is to be resumed.
  var resumption: Resumption?
  /// The cost of the flight on the network so far.
  var costBefore = Traffic()
  var retry = RetryRule(limit: 2)
  /// The end of the flight's time, or nil if it has no limit or its time does not run yet.
  var deadline: Instant?
  var trail: RedirectTrail { RedirectTrail(url: url, hops: hops, isFromPublic: isFromPublic) }

  init(_ givenURL: WebURL, _ shared: SharedOptions, at url: WebURL, mirrors: ArraySlice<WebURL>) {
    self.givenURL = givenURL
    self.shared = shared
    self.url = url
    self.mirrors = mirrors
  }
}

/// The resource that a stored copy's validators belong to, wherever the copy is kept.
///
/// Only its URL may be asked with these validators. Two servers may have the same ETag for different images, so after a
/// mirror or the target of a redirect has answered, another server could confirm the wrong image.
struct ValidatedResource: Sendable {
  /// The URL that answered, as it was stored.
  private let finalURL: String
  /// The filter that gives several URLs of one image the same key.
  private let filter: KeyFilter

  /// - Parameter key: the key under which the copy is kept. With a key that was given by the user, as for signed
  ///   URLs, the query may differ each time.
  init(finalURL: String, key: String, filter: KeyFilter) {
    self.finalURL = finalURL
    self.filter = KeyFilter.isGiven(key) ? KeyFilter(ignoreQuery: true) : filter
  }

  /// True if a URL is the resource's.
  func isAt(_ url: WebURL) -> Bool {
    if url.displayWithScheme == finalURL { return true }
    guard let stored = try? WebURL(finalURL) else { return false }
    return filter.key(for: stored) == filter.key(for: url)
  }
}
