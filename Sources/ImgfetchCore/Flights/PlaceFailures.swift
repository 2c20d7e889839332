/// The failures of the places of an image, its URL and its mirrors, as far as they say something of its stored copy.
///
/// The copy came from one of them, and only that place can say that it is gone, or be out of reach. The word of another
/// is none about the copy: a mirror may never have had the image.
struct PlaceFailures: Sendable {
  /// The place, of those that the user gave, that the copy came from, or nil if that is not known: any of them may have
  /// redirected to it.
  private let source: WebURL?
  private var isAtSource = false
  private var ofSource: FetchError?

  /// - Parameter source: the place that the copy came from, or nil if that is not known.
  init(source: WebURL?) { self.source = source }

  /// Notes the place that is asked from now on.
  mutating func moveOn(to place: WebURL) { isAtSource = place.canonical == source?.canonical }

  /// Notes the failure of the place that was asked.
  mutating func note(_ error: FetchError) {
    if error.kind == .cancelled { return }
    // A place that is out of reach may be the source, so that the copy may not be gone.
    let mayBeSource = source == nil && ofSource?.isOfTheOrigin != true
    if isAtSource || mayBeSource { ofSource = error }
  }

  /// The failure that decides on the copy once there is no place left.
  ///
  /// - Parameter last: the failure of the last place.
  func deciding(after last: FetchError) -> FetchError { last.kind == .cancelled ? last : ofSource ?? last }
}
