/// Marks stored images that their origin no longer has, so that each run reports the same.
struct GoneImages: Stage {
  let pipeline: Pipeline

  /// Notes the failure of the place that a flight's stored image came from. True: that image is kept as gone, and no
  /// other answer is to take its place.
  func note(_ error: FetchError, of flight: Flight) -> Bool {
    let policy = flight.options.policy
    guard policy.storesInMemory, let mark = GoneMark(error, at: clock.wallTime()) else { return false }
    let isByHTTP = flight.hop.rules.http != nil
    // Under HTTP's own rules each place on the way has an answer of its own.
    let key = isByHTTP ? flight.hop.entryKey : flight.key
    memory.remove(key)
    guard policy.storesOnDisk, let entry = disk?.lookup(key, withBody: false),
      // Another process may have had an image meanwhile.
      !flight.hop.look.isAnswered(by: entry),
      // Those rules keep redirects and refusals, too, which are no images.
      !isByHTTP || 200..<300 ~= entry.metadata.status
    else { return false }
    if entry.metadata.gone != nil { return true }
    disk?.mark(entry, mark)
    log.explain(flight) { "what is stored is kept as gone: for --offline only, until its origin has it again" }
    return true
  }
}
