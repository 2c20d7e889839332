/// The purpose of a request. It decides which hooks and limits apply to the request, and what its answer is good for.
///
/// It stands beside the options, which are the same for an image and for a file that the image waits for. Its size does
/// not matter: all copies of a request share one (``SharedOptions``).
package enum RequestPurpose: Sendable {
  /// An image, which a caller waits for: the purpose of each request unless another one is set.
  case image
  /// The revalidation of a stale answer that was already served, under ``CachePolicy/http``.
  case refresh
  /// A file in which an origin states its rules, such as robots.txt. Requests for images wait for it.
  case originRules
  /// An entry of the user's own remote cache. A request for an image waits for it.
  case entry(Entry)

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

  /// True if other requests wait for the origin's rules that this one asks for.
  var isForOriginRules: Bool { if case .originRules = self { true } else { false } }

  /// True if this request revalidates what was served already.
  var isRefresh: Bool { if case .refresh = self { true } else { false } }

  /// True if a program's hooks concern the request. They do not concern one on behalf of another.
  var concernsProgram: Bool {
    switch self {
    case .image, .refresh: true
    case .originRules, .entry: false
    }
  }

  /// The signature of a request for this purpose whose options have the given one. Unlike purposes share no download.
  func signature(with options: Int) -> Int {
    if case .image = self { return options }
    var hasher = Hasher()
    hasher.combine(options)
    switch self {
    case .image: break
    case .refresh: hasher.combine(1)
    case .originRules: hasher.combine(2)
    case .entry(let entry):
      hasher.combine(3)
      hasher.combine(entry)
    }
    return hasher.finalize()
  }
}
