import Synchronization

/// The requests that listen to their flights (``FetchRequest/onEvent``).
final class FlightObservers: Sendable {
  private let table: Guarded<FlightTable<Waiter>>
  /// True if there ever was an observer. It is not behind the lock, because each event of each flight asks for it.
  private let isUsed = Atomic<Bool>(false)

  init(_ table: Guarded<FlightTable<Waiter>>) { self.table = table }

  var areThere: Bool { isUsed.load(ordering: .relaxed) }

  /// Notes that a request that listens or watches is about to join a flight.
  func begin() { isUsed.store(true, ordering: .relaxed) }

  func watchers(of flight: UInt64) -> [any BodyWatcher] {
    guard areThere else { return [] }
    return table.withLock { $0.waiters(of: flight) }.compactMap { $0.request.watcher }
  }

  func tell(_ event: FetchEvent, of flight: UInt64) {
    let waiters = table.withLock { $0.waiters(of: flight) }
    for waiter in waiters { waiter.request.onEvent?(event) }
  }
}
