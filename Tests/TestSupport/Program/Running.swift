import CTestSupport
import Glibc
import ImgfetchCore

/// A program that was started: to be talked to, signalled and waited for. It is killed when the last reference goes.
package final class Running: Sendable {
  private enum Stream: Hashable { case output, error, terminal }

  private struct State {
    var bytes: [Stream: [UInt8]] = [:]
    /// The streams that have not ended.
    var open: Set<Stream> = []
    /// Up to where ``Running/nextLine()`` has read the output.
    var place = 0
    var input: Int32 = -1
    var status: Int32?
  }

  package let pid: pid_t
  private let name: String
  private let state = Guarded(State())
  /// The master of its terminal, or -1. The thread that reads it closes it.
  private let terminal: Int32
  private let emulator: TerminalEmulator?

  init(_ command: Command) throws {
    Self.ignoreBrokenPipes
    name = ([command.path] + command.arguments).joined(separator: " ")
    var pipes: [(read: Int32, write: Int32)] = []
    var kept: Set<Int32> = []
    func closeTheRest() {
      for pipe in pipes { for end in [pipe.read, pipe.write] where !kept.contains(end) { close(end) } }
      pipes = []
    }
    defer { closeTheRest() }
    for _ in 0..<3 {
      var ends: [Int32] = [-1, -1]
      if test_pipe(&ends) != 0 { throw SocketError("pipe") }
      pipes.append((ends[0], ends[1]))
    }

    var peer: Int32 = -1
    defer { if peer >= 0 { close(peer) } }
    var descriptors = [pipes[0].read, pipes[1].write, pipes[2].write] + command.inherited
    emulator = command.terminal?.emulator
    if let wanted = command.terminal {
      terminal = test_open_terminal(Int32(wanted.columns), Int32(wanted.rows), false, &peer)
      if terminal < 0 { throw SocketError("posix_openpt") }
      if let emulator {
        let cell = emulator.systemCell
        _ = test_resize_terminal_pixels(
          terminal, Int32(wanted.columns), Int32(wanted.rows), Int32(cell.width), Int32(cell.height))
      }
      if wanted.input { descriptors[0] = -1 }
      if wanted.output { descriptors[1] = -1 }
      if wanted.error { descriptors[2] = -1 }
    } else {
      terminal = -1
    }

    pid = try Self.spawn(command, descriptors: descriptors, terminal: peer)

    let (input, output, error) = (pipes[0].write, pipes[1].read, pipes[2].read)
    kept = command.terminal?.input == true ? [output, error] : [input, output, error]
    // Before anything is written: while this process could read its own pipe too, a full one would never break.
    closeTheRest()
    if kept.contains(input) {
      _ = fcntl(input, F_SETFL, O_NONBLOCK)
      state.withLock { $0.input = input }
    }
    try read(output, as: .output)
    try read(error, as: .error)
    if terminal >= 0 { try read(terminal, as: .terminal) }
    try reap()

    switch command.input {
    case .none: closeInput()
    case .bytes(let bytes):
      write(bytes)
      closeInput()
    case .open: break
    }
  }

  deinit {
    closeInput()
    // With its own processes, such as the workers of a server.
    state.withLock { if $0.status == nil { kill(-pid, SIGKILL) } }
  }

  /// A program that ends before it has read its input must not end the tests.
  private static let ignoreBrokenPipes: Void = { signal(SIGPIPE, SIG_IGN) }()

  private static func spawn(_ command: Command, descriptors: [Int32], terminal: Int32) throws -> pid_t {
    var arguments: [UnsafeMutablePointer<CChar>?] = ([command.path] + command.arguments).map { strdup($0) }
    var environment: [UnsafeMutablePointer<CChar>?] = command.environment.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in arguments + environment { free(text) } }
    arguments.append(nil)
    environment.append(nil)
    var pid = pid_t()
    let code = test_spawn(
      &pid, command.path, arguments, environment, command.folder, descriptors, Int32(descriptors.count), terminal)
    if code != 0 { throw SocketError("starting \(command.path) in \(command.folder)", code: code) }
    return pid
  }

  private func read(_ descriptor: Int32, as stream: Stream) throws {
    state.withLock { _ = $0.open.insert(stream) }
    try startDetachedThread { [state, emulator] in
      var piece = [UInt8](repeating: 0, count: 65536)
      while true {
        let count = Glibc.read(descriptor, &piece, piece.count)
        // A terminal whose last user has gone answers EIO.
        if count <= 0 { break }
        if stream == .terminal, let answer = emulator?.feed(piece.prefix(count)), !answer.isEmpty {
          _ = Glibc.write(descriptor, answer, answer.count)
        }
        state.withLock { $0.bytes[stream, default: []] += piece.prefix(count) }
        state.broadcast()
      }
      close(descriptor)
      state.withLock { _ = $0.open.remove(stream) }
      state.broadcast()
    }
  }

  private func reap() throws {
    try startDetachedThread { [state, pid] in
      // The status is taken with the lock held, so that no signal is sent to a pid that another process has by now.
      var info = siginfo_t()
      while waitid(P_PID, id_t(pid), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
      state.withLock { state in
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        state.status = status
      }
      state.broadcast()
    }
  }
}

