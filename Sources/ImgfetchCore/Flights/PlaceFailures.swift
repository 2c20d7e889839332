/// The failures of the places of an image, its URL and its mirrors, as far as they say something of its stored copy.
///
/// The copy came from one of them, and only that place can say that it is gone, or be out of reach. The word of another
/// is none about the copy: a mirror may never have had the image.
struct PlaceFailures: Sendable {
  /// The place, of those that the user gave, that the copy came from.
  private let source: WebURL
  private var isAtSource = false
  private var ofSource: FetchError?

  /// - Parameter source: the place that the copy came from.
  init(source: WebURL) { self.source = source }

  /// Notes the place that is asked from now on.
  mutating func moveOn(to place: WebURL) { isAtSource = place.canonical == source.canonical }

  /// Notes the failure of the place that was asked.
  mutating func note(_ error: FetchError) {
    if isAtSource, error.kind != .cancelled { ofSource = error }
  }

  /// The failure that decides on the copy once there is no place left.
  ///
  /// - Parameter last: the failure of the last place.
  func deciding(after last: FetchError) -> FetchError { last.kind == .cancelled ? last : ofSource ?? last }
}
