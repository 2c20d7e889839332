// The actions on the socket, in order: a value, so that playing it needs no decisions.
extension TestServer.Response {
  enum Step: Sendable {
    case send([UInt8])
    /// At a gate of the test's, or the one of the request's path.
    case wait(Gate?)
    /// Sends the bytes until the client leaves.
    case repeatForever([UInt8])
    case close
    case reset
  }

  func script(answering method: String, keepsAlive: Bool) -> [Step] {
    var script: [Step] = []
    if let gate { script.append(.wait(gate)) }
    if let verbatim {
      script.append(.send(verbatim))
    } else {
      script += interim.map { .send($0) }
      script.append(.send(head))
      if method != "HEAD" { if !addBody(to: &script) { return merged(script) } }
    }
    if !endless.isEmpty { return merged(script) + [.repeatForever(endless)] }
    return merged(script) + (closes || !keepsAlive ? [.close] : [])
  }

  private var head: [UInt8] {
    var bytes = Array("\(version) \(status) \(reason)\r\n".utf8)
    for line in lines { bytes += line + [13, 10] }
    switch framing {
    case .length(let claimed):
      // A 204 or 304 has no body, so no length is due unless the test claims one.
      if !has("Content-Length"), claimed != nil || !body.isEmpty || ![204, 304].contains(status) {
        bytes += Array("Content-Length: \(claimed ?? body.count)\r\n".utf8)
      }
    case .chunked: bytes += Array("Transfer-Encoding: chunked\r\n".utf8)
    case .close: bytes += Array("Connection: close\r\n".utf8)
    case .unsaid: break
    }
    return bytes + [13, 10]
  }

  /// False if the script ends in the middle of the body.
  private func addBody(to script: inout [Step]) -> Bool {
    var pending = marks[...]
    var sent = 0
    /// Fires the marks at this place. Returns false if one ends the answer.
    func fire() -> Bool {
      while let next = pending.first, next.offset <= sent {
        pending.removeFirst()
        switch next.mark {
        case .wait(let gate): script.append(.wait(gate))
        case .garbage(let bytes): script.append(.send(bytes))
        case .cut:
          script.append(.close)
          return false
        case .reset:
          script.append(.reset)
          return false
        }
      }
      return true
    }
    func send(upTo end: Int) -> Bool {
      while sent < end {
        let stop = min(end, pending.first?.offset ?? end)
        script.append(.send(Array(body[sent..<stop])))
        sent = stop
        if !fire() { return false }
      }
      return true
    }

    guard fire() else { return false }
    guard case .chunked(let sizes, let trailer) = framing else { return send(upTo: body.count) }
    var sizesLeft = sizes[...]
    var size = max(1, sizes.first ?? body.count)
    while sent < body.count {
      if let next = sizesLeft.popFirst() { size = max(1, next) }
      let end = min(body.count, sent + size)
      script.append(.send(Array("\(String(end - sent, radix: 16))\r\n".utf8)))
      guard send(upTo: end) else { return false }
      script.append(.send([13, 10]))
    }
    script.append(.send(Array((["0"] + trailer).joined(separator: "\r\n").utf8) + [13, 10, 13, 10]))
    return true
  }

  /// One send for what goes out without a pause, so that a small answer is one packet.
  private func merged(_ script: [Step]) -> [Step] {
    var result: [Step] = []
    var bytes: [UInt8] = []
    for step in script {
      if case .send(let more) = step {
        bytes += more
        continue
      }
      if !bytes.isEmpty { result.append(.send(bytes)) }
      bytes = []
      result.append(step)
    }
    if !bytes.isEmpty { result.append(.send(bytes)) }
    return result
  }
}
