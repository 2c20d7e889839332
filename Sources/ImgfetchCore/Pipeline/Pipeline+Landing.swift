// The end of a flight: each of its waiters has the image delivered, or gets the error, or begins again.
extension Pipeline {
  /// Ends a flight with an answer, which all its waiters get.
  func land(_ flight: Flight, with complete: CompleteAnswer) {
    // Submitted first: a run that has nothing left to do ends.
    if complete.answer.isToBeRefreshed { refresh(flight) }
    let (waiters, asked) = takeWaiters(of: flight)
    deliver(complete, of: flight, to: waiters, asked)
    noteSettled(flight)
  }

  /// Ends a flight without an answer. All its waiters get the error.
  func land(_ flight: Flight, because error: FetchError) {
    let (waiters, asked) = takeWaiters(of: flight)
    let last = flight.traffic.lastAsked
    // The target of a redirect, or a mirror.
    let elsewhere = last?.display == flight.request.url.display ? nil : last
    for (position, waiter) in waiters.enumerated() {
      var result = blankResult(of: waiter, at: position, flight.traffic, asked)
      let request = waiter.request
      result.error = error.told(
        to: request.url.display, mirrors: request.mirrors,
        redirectedTo: flight.traffic.redirects > 0 ? elsewhere : nil)
      result.status = error.status
      if result.status != nil || elsewhere != nil { result.finalURL = last?.displayWithScheme }
      if error.isOfTheURL { result.failedURL = elsewhere?.display }
      finish(waiter, &result)
    }
    noteSettled(flight)
  }

  /// Tells the network's thread that a flight needs no place any more: its waiters have their results, or it waits.
  func noteSettled(_ flight: Flight) {
    guard configuration.admission.holdsPlaces else { return }
    loop.withLock { $0 }?.post { $0.settled(flight.id) }
  }

  /// Removes a flight from the table. Returns its waiters, and the time at which their waiting for a place ended.
  private func takeWaiters(of flight: Flight) -> (waiters: FlightTable<Waiter>.Waiters, asked: Instant) {
    let waiters = table.withLock { $0.land(flight.id) }
    log.ended(flight.id, waiters)
    // Without a request, the answer from a cache or the failure ends the waiting.
    return (waiters, flight.traffic.asked ?? clock.now())
  }

  private func deliver(
    _ complete: CompleteAnswer, of flight: Flight, to waiters: FlightTable<Waiter>.Waiters, _ asked: Instant
  ) {
    if let flaws = complete.answer.facts?.flaws, !flaws.isEmpty {
      log.explain(flight) { "flawed: it has " + flaws.all.map(\.description).joined(separator: ", and ") }
    }
    // After a file got its name, other programs may change its bytes before the next waiter copies them.
    if waiters.count > 1 { complete.answer.body.keepLent() }
    let traffic = flight.traffic
    var delivery = AnswerDelivery(complete, self, until: configuration.deadline(of: flight))
    for (position, waiter) in waiters.enumerated() {
      var result = blankResult(of: waiter, at: position, traffic, asked)
      var pending = delivery.deliver(to: waiter, isFirst: position == 0, &result)
      let warning = makeRoom(after: result.error, waiter, delivery.answer)
      if let warning {
        result = blankResult(of: waiter, at: position, traffic, asked)
        pending = delivery.deliver(to: waiter, isFirst: position == 0, &result)
        if result.error == nil { result.warnings.append(warning) }
      }
      if let pending {
        finish(waiter, result, after: pending)
        continue
      }
      let isStored = delivery.answer.cache != .network
      if result.error != nil, warning != nil, delivery.answer.cache == .disk,
        waiter.request.options.policy.asksOrigin
      {
        // Its bytes were in the file that was given up.
        rejoin(waiter, after: traffic)
      } else if result.error != nil, isStored, delivery.answer.body.isDamaged {
        // The stored entry has turned out to be damaged: it is removed, and the waiter begins again.
        if let copy = delivery.answer.copy { forgetDamaged(copy.entry) }
        rejoin(waiter, after: traffic)
      } else if result.error?.kind == .checksum, isStored, waiter.request.options.policy.asksOrigin {
        // It was stored for a request without a checksum, or confirmed by an origin that does not know the checksum.
        rejoin(waiter.distrusting, after: traffic)
      } else {
        finish(waiter, &result)
      }
    }
  }

