import CCurlShim

// The receivers of the callbacks. Each method that has libcurl abort the transfer stores the reason in `ending`.
extension CurlTransfer {
  /// Takes one line of a header; false aborts the transfer.
  func take(line: borrowing Span<UInt8>) -> Bool {
    loop.watch.beat()
    state.deadlines.heard(at: loop.now)
    switch state.head.take(line) {
    case .more: return true
    case .failed(let fault):
      state.ending = .failed(
        TransportFailure(
          fault.kind, "the answer is refused: \(fault.reason)", receivedAnything: true))
      return false
    case .head:
      if state.request.credentials?.scheme == .digest, state.head.status == 401, state.challenges < Self.mostChallenges
      {
        state.challenges += 1
        state.isHeadHeld = true
        state.head.expectAnother()
        return true
      }
      let mayBeAnswered = state.challenges == Self.mostChallenges && state.head.status == 401
      guard reportHead() else { return false }
      // libcurl would answer it once more, and the next bytes would count as this answer's body.
      if mayBeAnswered, state.ending == nil {
        state.ending =
          state.plan == .discard
          ? .discarded
          : .failed(
            TransportFailure(.protocolError, "the server asks for a password again and again", receivedAnything: true))
      }
      return state.ending == nil
    }
  }

  /// One that is answered by the password, and another one if the server says that the first has become too old
  /// meanwhile (`stale`). libcurl answers as many as are sent, and a server may send one after the other without end.
  private static var mostChallenges: Int { 2 }

  enum ChunkResult { case taken, pause, abort }

  /// Takes a chunk of the body, up to the length that was announced. Proof: the chunk is read during the call only.
  @unsafe
  func take(chunk: UnsafeBufferPointer<UInt8>) -> ChunkResult {
    loop.watch.beat()
    if state.isHeadHeld, !reportHead() { return .abort }
    guard state.isCounted, let expected = state.body.expected else { return unsafe take(wanted: chunk) }
    let left = expected - state.body.received - state.discarded
    let wanted = unsafe UnsafeBufferPointer(rebasing: chunk.prefix(Int(clamping: left)))
    let result = unsafe take(wanted: wanted)
    guard case .taken = result, wanted.count == left else { return result }
    endAtLength()
    return .abort
  }

  /// Ends a body that has come as long as it was announced, and closes its connection, as libcurl would.
  private func endAtLength() {
    if state.ending == nil { state.ending = state.plan == .discard ? .discarded : .whole }
  }

  /// Takes bytes that belong to the body. Proof: they are read during the call only.
  @unsafe
  private func take(wanted chunk: UnsafeBufferPointer<UInt8>) -> ChunkResult {
    guard state.ending == nil, state.isHeadReported else { return .abort }
    if state.plan == .discard {
      state.discarded += Int64(chunk.count)
      if state.discarded <= Self.shortLimit { return .taken }
      state.ending = .discarded
      return .abort
    }
    let isShort = state.plan == .receiveShort
    if isShort, state.body.received + Int64(chunk.count) > Self.shortLimit {
      state.ending = .stopped
      return .abort
    }
    let isHeld = state.request.isHeld.map { $0() } ?? false
    if isHeld { loop.noteHold() }
    if isHeld || loop.mustPause(state.body) {
      state.isPaused = true
      state.pauses += 1
      state.deadlines.paused()
      return .pause
    }
    // A body that must arrive quickly gets no extra time for each of its bytes.
    if !isShort { state.deadlines.heard(at: loop.now) }
    loop.noteReceived(chunk.count)
    let piece = unsafe state.body.take(chunk)
    loop.client?.transfer(id, hasReceived: state.body.received)
    if let piece {
      loop.deliver(piece, of: self)
      return state.ending == nil ? .taken : .abort
    }
    // Most bodies arrive whole in one chunk and need no peek.
    if !state.isAwaitingPeek, state.peeked < Self.peekSize, !state.body.isLarge, !state.body.isWhole {
      state.isAwaitingPeek = true
      loop.awaitPeek(slot)
    }
    return .taken
  }

  /// Takes the news that the connection is established and the request is about to be sent. Returns
  /// false to abort the transfer.
  func connected(to address: IPAddress?) -> Bool {
    state.deadlines.connected(at: loop.now)
    loop.noteDeadline(state.deadlines.next)
    if state.remoteAddress != nil { handle.noteRepetition() }
    state.remoteAddress = address
    loop.client?.transferDidConnect(id)
    switch state.request.addressRule {
    case .any: return true
    case .publicOnly, .custom:
      state.refusal =
        address.map { state.request.addressRule.objection(to: $0) } ?? "its address could not be determined"
      return state.refusal == nil
    }
  }

  /// Finds out that the request was sent, from a libcurl that does not call back before. It has opened a new connection
  /// for a request under a rule, whose address was judged then; but it answers a Digest challenge over any that fits,
  /// which is judged here. False aborts the transfer.
  func noteRequest() -> Bool {
    guard !loop.announcesRequests, !state.isRequestNoted, handle.time(CURLINFO_PRETRANSFER_TIME_T) > 0 else {
      return true
    }
    state.isRequestNoted = true
    // Proof: the text is parsed during the call.
    let address = unsafe handle.text(CURLINFO_PRIMARY_IP) { unsafe loop.address(spelt: $0) }
    return connected(to: address)
  }

  /// Counts what libcurl has received, also of a challenge's body, which it drops and which may be endless. False
  /// aborts the transfer.
  func noteProgress(_ received: Int64) -> Bool {
    guard state.isHeadHeld, received > Self.shortLimit else { return true }
    let reason = "the body of its request for a password is longer than \(Self.shortLimit / 1024) KiB"
    state.ending = .failed(TransportFailure(.limit, "the answer is refused: \(reason)", receivedAnything: true))
    return false
  }

  /// Counts what libcurl has sent of an upload.
  func noteSent(_ sent: Int64) {
    guard sent > state.sent else { return }
    state.sent = sent
    state.deadlines.heard(at: loop.now)
  }

  func resumed(at now: Instant) {
    state.isPaused = false
    state.deadlines.resumed(at: now)
  }

  /// Reports the head to the client; false aborts the transfer.
  func reportHead() -> Bool {
    state.isHeadHeld = false
    guard noteRequest() else { return false }
    state.isHeadReported = true
    let isCounted = state.head.isCounted
    var answer = state.head.takeHead()
    // Responses with these statuses have no body, whatever their Content-Length says.
    if answer.status == 204 || answer.status == 304 { answer.contentLength = nil }
    answer.remoteAddress = state.remoteAddress
    answer.isConnectionReused = handle.number(CURLINFO_NUM_CONNECTS) == 0
    state.body.expected = answer.contentLength
    state.isCounted = isCounted && answer.contentLength != nil
    if answer.httpVersion == .http2 {
      state.isMultiplexed = true
      loop.multiplexed += 1
    }
    let decision = loop.client?.transfer(id, didReceiveHead: answer) ?? .stop
    if loop.client?.keepsConnection(of: id) == false { handle.closeAfterwards() }
    guard state.ending == nil else { return false }
    let isTooLong = (answer.contentLength ?? 0) > Self.shortLimit
    switch decision {
    case .receive: state.plan = .receive
    case .receiveShort:
      state.plan = .receiveShort
      if isTooLong { state.ending = .stopped }
    case .discard:
      state.plan = .discard
      if isTooLong { state.ending = .discarded }
    case .stop: state.ending = .stopped
    }
    if state.isCounted, answer.contentLength == 0 { endAtLength() }
    return state.ending == nil
  }
}
