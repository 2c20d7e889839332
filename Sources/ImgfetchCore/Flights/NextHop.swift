/// The target of a redirect, or a mirror.
struct NextHop: Sendable {
  let url: WebURL
  /// The URL that the user gave, the request's own or a mirror, that led there.
  let givenURL: WebURL
  let hops: Int
  let mirrors: ArraySlice<WebURL>
  let isFromPublic: Bool
  /// True if a URL or mirror that was given up for this one may have the image later.
  var mayPass = false
  /// The failure of the URL or mirror that was given up for this one, or nil for a redirect's target.
  var because: FetchError?
  /// True for a mirror, as opposed to a redirect's target: nothing is known of the way there.
  var isMirror: Bool { hops == 0 }

  /// Creates the hop to a redirect's target.
  init(_ target: WebURL, from givenURL: WebURL, hops: Int, mirrors: ArraySlice<WebURL>, isFromPublic: Bool) {
    url = target
    self.givenURL = givenURL
    self.hops = hops
    self.mirrors = mirrors
    self.isFromPublic = isFromPublic
  }

  /// - Parameter rest: the mirrors that are left.
  init(mirror: WebURL, rest: ArraySlice<WebURL>) {
    self.init(mirror, from: mirror, hops: 0, mirrors: rest, isFromPublic: false)
  }

  /// Creates the hop to the first of these mirrors, or nil if there is none.
  init?(toFirstOf mirrors: ArraySlice<WebURL>) {
    guard let mirror = mirrors.first else { return nil }
    self.init(mirror: mirror, rest: mirrors.dropFirst())
  }
}
