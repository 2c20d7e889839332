import Synchronization

/// Reports the events of flights to listeners. Sentences are made only if there is a listener.
struct FlightLog: Sendable {
  let hooks: FetchHooks
  /// The requests that listen to their own events.
  let observers: FlightObservers

  /// True if there is a listener.
  var isWatched: Bool { hooks.events != nil || observers.areThere }

  func emit(_ event: () -> FetchEvent) {
    guard isWatched else { return }
    let event = event()
    hooks.events?(event)
    if observers.areThere, let flight = event.flight { observers.tell(event, of: flight) }
  }

  /// Reports the end of a flight, which the table has forgotten, to its waiters.
  func ended(_ flight: UInt64, _ waiters: FlightTable<Waiter>.Waiters) {
    guard isWatched else { return }
    hooks.events?(.ended(flight: flight))
    for waiter in waiters { waiter.request.onEvent?(.ended(flight: flight)) }
  }

  func explain(_ flight: Flight, _ sentence: () -> String) {
    guard isWatched else { return }
    let event = FetchEvent.explained(url: flight.request.url.display, sentence())
    hooks.events?(event)
    if observers.areThere { observers.tell(event, of: flight.id) }
  }
}
