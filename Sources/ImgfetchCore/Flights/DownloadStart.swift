/// The state in which a flight sets out for the network.
struct DownloadStart: Sendable {
  /// The URL, of those that the first asker gave, that led here: the image's, or a mirror's.
  let givenURL: WebURL
  /// True if the URL is a mirror.
  var isOfMirror = false
  /// The first asker's options, which decide.
  let shared: SharedOptions
  /// The place to begin: the request's URL, or the target of a stored redirect or a mirror.
  let url: WebURL
  var hops = 0
  var mirrors: ArraySlice<WebURL>
  /// True if an answer on the way here came from a public address.
  var isFromPublic = false
  /// True if one of the places that were given up before may have the image later.
  var mayPass = false
  /// The rules of caching for the network.
  var caching = NetworkCaching.byAge
  /// True if the origin is asked about a stored copy.
  var asksConditionally = false
  /// The resource of the stored copy, or nil if it is of this hop.
  var validated: ValidatedResource?
  /// The failures of other places before, or nil if there are no others.
  var places: PlaceFailures?
  /// The incomplete body that is to be resumed.
  var resumption: Resumption?
  /// The earlier cost of the flight on the network.
  var costBefore = Traffic()
  var retry = RetryRule(limit: 2)
  /// The end of the flight's time, or nil if it has no limit.
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
/// Only its URL may be asked by them. Two servers may have the same ETag for different images, and another server would
/// confirm the wrong one, such as after a mirror or a redirect's target has answered.
struct ValidatedResource: Sendable {
  /// The URL that answered, as it was stored.
  private let finalURL: String
  /// The filter that gives several URLs of one image the same key.
  private let filter: KeyFilter

  /// - Parameter key: The one that the copy is kept under. Under a given one, as for signed URLs, the query
  ///   may be another each time.
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
