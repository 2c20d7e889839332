import CTestSupport
import Glibc
import ImgfetchCore

/// A proxy that leads every `CONNECT`, whatever host it names, to one server on this machine: so that examples can keep
/// their `https://example.org`, and nothing leaves the machine.
package final class Tunnel: Sendable {
  /// To be named as `https_proxy`.
  package var url: String { "http://\(listener.address.authority)" }

  private let listener: ListeningSocket
  private let waker: Waker

  /// - Parameter target: who gets the connections.
  package init(to target: LoopbackAddress) throws {
    listener = try ListeningSocket()
    waker = try Waker()
    try startDetachedThread { [listener, waker] in
      while true {
        var both = [
          pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: waker.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        poll(&both, 2, -1)
        if both[1].revents != 0 { return }
        let client = test_accept(listener.descriptor)
        if client < 0 { continue }
        do { try startDetachedThread { Self.serve(client, target) } } catch { close(client) }
      }
    }
  }

  deinit { waker.wake() }

  private static func serve(_ client: Int32, _ target: LoopbackAddress) {
    defer { close(client) }
    // A client waits for the answer before it says more, so all that comes is the head.
    var head: [UInt8] = []
    while !head.suffix(4).elementsEqual("\r\n\r\n".utf8) {
      guard let piece = piece(from: client) else { return }
      head += piece
    }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if server < 0 { return }
    defer { close(server) }
    guard head.starts(with: "CONNECT ".utf8), (try? target.withSocketAddress { connect(server, $0, $1) }) == 0,
      pass(Array("HTTP/1.1 200 Here you are\r\n\r\n".utf8), to: client)
    else { return }
    while true {
      var both = [client, server].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      poll(&both, 2, -1)
      for (from, to) in [(0, server), (1, client)] where both[from].revents != 0 {
        guard let piece = piece(from: both[from].fd), pass(piece, to: to) else { return }
      }
    }
  }

  /// Receives a piece, or nil at the end.
  private static func piece(from descriptor: Int32) -> [UInt8]? {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = recv(descriptor, &piece, piece.count, 0)
    return count > 0 ? Array(piece[..<count]) : nil
  }

  private static func pass(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
      let count = bytes[done...].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count <= 0 { return false }
      done += count
    }
    return true
  }
}
