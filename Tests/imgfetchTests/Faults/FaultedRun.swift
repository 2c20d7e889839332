import CTestSupport
import Glibc
import ImgfetchCore
import TestSupport

@testable import imgfetch

/// One run of the whole program in a process of its own, in which a system call goes wrong, or several do.
///
/// The process is forked, since starting a program and loading libcurl a thousand times would take minutes. So this is
/// for a process that has no other threads: a test that exits.
struct FaultedRun {
  /// The first failed call, or nil if there were fewer calls, so that none failed.
  let call: String?
  /// The number of failed calls.
  let hits: Int
  let exitCode: Int32?
  let signal: Int32?
  let output: String
  let error: String
  /// The files of the place that were still open in the end.
  let leaks: [String]

  /// The verdict on a call that is about to be made, and its file, or nil to let it pass.
  typealias Decision = @Sendable (_ call: SystemCall, _ path: String?) -> Faults.Verdict?

  /// - Parameters:
  ///   - ordinal: the number of the failing call among those that `fault` concerns, from 1, or nil for none.
  ///   - kind: the features of the file system. Calls that it lacks are refused each time, and not counted.
  init(
    _ arguments: [String], in place: TemporaryFolder, at ordinal: Int? = nil, _ fault: Fault = .end,
    on kind: FileSystemKind = .complete
  ) throws {
    let count = Guarded(0)
    let child = try Self.start(arguments, in: place, on: kind) { call, _ in
      guard fault.isFor(call) else { return nil }
      let number = count.withLock { count in
        count += 1
        return count
      }
      return number == ordinal ? fault.verdict : nil
    }
    try self.init(endOf: child, in: place)
  }

  /// Runs with as many failing calls as `decide` says.
  ///
  /// - Parameter input: the standard input, or nil for this process's.
  init(
    _ arguments: [String], in place: TemporaryFolder, input: Int32? = nil, _ decide: @escaping Decision
  ) throws {
    try self.init(endOf: Self.start(arguments, in: place, input: input, on: .complete, decide), in: place)
  }

  /// The same of something that is no whole run of the program. Its answer is the exit code.
  init(in place: TemporaryFolder, _ decide: @escaping Decision, _ work: @escaping Work) throws {
    try self.init(endOf: Self.start(work, in: place, input: nil, on: .complete, decide), in: place)
  }

  /// Folders for a run.
  static func place() throws -> TemporaryFolder {
    let place = try TemporaryFolder()
    for folder in ["home", "work", "tmp"] { try place.makeFolder(folder) }
    return place
  }

  /// The same in several places, side by side, with nothing going wrong but what the file system does not know.
  static func runAtOnce(
    _ arguments: [String], in places: [TemporaryFolder], on kind: FileSystemKind
  ) throws -> [FaultedRun] {
    let children = try places.map { try start(arguments, in: $0, on: kind) { _, _ in nil } }
    return try zip(children, places).map { try FaultedRun(endOf: $0, in: $1) }
  }

  typealias Work = @Sendable () -> Int32

  private static func start(
    _ arguments: [String], in place: TemporaryFolder, input: Int32? = nil, on kind: FileSystemKind,
    _ decide: @escaping Decision
  ) throws -> pid_t {
    // Images that the memory cache keeps stay open as files: without them, an open file has leaked.
    let fetches = ["get", "prefetch"].contains(arguments.first)
    let words = (arguments + (fetches ? ["--memory-limit", "0"] : [])).map { Array($0.utf8) }
    let environment = [
      "HOME=\(place.path("home"))", "XDG_CACHE_HOME=\(place.path("home/.cache"))",
      "XDG_CONFIG_HOME=\(place.path("home/.config"))", "TMPDIR=\(place.path("tmp"))", "LC_ALL=C.UTF-8",
    ].map { Array($0.utf8) }
    return try start(
      { Program.run(words, environment: environment) }, in: place, input: input, on: kind, decide)
  }

