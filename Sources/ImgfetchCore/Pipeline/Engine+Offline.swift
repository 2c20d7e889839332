// Without the network: what is stored answers, whatever its age.
extension Engine {
  /// How far a flight has got over stored redirects.
  private struct StoredWay {
    var url: WebURL
    var key: CacheKey
    var hops = 0
    /// Whether a public address redirected on the way.
    var isFromPublic = false
  }

  /// Answers a flight from the cache, or not at all.
  ///
  /// Runs under HTTP's own rules store each URL of a way for itself, and what they had is to be had again without a network;
  /// so stored redirects are followed, by the rules that hold for others.
  func answerOffline(_ flight: Flight) {
    let reading = CacheReading(
      policy: .only, isFirstAsking: false, maximumAge: flight.options.maximumAge)
    var way = StoredWay(url: flight.request.url, key: flight.key)
    do throws(FetchError) {
      while true {
        if let kept = memory.lookup(way.key) {
          let objection = objectionOffline(to: kept.metadata, isFromPublic: way.isFromPublic, flight)
          if let objection { throw objection }
          if let next = try turn(kept.metadata, way, flight) {
            way = next
            continue
          }
          if let answer = recall(kept, flight, reading) { return land(flight, answer, nil) }
        }
        guard let entry = entry(at: way.key, for: flight) else { break }
        let objection = objectionOffline(to: entry.metadata, isFromPublic: way.isFromPublic, flight)
        if let objection { throw objection }
        if let next = try turn(entry.metadata, way, flight) {
          disk?.touch(entry)
          way = next
          continue
        }
        guard let answer = answer(from: entry, flight) else { break }
        return land(flight, answer, nil)
      }
      throw Self.notStored(way, flight)
    } catch { land(flight, nil, error) }
  }

  /// The hop that a stored redirect leads to; nil: it is none.
  private func turn(_ metadata: EntryMetadata, _ way: StoredWay, _ flight: Flight) throws(FetchError) -> StoredWay? {
    // Images are what is mostly found, and of those no field is looked at.
    guard RedirectRule.statuses.contains(metadata.status) else { return nil }
    switch RedirectRule.decide(
      status: metadata.status, location: metadata.fields.first("Location"), from: way.url, hops: way.hops,
      options: flight.options)
    {
    case .notARedirect: return nil
    case .refuse(let reason): throw FetchError(.refused, way.url.display, reason, status: metadata.status)
    case .follow(let target):
      if let reason = flight.objection(to: target) {
        throw FetchError(.refused, target.display, reason)
      }
      explain(flight) { "redirects (\(metadata.status), stored) to \(target.display)" }
      return StoredWay(
        url: target, key: key(of: flight, at: target), hops: way.hops + 1,
        isFromPublic: way.isFromPublic || metadata.provenance.address == .allPublic)
    }
  }

  private static func notStored(_ way: StoredWay, _ flight: Flight) -> FetchError {
    let subject =
      way.hops == 0 ? "not in the cache" : "redirects (stored) to \(way.url.display), which is not in the cache"
    return FetchError(.offline, flight.request.url.display, "\(subject), and the network was not to be asked")
  }
}
