import CPosixShim
import Glibc

/// The terminal of this process, which can be told not to echo typed characters while a program
/// asks it questions, or draws.
///
/// Keys that send signals still do, and typed characters stay for the shell. The owner calls ``restore()``, at the
/// latest when the process ends.
package final class QuietTerminal: Sendable {
  private let descriptor: SharedDescriptor
  private struct State {
    let before: termios
    /// True if the terminal is being asked: its answers are not echoed, and are passed on at once.
    var isAsking = false
    /// True if something is drawn: typed characters are not echoed there, and a key that stops or ends the process has
    /// the terminal drop nothing of it. The rest of a picture would be no text that a terminal understands, and the
    /// kernel does not wake a writer whose output it drops.
    var isDrawing = false
    var isRestored = false
    /// The flags that the terminal was last given. Nil if another program has had it since.
    var told: tcflag_t?

    init(before: termios) {
      self.before = before
      told = before.c_lflag
    }

    /// The flags as they are to be.
    var flags: tcflag_t {
      if isRestored { return before.c_lflag }
      let off = tcflag_t((isAsking ? ECHO | ICANON : 0) | (isDrawing ? ECHO : 0))
      return before.c_lflag & ~off | tcflag_t(isDrawing ? NOFLSH : 0)
    }
  }
  private let state: Guarded<State>

  /// Nil if there is no terminal, another one than that of `output`, or one that another job has
  /// now. Nothing is changed yet.
  package init?(of output: Int32) {
    guard let terminal = try? Descriptor.open("/dev/tty", .readWrite),
      ProcessEnvironment.isSameTerminal(terminal.raw, output),
      tcgetpgrp(terminal.raw) == getpgrp()
    else { return nil }
    var before = termios()
    guard unsafe tcgetattr(terminal.raw, &before) == 0 else { return nil }
    descriptor = SharedDescriptor(terminal)
    state = Guarded(State(before: before))
  }

  /// Sets whether the terminal is being asked. Returns false if its settings cannot be changed.
  package func ask(_ isAsking: Bool) -> Bool { change { $0.isAsking = isAsking } }

  /// Tells the terminal whether something is drawn.
  package func draw(_ isDrawing: Bool) { _ = change { $0.isDrawing = isDrawing } }

  /// Restores the terminal's own flags, and leaves them so.
  package func restore() { _ = change { $0.isRestored = true } }

  /// Runs `body` with the terminal as it was before.
  package func whileRestored(_ body: () -> Void) {
    let before = state.withLock { state in
      defer { state.told = nil }
      return state.told == state.before.c_lflag ? nil : state.before
    }
    if let before { _ = apply(before) }
    body()
    _ = change { _ in }
  }

  private func change(_ change: (inout State) -> Void) -> Bool {
    state.withLock { state in
      let isOver = state.isRestored
      change(&state)
      if isOver { return false }
      var settings = state.before
      settings.c_lflag = state.flags
      if state.told == settings.c_lflag { return true }
      let isDone = apply(settings)
      if isDone { state.told = settings.c_lflag }
      return isDone
    }
  }

  /// Applies flags. Text that is already typed stays. If another job has the terminal, nothing is done: this process
  /// would be stopped for that.
  private func apply(_ flags: termios) -> Bool {
    var flags = flags
    guard isOurs else { return false }
    return unsafe tcsetattr(descriptor.file.raw, TCSANOW, &flags) == 0
  }

  /// True if this process's job has the terminal.
  private var isOurs: Bool { tcgetpgrp(descriptor.file.raw) == getpgrp() }

  /// True if there is input that was not read.
  package var hasInput: Bool { isReadable(within: 0) }

  package func write(_ bytes: [UInt8]) -> Bool { (try? descriptor.file.write(bytes.span)) != nil }

  /// Reads the input that has come, waiting for it at most so long. Empty if nothing has.
  package func read(within milliseconds: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    guard isReadable(within: milliseconds) else { return [] }
    _ = try? descriptor.file.read(into: &bytes, count: 4096)
    return bytes
  }

  /// Reads the input that has come, waiting for it at most so long. Empty if nothing has, or if another job has the
  /// terminal, for which this process would be stopped; nil if nothing will, since the terminal has gone.
  package func typed(within milliseconds: Int) -> [UInt8]? {
    guard isReadable(within: milliseconds), isOurs else { return [] }
    var bytes: [UInt8] = []
    guard let count = try? descriptor.file.read(into: &bytes, count: 4096), count > 0 else { return nil }
    return bytes
  }

  private func isReadable(within milliseconds: Int) -> Bool {
    var one = pollfd(fd: descriptor.file.raw, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&one, 1, Int32(clamping: max(0, milliseconds))) > 0 && one.revents & Int16(POLLIN) != 0
  }

  /// Gives bytes back that were typed and not meant for us, as if they were typed now. Some kernels do not allow it;
  /// the bytes are lost then.
  package func giveBack(_ bytes: [UInt8]) {
    for byte in bytes where imgfetch_terminal_type(descriptor.file.raw, byte) != 0 { return }
  }
}
