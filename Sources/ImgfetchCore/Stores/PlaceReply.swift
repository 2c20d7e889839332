/// The end of a request to a place.
enum PlaceReply: Sendable {
  case answered(PlaceAnswer)
  case failed(FetchError)
}
