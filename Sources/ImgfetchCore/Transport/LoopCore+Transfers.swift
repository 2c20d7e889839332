import CCurlShim

// Starting and ending transfers.
extension LoopCore {
  func runCommands() {
    // The client may post further commands while these run.
    while !commands.isEmpty {
      // Two arrays alternate, so that both keep their capacity.
      var list = spareCommands
      spareCommands = []
      swap(&list, &commands)
      for command in list {
        switch command {
        case .start(let request): begin(request)
        case .cancel(let id): abort(id, .cancelled)
        case .stop(let id): abort(id, .stoppedByClient)
        case .deliverAtOnce(let id): deliverAtOnceNow(id)
        case .resume: resume()
        }
      }
      list.removeAll(keepingCapacity: true)
      spareCommands = list
    }
  }

  private func begin(_ request: TransferRequest) {
    guard let multi = unsafe multi, let transfer = freeSlot() else {
      refuse(request, obstacle)
      return
    }
    transfer.begin(request, at: now)
    if isHolding { transfer.state.deadlines.paused() }
    do throws(TransportFailure) {
      try transfer.handle.prepare(for: transfer)
      guard unsafe imgfetch_multi_add(multi, transfer.handle.easy) == CURLM_OK else {
        throw TransportFailure(.resources, "libcurl takes no further transfer")
      }
    } catch {
      release(transfer)
      refuse(request, error)
      return
    }
    hasNewTransfers = true
    unsent += 1
    if options.httpVersion != .http1, request.url.hasPrefix("https:") { watch.want() }
    noteDeadline(transfer.state.deadlines.next)
  }

  private func refuse(_ request: TransferRequest, _ failure: TransportFailure) {
    hasReported = true
    client?.transfer(request.id, didEnd: .failed(failure))
  }

  private func freeSlot() -> CurlTransfer? {
    if let slot = idle.popLast() { return transfers[slot] }
    guard let transfer = CurlTransfer(slot: transfers.count, loop: self) else { return nil }
    transfers.append(transfer)
    return transfer
  }

  private func release(_ transfer: CurlTransfer) {
    transfer.end()
    idle.append(transfer.slot)
  }

  private func abort(_ id: TransferID, _ ending: CurlTransfer.Ending) {
    // There are a hundred transfers at most, and few are aborted.
    guard let transfer = transfers.first(where: { $0.isActive && $0.id == id }) else { return }
    if transfer.state.ending == nil { transfer.state.ending = ending }
    finish(transfer, CURLE_OK)
  }

  private func deliverAtOnceNow(_ id: TransferID) {
    guard let transfer = transfers.first(where: { $0.isActive && $0.id == id }), transfer.state.ending == nil else {
      return
    }
    transfer.state.body.deliversAtOnce = true
    if transfer.state.plan == .receive, let piece = transfer.state.body.handOverBeginning() {
      deliver(piece, of: transfer)
    }
  }

  /// Removes a transfer from libcurl and reports its end. Must not be called from inside a callback.
  func finish(_ transfer: CurlTransfer, _ code: CURLcode) {
    guard transfer.isActive, let multi = unsafe multi else { return }
    let id = transfer.id
    let conclusion = transfer.conclude(code)
    if transfer.state.isMultiplexed {
      multiplexed -= 1
      if let socket = transfer.socket { shared.note(socket) }
    }
    _ = unsafe imgfetch_multi_remove(multi, transfer.handle.easy)
    release(transfer)
    guard let conclusion else { return }
    hasReported = true
    if let rest = conclusion.rest {
      hasDelivered = true
      client?.transfer(id, didReceive: rest, isLast: conclusion.isWhole)
    }
    client?.transfer(id, didEnd: conclusion.end)
  }

  /// Returns the request's field list: one that is shared while the plain fields stay the same, preceded by
  /// the request's exact fields.
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

/// The sockets of connections that carry several transfers at once, so that requests which begin
/// together leave together.
///
/// libcurl sends each request of such a connection by itself, which costs a segment, a wake-up of the server
/// and often a context switch. When they are held back until all are written, they leave as one segment
/// (<doc:Speed> has the gain).
///
/// If a server closes its connections early, more requests share one that is about to close, and libcurl gives up those
/// that were refused five times. These have to be requested again. So the first early close turns this off.
///
/// A pure value. ``LoopCore`` holds it, and learns from libcurl when a socket is closed: its
/// number may be reused at once.
struct SharedConnections {
  private var sockets: [Int32] = []
  /// The number of transfers that each has carried.
  private var carried: [Int] = []
  private var isGivenUp = false

  /// A connection that has carried fewer transfers than this was closed early: half of nginx's default limit.
  private static let early = 500

  /// Notes that a transfer which shared its connection has ended and left it open.
  mutating func note(_ socket: Int32) {
    if let place = sockets.firstIndex(of: socket) {
      carried[place] += 1
    } else {
      sockets.append(socket)
      carried.append(1)
    }
  }

  /// Notes that a socket is closed.
  mutating func forget(_ socket: Int32) {
    guard let place = sockets.firstIndex(of: socket) else { return }
    sockets.remove(at: place)
    if carried.remove(at: place) < Self.early { isGivenUp = true }
  }

  func has(_ socket: Int32) -> Bool { sockets.contains(socket) }

  /// The sockets to hold back while `requests` requests are written. With fewer requests than connections it would
  /// not pay: two calls each.
  func bundles(requests: Int) -> [Int32] { !isGivenUp && requests > sockets.count ? sockets : [] }
}
