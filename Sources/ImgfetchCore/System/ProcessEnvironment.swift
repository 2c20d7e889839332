import CCurlShim
import CDeflate
import CHashShim
import CPosixShim
import CZlib
import Glibc

extension SharedDescriptor {
  // Never closed: the next file that is opened would get the number.
  package static let standardInput = SharedDescriptor(Descriptor(owning: 0))
  package static let standardOutput = SharedDescriptor(Descriptor(owning: 1))
  package static let standardError = SharedDescriptor(Descriptor(owning: 2))
}

/// The process and its environment: arguments, variables, the standard streams, limits, exit. For programs only: the
/// core reads none of them by itself.
package enum ProcessEnvironment {
  /// The arguments after the program's name, byte for byte: the caller decides about those that are not UTF-8, which
  /// must not turn into the name of another file on the way.
  package static var arguments: [[UInt8]] {
    // Proof: the kernel passes an array that ends with a null pointer, and nothing in this program writes to it.
    unsafe bytes(of: CommandLine.unsafeArgv + min(1, Int(CommandLine.argc)))
  }

  /// `argv[0]`.
  package static var programName: String {
    // Proof: as above. The name is the first element, and may be missing.
    unsafe CommandLine.unsafeArgv[0].map { unsafe String(cString: $0) } ?? ""
  }

  /// The environment's entries, `NAME=value`, byte for byte.
  package static var environment: [[UInt8]] {
    guard let entries = unsafe imgfetch_environment() else { return [] }
    // Proof: the array ends with a null pointer. It is read at start, while no other thread could change it.
    return unsafe bytes(of: entries)
  }

  private static func bytes(of texts: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> [[UInt8]] {
    var all: [[UInt8]] = []
    var place = unsafe texts
    while let text = unsafe place.pointee {
      unsafe all.append(Array(UnsafeRawBufferPointer(start: text, count: strlen(text))))
      unsafe place += 1
    }
    return all
  }

  /// Ensures that the numbers of the three standard streams are taken before any file is opened. A program may be
  /// started with one of them closed. The next file would get its number, and with it the bytes meant for the stream.
  /// They are opened the wrong way round, so that reading or writing a missing stream still fails.
  package static func holdStandardStreams() {
    for (number, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)]
    where imgfetch_is_closed(number) != 0 {
      // This is the lowest free number, since those below it are taken.
      _ = unsafe imgfetch_openat(AT_FDCWD, "/dev/null", mode, 0)
    }
  }

  /// True if there is a regular file of this name, links followed. It is not opened: a name from a list may be a
  /// device's.
  package static func isFile(_ path: String) -> Bool { kind(of: path) == .regular }

  /// True if there is a folder of this name, links followed.
  package static func isFolder(_ path: String) -> Bool { kind(of: path) == .directory }

  /// True if there is a file of any kind or a folder of this name, links followed: pipes and devices have names, too.
  package static func exists(_ path: String) -> Bool { kind(of: path) != nil }

  private static func kind(of path: String) -> FileStatus.Kind? { (try? Descriptor.status(ofFile: path))?.kind }

  /// The path of a file without links, or nil if it has none, as a pipe has none behind `/dev/stdin`.
  package static func resolved(_ path: String) -> String? { unsafe taken(realpath(path, nil)) }

  /// Copies and frees a text that the C library has made.
  private static func taken(_ text: UnsafeMutablePointer<CChar>?) -> String? {
    // Proof: the text is the caller's own, ends with a zero, and is freed once, behind its copy.
    guard let text = unsafe text else { return nil }
    defer { unsafe free(text) }
    return unsafe String(cString: text)
  }

  /// The descriptor of this process that an output's name stands for (`-` and names like `/dev/stderr`), or nil if
  /// it is another file's name.
  ///
  /// If it was opened again by that name, it would have another position in a file, and a socket
  /// could not be opened at all.
  package static func stream(named path: String) -> Int32? {
    switch path {
    case "-", "/dev/stdout": return 1
    case "/dev/stderr": return 2
    default:
      let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.hasPrefix($0) }
      return folder.flatMap { Int32(path.dropFirst($0.utf8.count)) }
    }
  }

  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// True if two descriptors are the same terminal. If the system cannot tell two terminals apart they count as the
  /// same: nearly all programs have one.
  package static func isSameTerminal(_ one: Int32, _ other: Int32) -> Bool {
    isTerminal(one) && isTerminal(other) && imgfetch_is_same_terminal(one, other) != 0
  }

  /// True if a descriptor is this process's terminal, and another job has it now.
  package static func isInBackground(_ descriptor: Int32) -> Bool {
    let job = tcgetpgrp(descriptor)
    return job > 0 && job != getpgrp()
  }

  /// The terminal's width, or nil if it is unknown.
  package static func terminalColumns(_ descriptor: Int32) -> Int? {
    let columns = Int(imgfetch_terminal_columns(descriptor))
    return columns > 0 ? columns : nil
  }

  /// The terminal's height, or nil if it is unknown.
  package static func terminalRows(_ descriptor: Int32) -> Int? {
    let rows = Int(imgfetch_terminal_rows(descriptor))
    return rows > 0 ? rows : nil
  }

  /// The size in pixels of one of the terminal's cells, or nil if it is unknown.
  package static func terminalCell(_ descriptor: Int32) -> (width: Int, height: Int)? {
    var (width, height): (Int32, Int32) = (0, 0)
    guard unsafe imgfetch_terminal_cell(descriptor, &width, &height) == 0 else { return nil }
    return (Int(width), Int(height))
  }

  /// The path of this program's file, without links, or nil if it cannot be told.
  package static var programFile: String? { unsafe taken(imgfetch_program()) }

  package static var workingFolder: String? { unsafe taken(getcwd(nil, 0)) }

  /// Makes writes fail instead of killing the process if a pipe's reader has gone or a file grows beyond `ulimit -f`.
  /// If it is the cache that cannot be written, the image is still delivered.
  package static func ignoreWriteSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Tunes malloc for many bodies. (<doc:Speed> has the gain.)
  ///
  /// - Parameter mapped: The size from which a block is given back to the system when it is freed.
  package static func tuneMemory(mapping mapped: Int = 64 << 20) { imgfetch_malloc_tune(Int32(clamping: mapped)) }

  /// Has the program end with a message and an exit code, and not by a signal, if it gets no more memory under a limit
  /// on its address space (`ulimit -v`) of less than 1 GB. The runtime and libraries end a process that gets none.
  package static func endWithoutMemory(_ message: StaticString, exitCode: Int32) {
    // Proof: a static string ends in NUL and stays for as long as the process.
    unsafe message.utf8Start.withMemoryRebound(to: CChar.self, capacity: message.utf8CodeUnitCount + 1) {
      unsafe imgfetch_memory_end($0, exitCode)
    }
  }

  /// Raises the limit on open files to `count`, or as far as allowed.
  package static func allowFiles(_ count: Int) { imgfetch_raise_file_limit(Int32(clamping: count)) }

  static var fileLimit: Int { Int(imgfetch_file_limit()) }

  /// Makes the kernel enlarge the table of open files to a thousand now, while this process has one thread. A run opens
  /// a file for each of some hundred images ahead. With several threads, the kernel enlarges a process's table only
  /// once every core has left the old one, and threads that open a file meanwhile block: measured, 6 to 30 ms at the
  /// 64th file and again at the 256th. The table never shrinks.
  package static func makeRoomForFiles() {
    let last = imgfetch_duplicate(2, 1023)
    if last >= 0 { close(last) }
  }

  /// Ends the process at once, and its helpers with it. It skips the exit handlers of libraries: those of TLS take a
  /// third of a millisecond.
  package static func exit(_ status: Int32) -> Never {
    HelperRegistry.endAll()
    imgfetch_exit_now(status)
  }
}

