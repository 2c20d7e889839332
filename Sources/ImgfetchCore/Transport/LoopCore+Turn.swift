import CCurlShim

// One turn of the loop.
extension LoopCore {
  /// Does everything that can be done now, and returns what to wait for.
  func turn() -> Wait {
    now = clock.now()
    runCommands()
    updateHold()
    if !isHolding, let multi = unsafe multi {
      hasNewTransfers = false
      sliceLeft = budget.slice
      let bundled = shared.bundles(requests: unsent)
      unsent = 0
      for socket in bundled { Descriptor.holdBack(true, from: socket) }
      _ = unsafe imgfetch_multi_perform(multi)
      for socket in bundled where shared.has(socket) { Descriptor.holdBack(false, from: socket) }
      now = clock.now()
      budget.spend(receivedInTurn, at: now)
      receivedInTurn = 0
      unsafe collect(multi)
      runCommands()
    }
    offerPeeks()
    enforceDeadlines()
    hasReported = false
    let wakeTime = client?.turnDidEnd(at: now) ?? nil
    runCommands()
    noteBackPressure()
    updateHold()
    return wait(until: wakeTime)
  }

  private func wait(until wakeTime: Instant?) -> Wait {
    var until = [wakeTime, nextDeadline].compactMap(\.self).min()
    if isBackedUp { until = min(until ?? .init(nanoseconds: .max), backedUpSince + Self.recheckInterval) }
    if isHolding {
      if hasReported { return .none }
      if let resumption = budget.resumption(at: now) { until = min(until ?? resumption, resumption) }
      return .messages(until: until)
    }
    // New requests are sent first, since they have no socket yet that a poll could wait for. Events that were reported
    // after `turnDidEnd` must be followed by another one.
    if hasNewTransfers || hasReported || !commands.isEmpty { return .none }
    return unsafe multi == nil ? .messages(until: until) : .network(until: until)
  }

  /// Sleeps until a socket is ready, a deadline of libcurl or of this loop has come, or the multi handle is woken.
  func poll(until deadline: Instant?) {
    guard let multi = unsafe multi else { return }
    var milliseconds = Int64(Int32.max)
    if let deadline {
      let left = max(0, (deadline - clock.now()).nanoseconds)
      // Rounded up: waking a millisecond early would waste a turn.
      milliseconds = min(milliseconds, left / 1_000_000 + (left % 1_000_000 == 0 ? 0 : 1))
    }
    _ = unsafe imgfetch_multi_poll(multi, Int32(milliseconds))
  }

  private func collect(_ multi: UnsafeMutableRawPointer) {
    var slot = 0
    var code = CURLE_OK
    while unsafe imgfetch_multi_next_ended(multi, &slot, &code) {
      guard transfers.indices.contains(slot) else { continue }
      finish(transfers[slot], code)
    }
  }

  private func offerPeeks() {
    guard !awaitingPeek.isEmpty else { return }
    var slots: [Int] = []
    swap(&slots, &awaitingPeek)
    for slot in slots {
      let transfer = transfers[slot]
      guard let count = transfer.takePeek(), let client else { continue }
      let bytes = transfer.state.body.bytes
      if !client.transfer(transfer.id, peek: bytes.span.extracting(0..<count)) {
        // What has arrived counts as downloaded, so it is delivered.
        transfer.state.ending = .stoppedByClient
        finish(transfer, CURLE_OK)
      }
    }
  }

  private func enforceDeadlines() {
    guard let due = nextDeadline, due <= now else { return }
    nextDeadline = nil
    for transfer in transfers where transfer.isActive {
      let request = transfer.state.request
      switch transfer.state.deadlines.expiry(at: now) {
      case nil:
        noteDeadline(transfer.state.deadlines.next)
        continue
      case .connecting: transfer.state.ending = .failed(transfer.connectTimeout)
      case .stalled:
        transfer.state.ending = .failed(.stall(request.stallTimeout, receivedAnything: transfer.receivedAnything))
      case .overall: transfer.state.ending = .failed(.deadline(receivedAnything: transfer.receivedAnything))
      }
      finish(transfer, CURLE_OK)
    }
  }
}

// Back-pressure from the writers, and the rate limit.
extension LoopCore {
  func noteBackPressure() {
    if hasDelivered, !isBackedUp, askIsBackedUp() { backUp() }
    hasDelivered = false
    if isBackedUp, backedUpSince + Self.recheckInterval <= now {
      if askIsBackedUp() { backedUpSince = now } else { resume() }
    }
  }

  func backUp() {
    isBackedUp = true
    backedUpSince = now
  }

  func resume() {
    guard isBackedUp else { return }
    isBackedUp = false
    unpause()
  }

  private func unpause() {
    for transfer in transfers where transfer.isActive && transfer.state.isPaused {
      transfer.resumed(at: now)
      noteDeadline(transfer.state.deadlines.next)
      // This passes on what libcurl has kept meanwhile, so the transfer may pause again or fail.
      let code = unsafe imgfetch_easy_pause(transfer.handle.easy, CURLPAUSE_CONT)
      hasNewTransfers = true
      if code != CURLE_OK || transfer.state.ending != nil { finish(transfer, code) }
    }
  }

  /// libcurl keeps filling the buffer of a paused transfer that shares its connection, and a rate limit applies to all
  /// transfers together. In both cases nothing is received at all, and the transfers' deadlines do not run.
  func updateHold() {
    let holds = isBackedUp && multiplexed > 0 || budget.resumption(at: now) != nil
    guard holds != isHolding else { return }
    isHolding = holds
    sliceLeft = budget.slice
    for transfer in transfers where transfer.isActive && !transfer.state.isPaused {
      if holds {
        transfer.state.deadlines.paused()
      } else {
        transfer.state.deadlines.resumed(at: now)
        noteDeadline(transfer.state.deadlines.next)
      }
    }
    if !holds { unpause() }
  }
}
