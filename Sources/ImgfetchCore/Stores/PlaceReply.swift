/// The end of a request to a store.
enum PlaceReply: Sendable {
  case answered(PlaceAnswer)
  case failed(FetchError)
}
