/// Reports what happens to flights to those who listen. Sentences are made only if there is a listener.
struct FlightLog: Sendable {
  let hooks: FetchHooks

  /// Whether there is a listener.
  var isWatched: Bool { hooks.events != nil }

  func emit(_ event: () -> FetchEvent) {
    if let events = hooks.events { events(event()) }
  }

  /// Reports header fields, if a listener wants them.
  func emitHeaders(of url: WebURL, _ lines: () -> [String]) {
    if hooks.tellsHeaders { emit { .headers(url: url.display, lines: lines()) } }
  }

  /// Explains a decision about a flight.
  func explain(_ flight: Flight, _ sentence: () -> String) {
    emit { .explained(url: flight.request.url.display, sentence()) }
  }
}
