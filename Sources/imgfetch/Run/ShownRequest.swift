import ImgfetchCore

/// An item of `show`, and what its line or page says of the request for it.
struct ShownRequest: Sendable {
  let item: ShownItem
  private var referer: String?
  private var isNamedByPublicPage = false
  private var mirrors: [WebURL] = []
  private var sha256: [UInt8]?
  private var md5: [UInt8]?

  init(_ item: ShownItem) { self.item = item }

  /// An image that a source names.
  init(_ image: FoundImage) {
    item = .url(image.url, given: image.url.requestURL)
    referer = image.referer
    isNamedByPublicPage = image.isNamedByPublicPage
  }

  /// A line of a list.
  init(_ line: InputLine) {
    item = .url(line.url, given: line.url.requestURL)
    referer = line.referer
    isNamedByPublicPage = line.isNamedByPublicPage
    mirrors = line.mirrors
    sha256 = line.sha256
    md5 = line.md5
  }

  /// The request for it, or nil if it is no URL.
  ///
  /// - Parameters:
  ///   - index: the request's tag.
  ///   - shared: the options of requests of which nothing is said.
  ///   - mirrors: the mirrors of all of them.
  func request(_ index: Int, _ shared: SharedOptions, mirrors: [WebURL]) -> FetchRequest? {
    guard case .url(let url, _) = item else { return nil }
    var request = FetchRequest(url, tag: index, shared: options(shared))
    request.mirrors = mirrors + self.mirrors
    request.sha256 = sha256
    request.md5 = md5
    return request
  }

  private func options(_ shared: SharedOptions) -> SharedOptions {
    guard referer != nil || isNamedByPublicPage else { return shared }
    return shared.named(byPageWith: referer, isNamedByPublicPage: isNamedByPublicPage)
  }
}
