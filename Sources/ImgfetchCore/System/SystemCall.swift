import Glibc
import Synchronization

/// Every call that this program makes to the operating system about files, by its name there.
///
/// All of them pass through ``SystemCall/perform(path:_:)``: one place for errno, for EINTR, and for the faults that
/// a test wants to see.
package enum SystemCall: String, CaseIterable, Sendable {
  case open, openat, close, read, pread, write, writev, pwrite, fstat, fstatat, mkdirat, unlinkat, renameat, linkat
  /// What many file systems do not know, beside what all of them do.
  case renameat2, openUnnamed = "openat (O_TMPFILE)"
  case ftruncate, fallocate, fsync, futimens, flock, mmap, munmap, copyFileRange = "copy_file_range"
  case getxattr = "fgetxattr", getxattrat, setxattr = "fsetxattr", removexattr = "fremovexattr"
  case socketpair, send, spawn = "posix_spawn"
  case getdents, fchmod, symlinkat, readlinkat, realpath, threadCreate = "pthread_create", pipe, poll, getcwd, connect,
    socket, eventfd, lseek

  /// Runs a call that answers -1 and `errno` on failure, again while a signal interrupts it.
  @inline(__always)
  package func perform<Value: SignedInteger>(
    path: @autoclosure () -> String? = nil, _ body: () -> Value
  ) throws(SystemError) -> Value {
    try perform(upTo: 0, path: path()) { _ in body() }
  }

  /// The same for a call that may do less than it is asked for, after which its caller goes on: `body` is told how many bytes
  /// to ask for.
  @inline(__always)
  package func perform<Value: SignedInteger>(
    upTo count: Int, path: @autoclosure () -> String? = nil, _ body: (Int) -> Value
  ) throws(SystemError) -> Value {
    while true {
      var wanted = count
      if Faults.armed.load(ordering: .relaxed) {
        switch Faults.verdict(on: self) {
        case .proceed: break
        case .doHalf: wanted = (count + 1) / 2
        case .fail(.interrupted): continue
        case .fail(let code): throw SystemError(self, code, path: path())
        case .endProcess: kill(getpid(), SIGKILL)
        }
      }
      let value = body(wanted)
      if value != -1 { return value }
      let code = Errno.last
      if code == .interrupted && self != .close { continue }
      throw SystemError(self, code, path: path())
    }
  }

  /// The same for calls whose failure changes nothing for the caller (closing, unlinking what may be gone).
  @inline(__always)
  @discardableResult
  package func attempt<Value: SignedInteger>(_ body: () -> Value) -> Bool {
    (try? perform(body)) != nil
  }
}

/// The hook by which a test makes a chosen system call fail, or ends the process just before it.
///
/// It holds for the whole process, so a test that arms it runs in a process of its own. Unarmed it costs one
/// relaxed load a call.
package enum Faults {
  /// What a plan wants done about a call that is about to be made.
  package enum Verdict: Sendable {
    case proceed
    case fail(Errno)
    /// Reading or writing does half of what it is asked for; to other calls this means nothing.
    case doHalf
    case endProcess
  }

  package typealias Plan = @Sendable (_ call: SystemCall, _ ordinal: Int) -> Verdict

  fileprivate static let armed = Atomic<Bool>(false)
  private static let plan = Guarded<(ordinal: Int, decide: Plan)?>(nil)

  /// From now on each call is put before `decide`, with its number since arming (from 1).
  package static func arm(_ decide: @escaping Plan) {
    plan.withLock { $0 = (0, decide) }
    armed.store(true, ordering: .releasing)
  }

  /// Ends the plan; the answer is how many calls it saw.
  @discardableResult
  package static func disarm() -> Int {
    armed.store(false, ordering: .releasing)
    return plan.withLock { state in
      defer { state = nil }
      return state?.ordinal ?? 0
    }
  }

  fileprivate static func verdict(on call: SystemCall) -> Verdict {
    plan.withLock { state in
      guard let decide = state?.decide else { return .proceed }
      let ordinal = (state?.ordinal ?? 0) + 1
      state?.ordinal = ordinal
      return decide(call, ordinal)
    }
  }
}
