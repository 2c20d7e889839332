import ImgfetchCore
import ImgfetchPages

extension PageImage.Kind: Choice {}

/// The sources of lists, and which of their images are wanted.
struct FindSettings: Sendable {
  /// The sources of `--from`, in order; those of `find` are its operands.
  var sources: [String] = []
  var kinds: [PageImage.Kind] = []
  /// True to list all candidates of a picture, and not only the largest.
  var listsAllSizes = false
  /// The URL that references are relative to, or nil for that of their page.
  var base: WebURL?
  /// True for images on the host of their page only.
  var isSameHost = false
  /// The most bytes of a page.
  var maximumPage: Int64 = 16 << 20
  /// The most pages that the sources may lead to.
  var maximumPages = 1_000
  var isTable = false
}

extension Settings {
  /// True if there are lists, or sources of lists, and not operands alone.
  var readsLists: Bool { !list.inputs.isEmpty || !find.sources.isEmpty }

  /// Makes the user info of the first source the login of the run, as the first URL's: images of the same origin need
  /// it, too.
  mutating func takeLoginOfSource() {
    guard operands.isEmpty, list.inputs.isEmpty, credentials.user == nil, credentials.bearerFile == nil,
      let source = find.sources.first, source.holds("://"), let url = try? WebURL(source), let user = url.user
    else { return }
    credentials.user = UserSetting(name: user, password: url.password ?? "")
    find.sources[0] = url.requestURL
  }
}