// Talking to it.
extension Running {
  /// Writes to its standard input (or types at its terminal); bytes that it no longer reads are lost silently.
  package func write(_ bytes: [UInt8]) {
    let input = state.withLock { $0.input }
    let descriptor = input >= 0 ? input : terminal
    var done = 0
    while descriptor >= 0, done < bytes.count {
      var one = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      if poll(&one, 1, Int32(Patience.long.milliseconds)) == 0 { return }
      let count = bytes.withUnsafeBytes {
        Glibc.write(descriptor, $0.baseAddress.map { $0 + done }, bytes.count - done)
      }
      if count < 0, errno != EINTR, errno != EAGAIN { return }
      done += max(0, count)
    }
  }

  package func write(_ text: String) { write(Array(text.utf8)) }

  /// Ends the standard input of the program.
  package func closeInput() {
    let input = state.withLock { state in
      defer { state.input = -1 }
      return state.input
    }
    if input >= 0 { close(input) }
  }

  /// Sends it a signal, unless it has ended.
  package func send(_ signal: Int32) { state.withLock { if $0.status == nil { kill(pid, signal) } } }

  package func resizeTerminal(columns: Int, rows: Int) {
    state.withLock { state in
      guard state.open.contains(.terminal) else { return }
      let cell = emulator?.systemCell ?? (width: 0, height: 0)
      emulator?.resize(columns: columns, rows: rows)
      _ = test_resize_terminal_pixels(terminal, Int32(columns), Int32(rows), Int32(cell.width), Int32(cell.height))
    }
  }

  /// The processes that it has started and not waited for.
  package var children: [Int32] {
    Command.names(in: "/proc/\(pid)/task").flatMap { task in
      (Command.text(of: "/proc/\(pid)/task/\(task)/children") ?? "").split(separator: " ").compactMap { Int32($0) }
    }
  }

  /// The most memory that the program has had resident so far, in bytes, or nil once it has ended.
  ///
  /// Read while it runs: the figure that `wait4` reports in the end includes the tests' own peak, which a spawned
  /// program starts with. So hold it up where the figure matters.
  package var peakMemory: Int? {
    state.withLock { state in
      guard state.status == nil, let file = fopen("/proc/\(pid)/status", "r") else { return nil }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 256)
      while fgets(&line, Int32(line.count), file) != nil {
        let words = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
          .split(whereSeparator: \.isWhitespace)
        if words.first == "VmHWM:", words.count > 1, let kilobytes = Int(words[1]) { return kilobytes * 1024 }
      }
      return nil
    }
  }
}