/// Signals that a thread waits for, instead of handlers that interrupt it anywhere.
package struct Signals: Sendable {
  private let numbers: [Int32]

  /// Blocks these signals, so that only ``next()`` receives them. To be called before other threads are started: they
  /// inherit the mask. Signals that the parent process has set to be ignored stay ignored. A shell does that for
  /// background jobs, whose Ctrl-C is meant for another process, and so does nohup.
  package init(blocking numbers: [Int32]) {
    self.numbers = numbers.filter { imgfetch_signal_is_ignored($0) == 0 }
    var set = Self.set(of: self.numbers)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Gives them their usual effect again, where no thread can wait for them.
  package func release() {
    var set = Self.set(of: numbers)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// Waits for the next of them.
  package func next() -> Int32 {
    var set = Self.set(of: numbers)
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    return number
  }

  /// Waits for the next of them, or nil if none comes within that time.
  package func next(within time: Instant.Span) -> Int32? {
    var set = Self.set(of: numbers)
    var patience = WallTime(nanoseconds: time.nanoseconds).timespec
    let number = unsafe sigtimedwait(&set, nil, &patience)
    return number > 0 ? number : nil
  }

  /// Lets a signal have its default effect on the process, such as stopping it. Returns when that is over.
  package func pass(_ number: Int32) {
    var set = Self.set(of: [number])
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    // Sent to this thread, so it is handled before the call returns.
    raise(number)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    return set
  }
}

/// The versions of the libraries that this program was built with. Reading them loads nothing.
package enum BuildVersions {
  package static var libcurl: String { LIBCURL_VERSION }
  package static var zlib: String { ZLIB_VERSION }
  package static var libdeflate: String { LIBDEFLATE_VERSION_STRING }
  package static var xxHash: String {
    let number = imgfetch_hash_version()
    return "\(number / 10000).\(number / 100 % 100).\(number % 100)"
  }
}
