import CCurlShim

// Transfers.
extension LoopCore {
  func carryOutWishes() {
    // What is told while a wish is carried out may bring further ones.
    while !wishes.isEmpty {
      // Two lists take turns, and keep their room.
      var list = spareWishes
      spareWishes = []
      swap(&list, &wishes)
      for wish in list {
        switch wish {
        case .start(let request): begin(request)
        case .cancel(let id): breakOff(id, .cancelled)
        case .stop(let id): breakOff(id, .stoppedByClient)
        case .resume: resume()
        }
      }
      list.removeAll(keepingCapacity: true)
      spareWishes = list
    }
  }

  private func begin(_ request: TransferRequest) {
    guard let multi = unsafe multi, let transfer = vacancy() else {
      refuse(request, obstacle)
      return
    }
    transfer.begin(request, at: now)
    if isHolding { transfer.state.deadlines.paused() }
    do throws(TransportFailure) {
      try transfer.prepare(options)
      guard unsafe imgfetch_multi_add(multi, transfer.easy) == CURLM_OK else {
        throw TransportFailure(.other, "libcurl takes no further transfer")
      }
    } catch {
      release(transfer)
      refuse(request, error)
      return
    }
    hasNewTransfers = true
    unsent += 1
    noteDeadline(transfer.state.deadlines.next)
  }

  private func refuse(_ request: TransferRequest, _ failure: TransportFailure) {
    hasToldMore = true
    client?.transfer(request.id, didEnd: .failed(failure))
  }

  private func vacancy() -> CurlTransfer? {
    if let slot = idle.popLast() { return transfers[slot] }
    guard let transfer = unsafe CurlTransfer(slot: transfers.count, loop: self, sessions: sessions) else { return nil }
    transfers.append(transfer)
    return transfer
  }

  private func release(_ transfer: CurlTransfer) {
    transfer.end()
    idle.append(transfer.slot)
  }

  private func breakOff(_ id: TransferID, _ ending: CurlTransfer.Ending) {
    // There are a hundred at most, and few are broken off.
    guard let transfer = transfers.first(where: { $0.isActive && $0.id == id }) else { return }
    if transfer.state.ending == nil { transfer.state.ending = ending }
    finish(transfer, CURLE_OK)
  }

  /// Takes a transfer out of libcurl and tells its end. Never called from inside a callback.
  func finish(_ transfer: CurlTransfer, _ code: CURLcode) {
    guard transfer.isActive, let multi = unsafe multi else { return }
    let id = transfer.id
    let conclusion = transfer.conclude(code)
    if transfer.state.isMultiplexed {
      multiplexed -= 1
      if let socket = transfer.socket { shared.note(socket) }
    }
    _ = unsafe imgfetch_multi_remove(multi, transfer.easy)
    release(transfer)
    guard let conclusion else { return }
    hasToldMore = true
    if let rest = conclusion.rest {
      hasDelivered = true
      client?.transfer(id, didReceive: rest, isLast: conclusion.isWhole)
    }
    client?.transfer(id, didEnd: conclusion.end)
  }

  /// One list as long as the fields stay the same, and in front of it what is this request's alone.
  func fieldLines(for request: TransferRequest) throws(TransportFailure) -> CurlList {
    let plain: RequestFieldList
    if let fieldList, fieldList.holds(request.fields) {
      plain = fieldList
    } else {
      plain = try RequestFieldList(request.fields)
      fieldList = plain
    }
    if request.exactFields.isEmpty { return plain.lines }
    guard RequestFieldList.areSafe(request.exactFields) else {
      throw TransportFailure(.refusedRequest, "a request field holds control characters")
    }
    return CurlList(request.exactFields, before: plain.lines)
  }
}
