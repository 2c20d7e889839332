import CTestSupport
import Glibc
import ImgfetchCore

extension TestServer {
  /// One accepted connection: reads requests, plays the scripts of their answers. All but ``abort()`` is its own
  /// thread's.
  final class Connection: Sendable {
    let number: Int
    private let descriptor: Int32
    private let core: Core
    private let waker: Waker

    /// The reason why a script was not played to its end.
    private enum Broken: Error { case clientLeft, stopped, over }

    init(descriptor: Int32, number: Int, core: Core) throws {
      self.descriptor = descriptor
      self.number = number
      self.core = core
      do {
        waker = try Waker()
      } catch {
        close(descriptor)
        throw error
      }
      var one: Int32 = 1
      setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    /// Has the thread end soon, wherever it is; may be called by any.
    func abort() {
      shutdown(descriptor, Int32(SHUT_RDWR))
      waker.wake()
    }

    func serve() {
      var unread: [UInt8] = []
      while var request = readRequest(&unread) {
        request.connection = number
        let handler = core.began(&request)
        let script = handler(request).script(answering: request.method, keepsAlive: request.keepsAlive)
        do throws(Broken) {
          try play(script, for: request.path)
        } catch .clientLeft {
          core.departed(request.path)
          break
        } catch {
          break
        }
      }
      core.closed(self)
      // The descriptor is closed with the last reference, which `abort` may hold for a moment: the client is told now.
      shutdown(descriptor, Int32(SHUT_RDWR))
    }

    private func play(_ script: [Response.Step], for path: String) throws(Broken) {
      var isOver = false
      func end() {
        if !isOver { core.ended() }
        isOver = true
      }
      defer { end() }
      let last = script.lastIndex { if case .send = $0 { true } else { false } }
      for (index, step) in script.enumerated() {
        switch step {
        case .send(let bytes):
          if index == last, bytes.count > 1 {
            // The client may ask again the moment it has the last byte, so this request is over before that goes out.
            try send(Array(bytes.dropLast()))
            end()
            try send(Array(bytes.suffix(1)))
          } else {
            if index == last { end() }
            try send(bytes)
          }
        case .wait(let gate): try wait(for: gate ?? core.gate(for: path))
        case .repeatForever(let bytes):
          let many = Array(repeatElement(bytes, count: max(1, 65536 / max(1, bytes.count))).joined())
          while true { try send(many) }
        case .close:
          end()
          closeInOrder()
          throw .over
        case .reset:
          end()
          reset()
          throw .over
        }
      }
    }

    private func readRequest(_ unread: inout [UInt8]) -> Request? {
      var searched = 0
      while true {
        if let end = Self.endOfHead(unread, from: max(0, searched - 3)) {
          guard var request = Request(head: Array(unread[..<end])) else { return nil }
          unread.removeFirst(end)
          let length = request["Content-Length"].flatMap { Int($0) } ?? 0
          while unread.count < length { if !receive(&unread) { return nil } }
          request.body = Array(unread.prefix(length))
          unread.removeFirst(request.body.count)
          return request
        }
        searched = unread.count
        if searched > 1 << 22 || !receive(&unread) { return nil }
      }
    }

    private static func endOfHead(_ bytes: [UInt8], from start: Int) -> Int? {
      guard bytes.count >= 4 else { return nil }
      for index in start...(bytes.count - 4) where bytes[index] == 13 {
        if bytes[index + 1] == 10, bytes[index + 2] == 13, bytes[index + 3] == 10 { return index + 4 }
      }
      return nil
    }

    private func receive(_ bytes: inout [UInt8]) -> Bool {
      var piece = [UInt8](repeating: 0, count: 16384)
      let count = recv(descriptor, &piece, piece.count, 0)
      if count <= 0 { return false }
      bytes += piece.prefix(count)
      return true
    }

    private func send(_ bytes: [UInt8]) throws(Broken) {
      var done = 0
      while done < bytes.count {
        let count = bytes.withUnsafeBytes { buffer in
          Glibc.send(
            descriptor, buffer.baseAddress.map { $0 + done }, min(1 << 16, bytes.count - done), Int32(MSG_NOSIGNAL))
        }
        if count <= 0 { throw core.isStopped ? .stopped : .clientLeft }
        done += count
        core.sent(count)
      }
    }

    /// Waits for the gate, the client's departure or the server's end, whichever comes first.
    private func wait(for gate: Gate) throws(Broken) {
      gate.add(waker)
      defer { gate.remove(waker) }
      while !gate.isOpen {
        var both = [
          pollfd(fd: descriptor, events: test_poll_hangup, revents: 0),
          pollfd(fd: waker.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        poll(&both, 2, -1)
        if core.isStopped { throw .stopped }
        if both[0].revents != 0 { throw .clientLeft }
        if both[1].revents != 0 { waker.clear() }
      }
    }

    /// Ends the stream and then waits for the client's end: closing with its bytes unread would be a reset, which may
    /// overtake bytes that it has not read yet.
    private func closeInOrder() {
      shutdown(descriptor, Int32(SHUT_WR))
      var rest: [UInt8] = []
      while rest.count < 1 << 24, receive(&rest) {}
    }

    private func reset() {
      // The reset would discard bytes that are still in our buffer, and the client must get all of it: loopback
      // delivers at once unless the client's window is full.
      var left: Int32 = 0
      let deadline = SystemClock().now() + .seconds(5)
      while ioctl(descriptor, UInt(TIOCOUTQ), &left) == 0, left > 0, SystemClock().now() < deadline { sched_yield() }
      var option = linger(l_onoff: 1, l_linger: 0)
      setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
      // Disconnecting sends the reset now; the close comes with the last reference.
      var nobody = sockaddr()
      nobody.sa_family = sa_family_t(AF_UNSPEC)
      connect(descriptor, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    }
  }
}
