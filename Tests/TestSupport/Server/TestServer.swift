import Glibc
import ImgfetchCore

/// An HTTP/1.1 server on loopback that answers as a test tells it to, and remembers what reached it.
///
/// Each path has a handler; a path without one is 404. Handlers run on the connection's thread, several at once. The
/// server stops at ``stop()`` or when the last reference goes; a handler that captures it needs `stop()`.
package final class TestServer: Sendable {
  package typealias Handler = @Sendable (Request) -> Response

  let core: Core

  /// Listens on a free port of `host`: any of 127.0.0.0/8, or ::1.
  package init(host: String = "127.0.0.1") throws {
    core = Core(address: try ListeningSocket(host: host))
    try core.start()
  }

  deinit { core.stop() }

  /// Ends all connections and waits for their threads.
  package func stop() {
    core.stop()
    core.waitForThreads()
  }

  package var address: LoopbackAddress { core.listener.address }
  package var port: UInt16 { address.port }

  /// The URL of a path here; with a `host`, under that name.
  package func url(_ path: String = "/", host: String? = nil) -> String {
    "http://\(host.map { "\($0):\(port)" } ?? address.authority)\(path)"
  }
}

// The server's answers.
extension TestServer {
  /// Answers requests for `path` by a handler. A path with a query, or a whole URL (as clients send it to a proxy),
  /// means that alone; a bare path means it with any query.
  package func on(_ path: String, _ handler: @escaping Handler) {
    core.state.withLock { $0.handlers[path] = handler }
  }

  /// Answers requests for paths that have no handler.
  package func onOther(_ handler: @escaping Handler) { core.state.withLock { $0.fallback = handler } }

  /// Answers all requests for `path` in the same way.
  package func serve(_ path: String, _ response: Response) { on(path) { _ in response } }

  package func serve(_ path: String, _ bytes: [UInt8], type: String = "image/jpeg") {
    serve(path, .ok(bytes, type: type))
  }

  /// Answers with validators and ranges, as a good file server does.
  package func serve(_ path: String, _ resource: Resource) { on(path) { resource.answer($0) } }

  /// Answers the first request with the first response, the second with the second …, all later ones with the last.
  package func serve(_ path: String, inTurn responses: [Response]) {
    on(path) { request in
      responses.isEmpty ? .status(404) : responses[min(request.ordinal, responses.count) - 1]
    }
  }

  /// Lets go on all answers for `path` that stall without a gate of their own, now and later.
  package func release(_ path: String) { core.gate(for: path).open() }
}

// The server's observations.
extension TestServer {
  /// All requests so far, in the order of their arrival.
  package var requests: [Request] { core.state.withLock { $0.requests } }

  package func requests(for path: String) -> [Request] { requests.filter { $0.target == path || $0.path == path } }

  /// The number of requests for a path, whatever their query.
  package func count(_ path: String) -> Int { core.state.withLock { $0.count(path) } }

  /// The number of connections that were accepted so far.
  package var connections: Int { core.state.withLock { $0.connections } }

  /// The most requests that were in progress at the same time. One is over just before its last bytes go out, so that a
  /// client that asks one after another never shows as two.
  package var maxConcurrent: Int { core.state.withLock { $0.maxConcurrent } }

  /// Bytes that the kernel took for sending, heads included.
  package var bytesSent: Int { core.state.withLock { $0.bytesSent } }

  /// The number of clients that left while an answer for that path was being sent or held up.
  package func departures(_ path: String) -> Int { core.state.withLock { $0.departures[path, default: 0] } }

  /// Sleeps until `count` requests for the path have come.
  package func waitForRequests(_ path: String, _ count: Int) throws {
    try wait("\(count) requests for \(path)") { $0.count(path) >= count }
  }

  /// Sleeps until `count` clients have left in the middle of an answer for the path.
  package func waitForDepartures(_ path: String, _ count: Int = 1) throws {
    try wait("\(count) departures from \(path)") { $0.departures[path, default: 0] >= count }
  }

  /// Sleeps until `count` requests are in progress at once.
  package func waitForConcurrent(_ count: Int) throws {
    try wait("\(count) requests at once") { $0.inProgress >= count }
  }

  /// Sleeps until the kernel has taken at least `count` bytes for sending.
  package func waitForBytesSent(_ count: Int) throws {
    try wait("\(count) bytes sent") { $0.bytesSent >= count }
  }

  private func wait(_ what: String, _ isTrue: (State) -> Bool) throws {
    let happened = core.state.wait(until: SystemClock().now() + Patience.long) { isTrue($0) ? true : nil }
    if happened == nil { throw NeverHappened(description: "waited in vain for \(what); came: \(requests)") }
  }

  /// The failure of an awaited event to come.
  package struct NeverHappened: Error, CustomStringConvertible {
    package let description: String
  }
}