  private static func start(
    _ work: @escaping Work, in place: TemporaryFolder, input: Int32?, on kind: FileSystemKind,
    _ decide: @escaping Decision
  ) throws -> pid_t {
    let child = test_fork(input ?? -1)
    if child == 0 {
      // On a thread that was not forked. Once the thread that was and another one were both found in the runtime's once
      // for the same witness table, in system calls without end. Why is not proven; the likely reason is a lock that
      // names its holder by a thread's number, which the forked one remembers from before.
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      guard
        let thread = try? Threads.start(
          name: "run", { Self.run(work, in: place, input: input, on: kind, decide) })
      else { _exit(EX_OSERR) }
      thread.join()
    }
    return child
  }

  private init(endOf child: pid_t, in place: TemporaryFolder) throws {
    var status: Int32 = 0
    guard waitpid(child, &status, 0) == child else { throw CommandError("the run was not started") }
    let ending = status & 0x7f
    exitCode = ending == 0 ? (status >> 8) & 0xff : nil
    signal = ending == 0 ? nil : ending
    output = place.text("output") ?? ""
    error = place.text("error") ?? ""
    let lines = (place.text("report") ?? "").split(separator: "\n").map(String.init)
    call = lines.first { !$0.hasPrefix("/") }
    hits = lines.count { !$0.hasPrefix("/") }
    leaks = lines.filter { $0.hasPrefix("/") }
  }

  /// The run, with which the process ends.
  private static func run(
    _ work: Work, in place: TemporaryFolder, input: Int32?, on kind: FileSystemKind, _ decide: @escaping Decision
  ) -> Never {
    let report = enter(place, input)
    Faults.arm { call, _, path in
      if let code = kind.refusal(of: call) { return .fail(code) }
      guard let verdict = decide(call, path) else { return .proceed }
      write("\(call.rawValue)\n", to: report)
      return verdict
    }
    ProcessEnvironment.holdStandardStreams()
    ProcessEnvironment.ignoreWriteSignals()
    let code = work()
    Faults.disarm()
    for path in leaks(below: place.path) { write("\(path)\n", to: report) }
    _exit(code)
  }

  /// Streams and a working directory for the child; the answer is where it reports to.
  private static func enter(_ place: TemporaryFolder, _ input: Int32?) -> Int32 {
    if let input {
      dup2(input, 0)
      close(input)
    }
    for (number, name) in [(1, "output"), (2, "error")] as [(Int32, String)] {
      let file = Glibc.open(place.path(name), O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      dup2(file, number)
      close(file)
    }
    chdir(place.path("work"))
    return Glibc.open(place.path("report"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
  }

  private static func write(_ text: String, to file: Int32) {
    var text = text
    text.withUTF8 { _ = Glibc.write(file, $0.baseAddress, $0.count) }
  }

  /// The files that stay open; folders are kept open on purpose, each once. Threads that have told of their last result
  /// may be about to close theirs, so they are let run for as long as there is something left to close.
  private static func leaks(below path: String) -> [String] {
    let deadline = SystemClock().now() + Patience.long
    while true {
      let open = (3..<256).compactMap { target(of: $0, below: path) }
      let leaks = open.filter { file in
        var status = stat()
        let isFolder = stat("\(path)\(file)", &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
        return !isFolder || open.count { $0 == file } > 1
      }
      if leaks.isEmpty || SystemClock().now() > deadline { return leaks }
      sched_yield()
    }
  }

  private static func target(of number: Int32, below path: String) -> String? {
    var target = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/fd/\(number)", &target, target.count)
    let file = String(decoding: target.prefix(max(0, count)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return file.hasPrefix("\(path)/") && !file.hasSuffix("/report") ? String(file.dropFirst(path.count)) : nil
  }
}

extension TemporaryFolder {
  /// A copy of all that is in here, with times and attributes.
  func copy() throws -> TemporaryFolder {
    let copy = try TemporaryFolder()
    var pid = pid_t()
    let words: [String] = ["cp", "-a", "\(path)/.", copy.path]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    var environment: [UnsafeMutablePointer<CChar>?] = [nil]
    var status: Int32 = 0
    guard test_spawn(&pid, "/bin/cp", &arguments, &environment, "/", [0, 1, 2], 3, -1) == 0,
      waitpid(pid, &status, 0) == pid, status == 0
    else { throw CommandError("\(path) cannot be copied") }
    return copy
  }
}
