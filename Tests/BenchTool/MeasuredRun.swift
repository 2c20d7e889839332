import Glibc

/// A program run to its end: how long that took, by the clock and on the processors, and the most memory that it had.
struct MeasuredRun {
  let nanoseconds: Int64
  /// The program's own and the kernel's for it.
  let processorNanoseconds: Int64
  let peakKilobytes: Int
  let status: Int32

  /// Runs a command with the standard streams of this program, but for the output, which is discarded.
  init?(_ command: [String]) {
    var arguments: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) }
    defer { for argument in arguments { free(argument) } }
    arguments.append(nil)
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    let began = Self.now()
    var pid = pid_t()
    guard posix_spawnp(&pid, command[0], &actions, nil, arguments, environ) == 0 else { return nil }
    var ending: Int32 = 0
    var usage = rusage()
    while wait4(pid, &ending, 0, &usage) < 0 { if errno != EINTR { return nil } }
    nanoseconds = Self.now() - began
    processorNanoseconds = Self.nanoseconds(usage.ru_utime) + Self.nanoseconds(usage.ru_stime)
    peakKilobytes = Int(usage.ru_maxrss)
    status = ending & 0x7F == 0 ? (ending >> 8) & 0xFF : 128 + (ending & 0x7F)
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
