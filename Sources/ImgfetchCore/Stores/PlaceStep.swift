/// The next step of a conversation with a place.
enum PlaceStep: Sendable {
  case send(PlaceRequest, after: Instant.Span)
  case done

  static func send(_ request: PlaceRequest) -> PlaceStep { .send(request, after: .seconds(0)) }
}
