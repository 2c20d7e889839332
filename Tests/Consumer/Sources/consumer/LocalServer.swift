import Foundation

/// An HTTP server on the loopback interface, with a thread for each connection.
final class LocalServer: Sendable {
  /// The body for a path, or nil for 404.
  typealias Answer = @Sendable (_ path: String) -> [UInt8]?

  let port: UInt16
  private let listener: Int32
  private let answer: Answer
  private let counts = Locked<[String: Int]>([:])
  /// Paths under this one are answered once ``release()`` was called.
  private let gate = Gate()

  init(_ answer: @escaping Answer) throws {
    self.answer = answer
    listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && listen(descriptor, 512) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isListening else { throw CheckFailure("no server") }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        Thread.detachNewThread { [self] in serve(connection) }
      }
    }
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }
  /// The heads of all requests.
  var heads: [String] { received.with { $0 } }
  private let received = Locked<[String]>([])
  /// The number of requests that have come for a path.
  func count(_ path: String) -> Int { counts.with { $0[path, default: 0] } }
  var total: Int { counts.with { $0.values.reduce(0, +) } }
  /// Answers the requests that wait under `/held/`, and sends the rest of bodies under `/half/`.
  func release() { gate.open() }
  func stop() { shutdown(listener, Int32(SHUT_RDWR)) }

  private func write(_ bytes: [UInt8], to connection: Int32) -> Bool {
    send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  private func serve(_ connection: Int32) {
    defer { close(connection) }
    var head: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(connection, &piece, piece.count, 0)
      if count <= 0 { return }
      head += piece.prefix(count)
      guard head.suffix(4) == [13, 10, 13, 10] else { continue }
      let text = String(decoding: head, as: UTF8.self)
      received.with { $0.append(text) }
      let words = text.split(separator: " ")
      head = []
      guard words.count > 1 else { return }
      let path = String(words[1])
      counts.with { $0[path, default: 0] += 1 }
      if path.hasPrefix("/held/") { gate.pass() }
      let body = answer(path)
      let answered =
        "HTTP/1.1 \(body == nil ? "404 Not Found" : "200 OK")\r\nContent-Length: \(body?.count ?? 0)\r\n"
        + "Content-Type: image/gif\r\n\r\n"
      var reply = Array(answered.utf8) + (body ?? [])
      if path.hasPrefix("/half/") {
        let half = reply.prefix(reply.count - (body ?? []).count / 2)
        if !write(Array(half), to: connection) { return }
        reply.removeFirst(half.count)
        gate.pass()
      }
      if !write(reply, to: connection) { return }
    }
  }
}

/// A value behind a lock.
final class Locked<Value: Sendable>: @unchecked Sendable {
  private var value: Value
  private let lock = NSLock()
  init(_ value: Value) { self.value = value }
  func with<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}

/// Holds threads until it is opened.
final class Gate: @unchecked Sendable {
  private let condition = NSCondition()
  private var isOpen = false

  func open() {
    condition.withLock { isOpen = true }
    condition.broadcast()
  }

  func pass() { condition.withLock { while !isOpen { condition.wait() } } }
}

/// The failure of an expected event.
struct CheckFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

func check(_ isRight: Bool, _ what: @autoclosure () -> String) throws {
  if !isRight { throw CheckFailure(what()) }
}
