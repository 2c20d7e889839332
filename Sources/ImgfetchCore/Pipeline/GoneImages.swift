/// Marks stored images that their origin no longer has, so that each run reports the same.
struct GoneImages: Sendable {
  let memory: MemoryCache
  let disk: DiskCache?
  let clock: any Clock
  let log: FlightLog

  /// Notes the failure of the URL that a flight's stored image came from. Under HTTP's own rules nothing is marked: the
  /// answer replaces or removes the stored one.
  func note(_ error: FetchError, of flight: Flight) {
    let policy = flight.options.policy
    guard policy.storesInMemory, flight.hop.rules.http == nil,
      let mark = GoneMark(error, at: clock.wallTime())
    else { return }
    memory.remove(flight.key)
    guard policy.storesOnDisk, let entry = disk?.lookup(flight.key, withBody: false), entry.metadata.gone == nil,
      // Another process may have had an image meanwhile.
      !flight.hop.look.isAnswered(by: entry)
    else { return }
    disk?.mark(entry, mark)
    log.explain(flight) { "what is stored is kept as gone: for --offline only, until its origin has it again" }
  }
}
