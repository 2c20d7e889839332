import ImgfetchCore

extension SharedOptions {
  /// These options for images that a page names: with its referer in place of any other, and with its reach.
  ///
  /// - Parameters:
  ///   - referer: the page's address as origins are told it; nil leaves these options' own.
  ///   - isNamedByPublicPage: true if the page's host is public, so that its images may not be in this network.
  func named(byPageWith referer: String?, isNamedByPublicPage: Bool) -> SharedOptions {
    var options = values
    if let referer {
      options.headers.removeAll { $0.name.lowercased() == "referer" }
      options.headers.append((name: "Referer", value: referer))
    }
    options.isNamedByPublicPage = isNamedByPublicPage
    return SharedOptions(options)
  }
}
