/// A conversation with a store, such as one that puts an object into a place. A pure value: it is given the outcome of
/// each request, and returns the next step.
protocol PlaceConversation: Sendable {
  /// The first request.
  mutating func begin() -> PlaceStep
  /// Decides what follows a reply.
  ///
  /// - Parameters:
  ///   - random: between 0 and 1.
  ///   - now: the time of day, for a `Retry-After` that is a date.
  mutating func handle(_ reply: PlaceReply, random: Double, now: WallTime) -> PlaceStep
}