  /// Forgets a stored entry that has turned out to be damaged.
  func forgetDamaged(_ entry: CachedEntry) {
    memory.remove(entry.key)
    // An entry from a remote cache was kept on disk before it was read.
    if entry.file != nil { return disk?.forget(entry, because: .damaged) ?? () }
    for tier in configuration.ownTiers { tier.forget(entry, because: .damaged) }
  }

  /// Frees room in the cache for an image's file: a full disk costs the cache, not the image. Returns the warning for
  /// the user, or nil if no room can be made.
  private func makeRoom(after error: FetchError?, _ waiter: Waiter, _ answer: borrowing Answer) -> String? {
    // Nothing is left of a file that could not be written. A stream has received a part of it by now.
    guard let error, error.isOfFullDisk, let code = error.cause?.errno, let key = answer.entryKey,
      waiter.request.sink is any LendingSink
    else { return nil }
    // If an image's only bytes are in the cache, it is given up if it can be fetched anew. That is done once, so not if
    // it has just come from the origin or from the remote cache.
    let isElsewhere = if case .file(let stored) = answer.body.content { stored.expectedHash == nil } else { true }
    guard isElsewhere || (answer.cache == .disk && waiter.request.options.policy.asksOrigin) else { return nil }
    return disk?.giveUp(key, for: error.subject, because: code)
  }

  /// Ends a request whose sink finishes later.
  private func finish(_ waiter: Waiter, _ result: FetchResult, after pending: PendingDelivery) {
    pending { [self] end in
      // The calling thread may be the network's, which must not wait for a reader of results.
      workers.addOrRun { [self] in
        var result = result
        switch end {
        case .success(let delivery):
          result.output = delivery.output
          result.isOutputNew = delivery.isNew
          result.written = delivery.written
          result.duplicateOf = delivery.duplicateOf
        case .failure(let error):
          result.error = error
          result.answerer = nil
        }
        finish(waiter, &result)
      }
    }
  }

  /// The result for a waiter, before the outcome is known.
  private func blankResult(
    of waiter: Waiter, at position: Int, _ traffic: Traffic, _ asked: Instant
  ) -> FetchResult {
    var result = waiter.blankResult
    result.queuedMilliseconds = max(0, waiter.milliseconds(until: asked))
    result.attempts = traffic.attempts
    // Bytes from the network count for the first waiter only, or sums would count it several times.
    result.downloaded = position == 0 ? traffic.downloaded : 0
    return result
  }

  /// Removes the waiters from a flight that asked for another URL of the same key.
  func takeOthers(outOf flight: Flight) -> [Waiter] {
    table.withLock { $0.takeOut(of: flight.id) { $0.request.url.canonical != flight.request.url.canonical } }
  }

  /// Starts over for a waiter. `traffic` is the cost of the earlier flight.
  func rejoin(_ waiter: Waiter, after traffic: Traffic) {
    if let number = join(waiter).leads { workers.add { self.begin(number, for: waiter, after: traffic) } }
  }

  /// Asks the origin about an answer that was served although it is stale, once in a run. The run ends after that
  /// request. Otherwise a program that answers one request and ends would never learn of a new image within the time of
  /// `stale-while-revalidate`.
  private func refresh(_ flight: Flight) {
    guard !flight.purpose.isRefresh, configuration.memories == .ofTime || record.isFirstAsking(of: flight.key) else {
      return
    }
    var request = flight.request
    request.sink = nil
    request.purpose = .refresh
    submit(request) { _ in }
  }
}
