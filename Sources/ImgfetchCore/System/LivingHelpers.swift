import CSandboxShim
import Glibc
import Synchronization

/// The helpers of this process that have been started and not been waited for.
///
/// So that the process can end them all before it ends: a helper that it leaves behind stays in the table of processes for as
/// long as the first process there does not wait for it, and in many containers that one never waits.
enum LivingHelpers {
  private struct State {
    var pids: Set<pid_t> = []
    /// Those that are being started or waited for at this moment.
    var underWay = 0
    var isOver = false
  }

  private static let state = Guarded(State())
  /// Asked at the end of every run, most of which have no helpers.
  private static let exist = Atomic<Bool>(false)

  /// Starts one by `start`, whose answer is its number.
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

  /// Ends one, and waits for its end; the answer is how it ended, as waitpid says.
  static func end(_ pid: pid_t) -> Int32 {
    enter { $0.pids.remove(pid) }
    defer { leave { _ in } }
    return imgfetch_helper_end(pid)
  }

  /// Ends all of them, now that the process is about to end. Any thread that wants to start or end one from now on stands still: what
  /// it would tell of a helper that is gone is not so.
  static func endAll() {
    guard exist.load(ordering: .acquiring) else { return }
    state.withLock { $0.isOver = true }
    let pids = state.wait { $0.underWay == 0 ? $0.pids : nil } ?? []
    // All of them first: each then ends while another one is waited for.
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
