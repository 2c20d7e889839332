import Glibc
import Synchronization

/// The system calls that this program makes about files, by their names.
///
/// All of them go through ``SystemCall/perform(path:_:)``: the one place that handles errno and EINTR, and where tests
/// inject faults.
package enum SystemCall: String, CaseIterable, Sendable {
  case open, openat, close, read, pread, write, writev, pwrite, fstat, fstatat, mkdirat, unlinkat, renameat, linkat
  /// Calls that many file systems do not support, kept apart from their usual forms.
  case renameat2, openUnnamed = "openat (O_TMPFILE)"
  case ftruncate, fallocate, fsync, futimens, flock, mmap, munmap, copyFileRange = "copy_file_range"
  case getxattr = "fgetxattr", getxattrat, setxattr = "fsetxattr", removexattr = "fremovexattr"
  case socketpair, send, spawn = "posix_spawn"
  case getdents, fchmod, fchown, threadCreate = "pthread_create", poll, connect, socket, eventfd, lseek,
    dup = "fcntl (F_DUPFD_CLOEXEC)"

  /// Runs a call that returns -1 and sets `errno` on failure. It is repeated while a signal interrupts it.
  @inline(__always)
  package func perform<Value: SignedInteger>(
    path: @autoclosure () -> String? = nil, _ body: () -> Value
  ) throws(SystemError) -> Value {
    try perform(upTo: 0, path: path()) { _ in body() }
  }

  /// The same for a call that may transfer less than it is asked for. `body` gets the number of bytes to ask for, and
  /// its caller continues after a short transfer.
  @inline(__always)
  package func perform<Value: SignedInteger>(
    upTo count: Int, path: @autoclosure () -> String? = nil, _ body: (Int) -> Value
  ) throws(SystemError) -> Value {
    while true {
      var wanted = count
      if Faults.armed.load(ordering: .relaxed) {
        switch Faults.verdict(on: self, path()) {
        case .proceed: break
        case .doHalf: wanted = (count + 1) / 2
        case .fail(.interrupted) where self != .close: continue
        case .fail(let code):
          // As the kernel has it: what cannot be closed in order is closed all the same.
          if self == .close { _ = body(wanted) }
          throw SystemError(self, code, path: path())
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

  /// The same for a call that returns its error instead of setting errno.
  @inline(__always)
  package func performReturningError(
    path: @autoclosure () -> String? = nil, _ body: () -> Int32
  ) throws(SystemError) {
    _ = try perform(path: path()) { () -> Int32 in
      let code = body()
      if code != 0 { errno = code }
      return code == 0 ? 0 : -1
    }
  }

  /// The same for a call that may fail with `code`. Returns whether it succeeded.
  package func succeeds(
    unless code: Errno, path: @autoclosure () -> String? = nil, _ body: () -> Int32
  ) throws(SystemError) -> Bool {
    do { _ = try perform(path: path(), body) } catch {
      if error.code == code { return false }
      throw error
    }
    return true
  }

  /// The same for calls whose failure makes no difference to the caller, such as closing.
  @inline(__always)
  @discardableResult
  package func attempt<Value: SignedInteger>(_ body: () -> Value) -> Bool { (try? perform(body)) != nil }
}

/// Lets a test make a chosen system call fail, or kill the process just before it.
///
/// It affects the whole process, so a test that arms it runs in a separate process. When not armed it costs one
/// relaxed load a call.
package enum Faults {
  /// The treatment of a call that is about to be made.
  package enum Verdict: Sendable {
    case proceed
    case fail(Errno)
    /// Reads and writes transfer half of what they are asked for. Other calls are not affected.
    case doHalf
    case endProcess
  }

  package typealias Plan = @Sendable (_ call: SystemCall, _ ordinal: Int, _ path: String?) -> Verdict

  fileprivate static let armed = Atomic<Bool>(false)
  private static let plan = Guarded<(ordinal: Int, decide: Plan)?>(nil)

  /// Passes each call from now on to `decide`, with its number since arming (from 1).
  package static func arm(_ decide: @escaping @Sendable (_ call: SystemCall, _ ordinal: Int) -> Verdict) {
    arm { call, ordinal, _ in decide(call, ordinal) }
  }

  /// Arms a plan that needs the path of the file, where the call has one.
  package static func arm(_ decide: @escaping Plan) {
    plan.withLock { $0 = (0, decide) }
    armed.store(true, ordering: .releasing)
  }

  /// Ends the plan. Returns how many calls it saw.
  @discardableResult
  package static func disarm() -> Int {
    armed.store(false, ordering: .releasing)
    return plan.withLock { state in
      defer { state = nil }
      return state?.ordinal ?? 0
    }
  }

  fileprivate static func verdict(on call: SystemCall, _ path: String?) -> Verdict {
    plan.withLock { state in
      guard let decide = state?.decide else { return .proceed }
      let ordinal = (state?.ordinal ?? 0) + 1
      state?.ordinal = ordinal
      return decide(call, ordinal, path)
    }
  }
}
