import CTestSupport
import Glibc
import ImgfetchCore

extension TestServer {
  struct State {
    var handlers: [String: Handler] = [:]
    var fallback: Handler = { _ in .text("nothing here", status: 404) }
    var gates: [String: Gate] = [:]
    var requests: [Request] = []
    var counts: [String: Int] = [:]
    var departures: [String: Int] = [:]
    var connections = 0
    var inProgress = 0
    var maxConcurrent = 0
    var bytesSent = 0
    /// The connections that are open, to be shut down at the stop.
    var open: [Int: Connection] = [:]
    var threads = 0
    var isStopped = false

    func count(_ path: String) -> Int {
      if !path.contains("?") { return counts[path, default: 0] }
      return requests.count { $0.target == path }
    }
  }

  /// The state that the threads hold on to, so that the server itself can go while they run.
  final class Core: Sendable {
    let listener: ListeningSocket
    let state = Guarded(State())
    private let waker: Waker?

    init(address: ListeningSocket) {
      listener = address
      waker = try? Waker()
    }

    func start() throws(SocketError) {
      guard waker != nil else { throw SocketError("pipe", code: EMFILE) }
      try startThread { [self] in acceptAll() }
    }

    private func startThread(_ body: @escaping @Sendable () -> Void) throws(SocketError) {
      state.withLock { $0.threads += 1 }
      do {
        try startDetachedThread { [self] in
          body()
          state.withLock { $0.threads -= 1 }
          state.broadcast()
        }
      } catch {
        state.withLock { $0.threads -= 1 }
        throw error
      }
    }

    private func acceptAll() {
      guard let waker else { return }
      while true {
        var both = [
          pollfd(fd: listener.descriptor, events: Int16(POLLIN), revents: 0),
          pollfd(fd: waker.readEnd, events: Int16(POLLIN), revents: 0),
        ]
        poll(&both, 2, -1)
        if state.withLock({ $0.isStopped }) { return }
        if both[0].revents == 0 { continue }
        let descriptor = test_accept(listener.descriptor)
        guard descriptor >= 0 else { continue }
        let number = state.withLock { state in
          state.connections += 1
          return state.connections
        }
        state.broadcast()
        guard let connection = try? Connection(descriptor: descriptor, number: number, core: self) else { continue }
        let isWelcome = state.withLock { state in
          if !state.isStopped { state.open[number] = connection }
          return !state.isStopped
        }
        if !isWelcome { return }
        do {
          try startThread { connection.serve() }
        } catch {
          closed(connection)
        }
      }
    }

    func closed(_ connection: Connection) { _ = state.withLock { $0.open.removeValue(forKey: connection.number) } }

    func stop() {
      let (connections, handlers) = state.withLock { state in
        state.isStopped = true
        defer { state.handlers = [:] }
        return (Array(state.open.values), state.handlers)
      }
      // Their captures may lead back here: they are let go of outside the lock.
      withExtendedLifetime(handlers) {}
      waker?.wake()
      // Else the kernel would go on taking connections, and a stopped server would be a silent one.
      shutdown(listener.descriptor, Int32(SHUT_RDWR))
      for connection in connections { connection.abort() }
      state.broadcast()
    }

    func waitForThreads() {
      _ = state.wait(until: SystemClock().now() + Patience.long) { $0.threads == 0 ? true : nil }
    }

    var isStopped: Bool { state.withLock { $0.isStopped } }

    func gate(for path: String) -> Gate {
      state.withLock { state in
        if let gate = state.gates[path] { return gate }
        let gate = Gate()
        state.gates[path] = gate
        return gate
      }
    }

    /// Takes note of a request; the answer is who answers it.
    func began(_ request: inout Request) -> Handler {
      let path = request.path
      let target = request.target
      let (ordinal, handler) = state.withLock { [request] state in
        state.counts[path, default: 0] += 1
        var known = request
        known.ordinal = state.counts[path, default: 0]
        state.requests.append(known)
        state.inProgress += 1
        state.maxConcurrent = max(state.maxConcurrent, state.inProgress)
        return (known.ordinal, state.handlers[target] ?? state.handlers[path] ?? state.fallback)
      }
      request.ordinal = ordinal
      state.broadcast()
      return handler
    }

    func ended() {
      state.withLock { $0.inProgress -= 1 }
      state.broadcast()
    }

    func departed(_ path: String) {
      state.withLock { $0.departures[path, default: 0] += 1 }
      state.broadcast()
    }

    func sent(_ count: Int) {
      state.withLock { $0.bytesSent += count }
      state.broadcast()
    }
  }
}
