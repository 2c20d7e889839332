import CTestSupport
import Glibc

/// A program run to its end: how long that took, by the clock and on the processors, and the most memory that it had.
struct MeasuredRun {
  let nanoseconds: Int64
  /// The program's own and the kernel's for it.
  let processorNanoseconds: Int64
  let peakKilobytes: Int
  let status: Int32

  /// Runs a command with the standard streams of this program, but for the output, which is discarded.
  ///
  /// - Parameter isCopied: true for a process that begins as a copy of this one, and not within this one's memory.
  ///   The kernel counts the memory in which a process begins as its own: 17 MB, and 2 of a copy. A copy takes longer.
  init?(_ command: [String], isCopied: Bool = false) {
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    let began = Self.now()
    guard let pid = isCopied ? Self.copied(command[0], arguments) : Self.spawned(command[0], arguments) else {
      return nil
    }
    var ending: Int32 = 0
    var usage = rusage()
    while wait4(pid, &ending, 0, &usage) < 0 { if errno != EINTR { return nil } }
    nanoseconds = Self.now() - began
    processorNanoseconds = Self.nanoseconds(usage.ru_utime) + Self.nanoseconds(usage.ru_stime)
    peakKilobytes = Int(usage.ru_maxrss)
    status = ending & 0x7F == 0 ? (ending >> 8) & 0xFF : 128 + (ending & 0x7F)
  }

  private static func spawned(_ program: String, _ arguments: [UnsafeMutablePointer<CChar>?]) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    var pid = pid_t()
    return posix_spawnp(&pid, program, &actions, nil, arguments, environ) == 0 ? pid : nil
  }

  private static func copied(_ program: String, _ arguments: [UnsafeMutablePointer<CChar>?]) -> pid_t? {
    let discarded = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard discarded >= 0 else { return nil }
    defer { close(discarded) }
    let pid = test_fork(discarded)
    if pid == 0 {
      dup2(discarded, 1)
      execvp(program, arguments)
      // As a shell says that a command cannot be run.
      _exit(127)
    }
    return pid > 0 ? pid : nil
  }

  private static func nanoseconds(_ time: timeval) -> Int64 {
    Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_usec) * 1000
  }

  private static func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }
}
