/// The failures of an image's URL and its mirrors, as far as they matter to its stored copy.
///
/// The copy came from one of them, and only that one can say that the image is gone, or be out of reach. The answer of
/// another says nothing about the copy: a mirror may never have had the image.
struct MirrorFailures: Sendable {
  /// The URL or mirror that the copy came from, or nil if that is not known: any of them may have redirected to its
  /// source.
  private let source: WebURL?
  private var isAtSource = false
  private var ofSource: FetchError?

  /// - Parameter source: the URL or mirror that the copy came from, or nil if that is not known.
  init(source: WebURL?) { self.source = source }

  /// Notes the URL or mirror that is asked from now on.
  mutating func moveOn(to place: WebURL) { isAtSource = place.canonical == source?.canonical }

  /// Notes the failure of the current URL or mirror.
  mutating func note(_ error: FetchError) {
    if error.kind == .cancelled { return }
    // A server that is out of reach may be the source, so the copy may not be gone.
    let mayBeSource = source == nil && ofSource?.isOfTheOrigin != true
    if isAtSource || mayBeSource { ofSource = error }
  }

  /// The failure that decides about the copy after the last URL or mirror has failed.
  ///
  /// - Parameter last: the failure of the last one.
  func deciding(after last: FetchError) -> FetchError { last.kind == .cancelled ? last : ofSource ?? last }
}