// Waiting for it.
extension Running {
  /// The next line of its output, without the end, or nil once there is no more.
  package func nextLine() throws -> String? {
    let line: String?? = wait { state in
      let rest = (state.bytes[.output] ?? [])[state.place...]
      if let end = rest.firstIndex(of: 10) {
        defer { state.place = end + 1 }
        return .some(String(decoding: rest[..<end], as: UTF8.self))
      }
      if state.open.contains(.output) { return nil }
      defer { state.place = rest.endIndex }
      return .some(rest.isEmpty ? nil : String(decoding: rest, as: UTF8.self))
    }
    guard let line else { throw timedOut("a line") }
    return line
  }

  /// Sleeps until `text` has come on its standard error.
  package func waitForError(_ text: String) throws { try wait(for: text, in: .error) }

  /// Sleeps until `text` has come on its standard output, whether read by ``nextLine()`` or not.
  package func waitForOutput(_ text: String) throws { try wait(for: text, in: .output) }

  /// Sleeps until its terminal has shown `text`.
  package func waitForTerminal(_ text: String) throws { try wait(for: text, in: .terminal) }

  /// Sleeps until what its terminal shows is as it is wanted.
  package func waitForTerminal(_ what: String, columns: Int = 80, _ isWanted: (Screen) -> Bool) throws {
    let shown: Bool? = wait { state in
      if isWanted(Screen(state.bytes[.terminal] ?? [], columns: columns)) { return true }
      return state.open.contains(.terminal) ? nil : false
    }
    if shown != true { throw timedOut(what) }
  }

  /// Sleeps until what its emulated terminal shows is as it is wanted.
  package func waitForScreen(_ what: String, _ isWanted: (EmulatedScreen) -> Bool) throws {
    let shown: Bool? = wait { state in
      if let emulator, isWanted(emulator.screen) { return true }
      return state.open.contains(.terminal) ? nil : false
    }
    if shown != true { throw timedOut(what) }
  }

  /// The settings of the terminal: true if it echoes, and if it gathers lines.
  package var terminalModes: (echoes: Bool, gathersLines: Bool)? {
    state.withLock { state in
      var modes = termios()
      guard state.open.contains(.terminal), tcgetattr(terminal, &modes) == 0 else { return nil }
      return (modes.c_lflag & tcflag_t(ECHO) != 0, modes.c_lflag & tcflag_t(ICANON) != 0)
    }
  }

  /// Sleeps until it has ended, and said all that it and its children had to say.
  package func wait() throws -> Outcome {
    let outcome: Outcome? = wait { state in
      guard let status = state.status, state.open.isEmpty else { return nil }
      let signal = status & 0x7f
      return Outcome(
        exitCode: signal == 0 ? (status >> 8) & 0xff : nil, signal: signal == 0 ? nil : signal,
        output: state.bytes[.output] ?? [], error: state.bytes[.error] ?? [], terminal: state.bytes[.terminal] ?? [])
    }
    guard let outcome else {
      send(SIGKILL)
      throw timedOut("its end")
    }
    return outcome
  }

  private func wait<Value>(_ body: (inout State) -> Value?) -> Value? {
    state.wait(until: SystemClock().now() + Patience.long, body)
  }

  private func wait(for text: String, in stream: Stream) throws {
    let found: Bool? = wait { state in
      if String(decoding: state.bytes[stream] ?? [], as: UTF8.self).contains(text) { return true }
      return state.open.contains(stream) ? nil : false
    }
    if found != true { throw timedOut("\"\(text)\"") }
  }

  private func timedOut(_ what: String) -> CommandError {
    let said = state.withLock { state in
      state.bytes.map { "\($0.key): \(String(decoding: $0.value, as: UTF8.self))" }.joined(separator: "\n")
    }
    return CommandError("\(name): waited in vain for \(what)\n\(said)")
  }
}
