/// The purpose of a request. It decides which hooks and limits apply to the request, and how its answer may be used.
///
/// A purpose is not part of the options, which are the same for an image and for a file that the image waits for. Its
/// size does not matter: all copies of a request share one (``SharedOptions``).
package enum RequestPurpose: Sendable {
  /// An image that a caller waits for: the purpose of each request unless another one is set.
  case image
  /// A check of what the caches have of an image, before the request for it.
  case look
  /// The revalidation of a stale answer that was already served, under ``CachePolicy/http``.
  case refresh
  /// A file in which an origin states its rules, such as robots.txt. Requests for images wait for it. If the file is
  /// too large to be received as a whole, the stream takes the beginning.
  case originRules(beginning: (any BodyStream)? = nil)
  /// An entry of the user's own remote cache. A request for an image waits for it.
  case entry(Entry)
  /// A list of images, which the stream takes as it comes.
  case list(any BodyStream)
  /// A page that names images, or leads to further pages. The stream takes it as it comes.
  case page(any BodyStream)

  /// The time in seconds that the remote cache may take for one answer, and the origin that is asked if it has none.
  package struct Entry: Hashable, Sendable {
    package var connect: Double
    package var answer: Double
    package var onward: Origin?
  }
}

extension RequestPurpose {
  /// The limits of a request to the remote cache, which is not tried again, or nil for all other purposes.
  var entry: Entry? { if case .entry(let entry) = self { entry } else { nil } }

  /// True if the remote cache is asked, and no origin of images.
  var asksRemoteCache: Bool { if case .entry = self { true } else { false } }

  /// The origin that is asked next if this request has no answer, or nil if none is.
  var onward: Origin? { entry?.onward }

  /// The stream that takes the body instead of the caches and the sink, or nil if they do.
  package var stream: (any BodyStream)? {
    switch self {
    case .originRules(let stream): stream
    case .list(let stream), .page(let stream): stream
    case .image, .look, .refresh, .entry: nil
    }
  }

  /// True if the caches are asked as well. Lists and pages are in none.
  var isCached: Bool {
    switch self {
    case .list, .page: false
    case .image, .look, .refresh, .originRules, .entry: true
    }
  }

  /// True if other requests wait for the origin's rules that this one asks for.
  var isForOriginRules: Bool { if case .originRules = self { true } else { false } }

  /// True if this request revalidates an answer that was already served.
  var isRefresh: Bool { if case .refresh = self { true } else { false } }

  /// True if a program's hooks are called for the request. They are not if the request is on behalf of another.
  var concernsProgram: Bool {
    switch self {
    case .image, .look, .refresh, .list, .page: true
    case .originRules, .entry: false
    }
  }

  /// True if the program is told of the result. A look is part of the request that follows.
  var countsForProgram: Bool { if case .look = self { false } else { concernsProgram } }

  /// True if the answer may be in a store of the user's own, which gets the store's credentials.
  var mayLieInStore: Bool {
    switch self {
    case .entry, .list, .page: true
    case .image, .look, .refresh, .originRules: false
    }
  }

  /// The signature of a request for this purpose whose options have the given one. Requests for different purposes do
  /// not share a download, except a look and an image.
  func signature(with options: Int) -> Int {
    var hasher = Hasher()
    hasher.combine(options)
    switch self {
    case .image, .look: return options
    case .refresh: hasher.combine(1)
    case .originRules: hasher.combine(2)
    case .entry(let entry):
      hasher.combine(3)
      hasher.combine(entry)
    case .list: hasher.combine(4)
    case .page: hasher.combine(5)
    }
    return hasher.finalize()
  }
}
