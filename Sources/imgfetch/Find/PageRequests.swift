import ImgfetchCore

/// The options of requests for pages: those of the run, without what is demanded of images.
struct PageRequests {
  private let options: FetchOptions
  /// The policy of the run for images, as far as it is about pages.
  let policy: CachePolicy
  /// True if nothing in requests says who asks, so that a page can be kept, and asked about by what is kept of it.
  private let isAnonymous: Bool

  init(_ settings: Settings) {
    policy = settings.fetch.policy
    let given = settings.credentials
    isAnonymous =
      given.user == nil && given.bearerFile == nil && given.cookieJar == nil && given.netrc == nil
      && given.certificate == nil && settings.fetcher.identity.isEmpty && !settings.fetcher.isInsecure
      && settings.fetcher.resolve.isEmpty
      && settings.fetch.headers.allSatisfy { ["referer", "user-agent"].contains($0.name.lowercased()) }
    var options = settings.fetch
    options.policy = .off
    // A dry run only looks at the cache.
    options.rulesPolicy = settings.cache.isDryRun ? .memory : policy
    options.verification = .none
    options.filter = ImageFilter()
    options.details = ImageDetailSet()
    options.reportsChecksum = false
    options.refusedTags = []
    options.skipsFailedFor = nil
    options.acceptedFormats = []
    options.acceptedStatuses = .success
    // The body bounds a page. An image, which may be longer, is known by its first bytes.
    options.maximumBytes = .max
    options.headers = options.headers.filter { !Self.isAboutImages($0.name.lowercased()) } + [("Accept", Self.accepted)]
    self.options = options
  }

  /// Pages before anything else, since some servers have both at one URL.
  private static let accepted = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

  static func isAboutImages(_ name: String) -> Bool { name == "accept" || name == "range" || name.hasPrefix("if-") }

  /// The options for a source that the user has given. Its host need not be among those whose images are wanted.
  func given(_ url: WebURL) -> SharedOptions {
    var options = options
    if !options.allowedHosts.isEmpty { options.allowedHosts.append(url.origin.hostAndPort) }
    return SharedOptions(options)
  }

  /// The options for a page that another one leads to.
  func followed(_ url: WebURL, from page: PageAddress) -> SharedOptions {
    var options = options
    options.isNamedByPublicPage = page.isPublic
    if !options.allowedHosts.isEmpty, let host = page.url?.host, host == url.host {
      options.allowedHosts.append(url.origin.hostAndPort)
    }
    return SharedOptions(options)
  }

  /// True if the page of a URL may be kept.
  func mayKeep(_ url: WebURL) -> Bool {
    isAnonymous && url.user == nil && !S3Account.isAddress(url.display) && policy.usesDisk
  }

  /// The same options for a page that is kept: it is asked for only if it has changed.
  func conditional(_ options: SharedOptions, _ kept: PageStore.KeptPage) -> SharedOptions {
    var values = options.values
    if let tag = kept.fields.first("ETag") {
      values.headers.append(("If-None-Match", tag))
    } else if let time = kept.fields.first("Last-Modified") {
      values.headers.append(("If-Modified-Since", time))
    } else {
      return options
    }
    values.acceptedStatuses = StatusSet(bounds: [200, 299, 304, 304])
    return SharedOptions(values)
  }

  /// True if an answer may be kept: its server does not forbid it, and can say later whether it has changed.
  static func isKept(_ fields: HeaderFields?) -> Bool {
    guard let fields, fields.contains("ETag") || fields.contains("Last-Modified") else { return false }
    return !ResponseDirectives(fields).noStore
  }

  /// The encoding that a Content-Type names.
  static func encoding(of type: String?) -> [UInt8]? {
    guard let type else { return nil }
    for parameter in type.utf8.split(separator: UInt8(ascii: ";")).dropFirst() {
      let text = String(decoding: parameter.drop { $0 == UInt8(ascii: " ") }, as: UTF8.self)
      guard text.lowercased().hasPrefix("charset=") else { continue }
      return text.utf8.dropFirst(8).filter { $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "'") && $0 > 0x20 }
    }
    return nil
  }

  /// The ending that a media type stands for, where the bytes of a text alone do not tell its kind: a piece of HTML may
  /// have brackets as Markdown has them.
  static func ending(ofType type: String?) -> String? {
    let name = type.map { String(decoding: $0.utf8.prefix { $0 != UInt8(ascii: ";") && $0 > 0x20 }, as: UTF8.self) }
    switch name?.lowercased() {
    case "text/css": return "css"
    case "text/html": return "html"
    case "application/xhtml+xml": return "xhtml"
    case "text/markdown", "text/x-markdown": return "md"
    default: return nil
    }
  }

  static func ending(of name: String) -> String? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    return String(decoding: name.utf8[name.utf8.index(after: dot)...], as: UTF8.self).lowercased()
  }
}
