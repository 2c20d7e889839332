import Synchronization

/// Ends connections by which a server keeps libcurl in one call.
///
/// Over HTTP/2, libcurl continues to read for as long as frames without content come (empty DATA, WINDOW_UPDATE, PING)
/// as fast as they are read, and calls none of this program's functions meanwhile: all other downloads stand still, and
/// so do the time limits. So a thread of its own checks each second whether a call is still running without progress.
/// The thread ends the connection that has received most meanwhile, as soon as the call has used the processor for half
/// a second. Without this, such a call takes 40 s and more.
///
/// Shared by the loop's thread, which writes the counts, and its own, which ends by itself when the loop has been quiet
/// for a while.
final class LoopWatch: Sendable {
  private struct State {
    /// The sockets that libcurl has open.
    var sockets: Set<Int32> = []
    var isClosed = false
  }

  private let state = Guarded(State())
  /// Changes with each sign that the loop is getting on.
  private let beats = Atomic<UInt64>(0)
  private let isInCall = Atomic<Bool>(false)
  private let endings = Atomic<Int>(0)
  /// True if a server is asked that may speak HTTP/2, the only kind that can flood the loop.
  private let isWanted = Atomic<Bool>(false)
  private let isRunning = Atomic<Bool>(false)
  private let worker: ProcessorClock

  private static let interval = Instant.Span.seconds(1)
  /// Processor time, not time: a thread that only waits for its turn on a busy machine has no flood to read.
  private static let busy = Instant.Span.milliseconds(500)
  /// The number of quiet looks after which the thread ends.
  private static let mostQuiet = 5

  /// Created on the loop's thread.
  init() { worker = ProcessorClock.ofThisThread() }

  /// The number of connections that were ended.
  var ended: Int { endings.load(ordering: .relaxed) }

  /// Shows that the loop is getting on. Called on its thread only, so nothing is lost between reading and writing.
  func beat() { beats.store(beats.load(ordering: .relaxed) &+ 1, ordering: .relaxed) }

  /// Starts to watch, because a server is asked that may speak HTTP/2.
  func want() { isWanted.store(true, ordering: .relaxed) }

  /// libcurl is called.
  func enter() {
    beat()
    if isWanted.load(ordering: .relaxed), !isRunning.load(ordering: .relaxed) { start() }
    isInCall.store(true, ordering: .relaxed)
  }

  /// Notes that the call has returned.
  func leave() {
    isInCall.store(false, ordering: .relaxed)
    beat()
  }

  func opened(_ socket: Int32) { state.withLock { _ = $0.sockets.insert(socket) } }

  /// Forgets a socket that is about to be closed: from now on its number may be another's.
  func forget(_ socket: Int32) { state.withLock { _ = $0.sockets.remove(socket) } }

  /// Starts the thread. If none can be started, nothing is watched.
  private func start() {
    guard !isRunning.exchange(true, ordering: .relaxed) else { return }
    if (try? Threads.start(name: "imgfetch-watch") { [self] in watch() }) == nil {
      isRunning.store(false, ordering: .relaxed)
    }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    state.broadcast()
  }

  private func watch() {
    let clock = SystemClock()
    var (last, quiet) = (UInt64.max, 0)
    var before: (received: [Int32: Int64], work: Instant.Span)?
    while state.wait(until: clock.now() + Self.interval, { $0.isClosed ? true : nil }) == nil {
      let now = beats.load(ordering: .relaxed)
      defer { last = now }
      guard isInCall.load(ordering: .relaxed) else {
        before = nil
        quiet = now == last ? quiet + 1 : 0
        if quiet >= Self.mostQuiet { return isRunning.store(false, ordering: .relaxed) }
        continue
      }
      quiet = 0
      guard now == last else {
        before = nil
        continue
      }
      let work = worker.time
      // Counted from the first look at this call on: on a busy machine the half second takes several looks.
      guard let since = before else {
        before = (received(), work)
        continue
      }
      guard work.nanoseconds - since.work.nanoseconds >= Self.busy.nanoseconds else { continue }
      end(since: since.received)
      before = (received(), work)
    }
  }

  private func received() -> [Int32: Int64] {
    state.withLock { state in
      Dictionary(uniqueKeysWithValues: state.sockets.map { ($0, Descriptor.received(by: $0)) })
    }
  }

  /// Ends the connection that has received most. Under the lock, so that its socket is not closed meanwhile.
  private func end(since before: [Int32: Int64]) {
    state.withLock { state in
      let grown = state.sockets.map { (socket: $0, bytes: Descriptor.received(by: $0) - (before[$0] ?? 0)) }
      guard let most = grown.max(by: { $0.bytes < $1.bytes }), most.bytes > 0 else { return }
      Descriptor.shutDown(most.socket)
      endings.add(1, ordering: .relaxed)
    }
  }
}
