// The remote cache: asked between the claim and the origin, and filled after the delivery.
extension Pipeline {
  /// Asks the remote cache for a flight's entry. Returns nil, and the flight continues when there is an answer, or an
  /// event if the remote cache is not asked.
  func askRemote(_ flight: Flight, _ claim: Claim) -> Flight.Event? {
    let object = RemoteObject()
    guard let stage = remoteStage, let part = stage.part(in: claim, for: flight),
      disk?.isPassedOver(flight.hop.entryKey) != true, let request = stage.request(for: flight, into: object)
    else { return .claimed(claim) }
    let errand = submit(request) { [self] result in
      errands.withLock { $0[flight.id] = nil }
      flight.traffic.downloaded += result.downloaded
      advance(flight, after: found(result, object, flight, part, stage))
    }
    errands.withLock { $0[flight.id] = errand }
    // The flight may have got a higher priority before this was known.
    setPriority(priority(of: flight), ofRequest: errand)
    kick()
    return nil
  }

  private func found(
    _ result: FetchResult, _ object: RemoteObject, _ flight: Flight, _ part: Part, _ stage: RemoteStage
  ) -> Flight.Event {
    // All waiters may have left meanwhile, and then no origin is asked.
    if isCancelled || !isWanted(flight.id) { return .failed(.cancelled) }
    guard let error = result.error else {
      let event = stage.takeIn(object, flight, into: part)
      // The request for it had a limit of its own, and may have waited for its turn.
      if case .keptFromRemote = event, flight.limitStart == nil { flight.limitStart = clock.now() }
      // It was one wrong object too many.
      if !stage.remote.isRead { leaveStore() }
      return event
    }
    let claim = Claim(part: part)
    guard let outcome = RemoteHealth.Outcome(error) else { return .claimed(claim) }
    if outcome == .absent { log.explain(flight) { "not in the remote cache" } }
    if !stage.remote.noteReading(outcome) { leaveStore() }
    return .claimed(claim)
  }

  /// Has the flights that wait for the remote cache go on without it.
  private func leaveStore() { _ = loop.withLock { $0 }?.post { $0.leaveStore() } }

  /// Notes the answer of a flight for the remote cache, if it belongs there. ``sendUploads()`` follows when it has been
  /// delivered.
  ///
  /// Noted before the delivery, since the run may end with that, and waits only for noted entries.
  func share(_ answer: borrowing Answer, of flight: Flight) -> Bool {
    guard let remote, remote.isWritten, flight.options.policy.storesOnDisk, answer.cache == .network,
      let key = answer.entryKey
    else { return false }
    let obstacle = RemoteRule.obstacle(
      to: key, from: answer.finalURL, status: answer.status, fields: answer.fields.fields, facts: answer.facts,
      for: flight.request, isPublic: identity.isPublic(flight.request))
    if let obstacle = obstacle ?? answer.sharingObstacle {
      log.explain(flight) { "not put into the remote cache: \(obstacle)" }
      return false
    }
    remote.add(key)
    return true
  }

  /// Puts the noted entries into the remote cache, in the background.
  func sendUploads() { _ = loop.withLock { $0 }?.post { $0.uploads?.begin() } }

  /// Waits until all noted entries are in the remote cache, but no longer than that time.
  func finishSharing(within time: Instant.Span) { remote?.waitForUploads(until: clock.now() + time) }
}

extension CachedEntry {
  /// The whole file of the entry, for sending it to another machine, or nil if it has none.
  var whole: ImageBody.Stored? {
    guard let file, let status = try? file.file.status() else { return nil }
    return ImageBody.Stored(descriptor: file, length: status.size, expectedHash: nil)
  }
}

// MARK: - Conversations with places

extension Pipeline {
  /// Begins conversations with places, from any thread.
  var places: PlaceDesk {
    PlaceDesk(configuration.retry, clock: clock) { [self] (work) throws(FetchError) in
      do throws(TransportFailure) {
        if try network().post({ work($0.talks) }) { return }
      } catch { throw FetchError(error, "") }
      throw .closed
    }
  }
}
