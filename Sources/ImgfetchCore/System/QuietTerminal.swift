import CPosixShim
import Glibc

/// The terminal of this process, told not to echo what comes and to hand it on at once: for a program that asks its terminal questions.
///
/// Keys that send signals still do. The owner calls ``restore()``, at the latest when the process ends.
package final class QuietTerminal: Sendable {
  private let descriptor: SharedDescriptor
  private struct State {
    var before: termios
    var isQuiet = true
  }
  private let state: Guarded<State>

  /// Nil if there is no terminal, another one than that of `output`, or one that another job has now.
  package init?(of output: Int32) {
    guard let terminal = try? Descriptor.open("/dev/tty", .readWrite),
      ProcessEnvironment.isSameTerminal(terminal.raw, output),
      tcgetpgrp(terminal.raw) == getpgrp()
    else { return nil }
    var before = termios()
    guard unsafe tcgetattr(terminal.raw, &before) == 0 else { return nil }
    var quiet = before
    quiet.c_lflag &= ~tcflag_t(ECHO | ICANON)
    // What is typed already stays there.
    guard unsafe tcsetattr(terminal.raw, TCSANOW, &quiet) == 0 else { return nil }
    descriptor = SharedDescriptor(terminal)
    state = Guarded(State(before: before))
  }

  /// Whether something is there that was not read.
  package var hasInput: Bool { isReadable(within: 0) }

  /// Writes to the terminal.
  package func write(_ bytes: [UInt8]) -> Bool { (try? descriptor.file.write(bytes.span)) != nil }

  /// What has come, waiting for it at most so long. Empty if nothing has.
  package func read(within milliseconds: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    guard isReadable(within: milliseconds) else { return [] }
    _ = try? descriptor.file.read(into: &bytes, count: 4096)
    return bytes
  }

  private func isReadable(within milliseconds: Int) -> Bool {
    var one = pollfd(fd: descriptor.file.raw, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&one, 1, Int32(clamping: max(0, milliseconds))) > 0 && one.revents & Int16(POLLIN) != 0
  }

  /// Gives bytes back that were typed and not meant for us, as if they were typed now. Some kernels do not allow it; the bytes are lost then.
  package func giveBack(_ bytes: [UInt8]) {
    for byte in bytes where imgfetch_terminal_type(descriptor.file.raw, byte) != 0 { return }
  }

  /// The terminal is as it was before. Further calls have no effect.
  package func restore() {
    state.withLock { state in
      guard state.isQuiet else { return }
      state.isQuiet = false
      _ = unsafe tcsetattr(descriptor.file.raw, TCSANOW, &state.before)
    }
  }
}
