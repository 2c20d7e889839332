import CSandboxShim
import Glibc
import Synchronization

/// The helper processes that have been started and not yet been waited for. It lets the process end them all before it
/// ends. A helper that is left behind stays in the process table until the init process waits for it, and in many
/// containers that never happens.
enum HelperRegistry {
  private struct State {
    var pids: Set<pid_t> = []
    /// The number of helpers that are being started or waited for right now.
    var underWay = 0
    var isOver = false
  }

  private static let state = Guarded(State())
  /// Checked at the end of every run, most of which have no helpers.
  private static let exist = Atomic<Bool>(false)

  /// Starts a helper by `start`, which returns its pid.
  static func add<Failure: Error>(_ start: () throws(Failure) -> pid_t) throws(Failure) -> pid_t {
    exist.store(true, ordering: .releasing)
    enter { _ in }
    var started: pid_t?
    defer {
      leave { state in
        if let started { state.pids.insert(started) }
      }
    }
    let pid = try start()
    started = pid
    return pid
  }

  /// Kills a helper and waits for its end. Returns its status as waitpid reports it.
  static func end(_ pid: pid_t) -> Int32 {
    enter { $0.pids.remove(pid) }
    defer { leave { _ in } }
    return imgfetch_helper_end(pid)
  }

  /// Kills all helpers, because the process is about to end. Threads that start or end a helper from now on block for
  /// good: their reports about a killed helper would be wrong.
  static func endAll() {
    guard exist.load(ordering: .acquiring) else { return }
    state.withLock { $0.isOver = true }
    let pids = state.wait { $0.underWay == 0 ? $0.pids : nil } ?? []
    // All are killed first, so that they end while one of them is waited for.
    for pid in pids { kill(pid, SIGKILL) }
    for pid in pids { _ = imgfetch_helper_end(pid) }
  }

  private static func enter(_ change: (inout State) -> Void) {
    _ = state.wait { state -> Void? in
      if state.isOver { return nil }
      state.underWay += 1
      change(&state)
      return ()
    }
  }

  private static func leave(_ change: (inout State) -> Void) {
    state.withLock { state in
      state.underWay -= 1
      change(&state)
    }
    state.broadcast()
  }
}

/// Starts helpers on a thread that lives as long as this process. The kernel kills a helper when the *thread* that
/// started it ends, not the process. A worker that ends for want of work would otherwise take other workers' helpers
/// with it.
enum HelperSpawner {
  private final class Request: Sendable {
    let path: String
    let name: String
    let channel: Int32
    let answer = Guarded<Result<pid_t, SystemError>?>(nil)

    init(_ path: String, name: String, channel: Int32) { (self.path, self.name, self.channel) = (path, name, channel) }
  }

  private static let queue = Guarded<[Request]>([])
  private static let isRunning = Guarded(false)

  /// Starts the program at `path` with that name. `channel` becomes its only descriptor in addition to the standard
  /// three. Returns its pid.
  static func start(_ path: String, name: String, channel: Int32) throws(SystemError) -> pid_t {
    try isRunning.withLock { (isRunning) throws(SystemError) in
      if isRunning { return }
      try Threads.start(name: "imgfetch-start") { serve() }
      isRunning = true
    }
    let request = Request(path, name: name, channel: channel)
    queue.withLock { $0.append(request) }
    queue.signal()
    let answer = request.answer.wait { $0 }
    guard let answer else { throw SystemError(.spawn, .noSuchProcess, path: path) }
    return try answer.get()
  }

  private static func serve() {
    while let request = queue.wait({ $0.isEmpty ? nil : $0.removeFirst() }) {
      let answer = spawn(request)
      request.answer.withLock { $0 = answer }
      request.answer.signal()
    }
  }

  private static func spawn(_ request: Request) -> Result<pid_t, SystemError> {
    var pid = pid_t()
    do throws(SystemError) {
      try SystemCall.spawn.performReturningError(path: request.path) {
        unsafe imgfetch_helper_start(request.path, request.name, request.channel, &pid)
      }
      return .success(pid)
    } catch { return .failure(isOfMissingStreams(error) ? error.of(streams) : error) }
  }

  /// The helper's standard streams. A call that starts a process does not say which file it lacks.
  private static var streams: String { "/dev/null" }

  private static func isOfMissingStreams(_ error: SystemError) -> Bool {
    guard error.code == .noSuchFile || error.code == .notPermitted else { return false }
    return (try? Descriptor.open(streams, .readWrite)) == nil
  }
}
