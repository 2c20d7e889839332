// What is told while flights are on their way, to whoever wants to hear it. Sentences are made only for somebody who listens.
extension Engine {
  /// Whether somebody is told of events.
  var isWatched: Bool { hooks.events != nil }

  func emit(_ event: () -> FetchEvent) {
    if let events = hooks.events { events(event()) }
  }

  /// Tells header fields, if somebody wants to see them.
  func emitHeaders(of url: WebURL, _ lines: () -> [String]) {
    if hooks.tellsHeaders { emit { .headers(url: url.display, lines: lines()) } }
  }

  /// Tells why a flight takes the way that it takes.
  func explain(_ flight: Flight, _ sentence: () -> String) {
    emit { .explained(url: flight.request.url.display, sentence()) }
  }
}
