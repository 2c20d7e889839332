import CCurlShim

// Back-pressure.
extension LoopCore {
  func noteBackPressure() {
    if hasDelivered, !isBackedUp, askIsBackedUp() { backUp() }
    hasDelivered = false
    if isBackedUp, backedUpSince + Self.askAgain <= now {
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
      // This hands over what libcurl has kept meanwhile: the transfer may pause again, or be given up.
      let code = unsafe imgfetch_easy_pause(transfer.easy, CURLPAUSE_CONT)
      hasNewTransfers = true
      if code != CURLE_OK || transfer.state.ending != nil { finish(transfer, code) }
    }
  }

  /// libcurl goes on filling the buffer of a paused transfer that shares its connection, and a rate is for all of them:
  /// then nothing is received at all. The clocks of the transfers stand still.
  func settleHold() {
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
