import CPosixShim
import Glibc

extension SharedDescriptor {
  // Kept for as long as the process: closing one would give its number to the next file that is opened.
  package static let standardInput = SharedDescriptor(Descriptor(owning: 0))
  package static let standardOutput = SharedDescriptor(Descriptor(owning: 1))
  package static let standardError = SharedDescriptor(Descriptor(owning: 2))
}

/// The process's surroundings: its environment, its three streams, its end. For programs; the core itself reads none of them.
package enum Surroundings {
  /// The arguments behind the program's name, byte for byte: what is no UTF-8 is the caller's to judge, and must not
  /// turn into another file's name on the way.
  package static var arguments: [[UInt8]] {
    // Proof: what the kernel hands over, ended by a null pointer; nothing in this program writes to it.
    unsafe bytes(of: CommandLine.unsafeArgv + min(1, Int(CommandLine.argc)))
  }

  /// What whoever started the program called it.
  package static var programName: String {
    // Proof: as above; the name is the first of what is ended by a null pointer, and may be missing.
    unsafe CommandLine.unsafeArgv[0].map { unsafe String(cString: $0) } ?? ""
  }

  /// The environment's entries, `NAME=value`, byte for byte.
  package static var environment: [[UInt8]] {
    guard let entries = unsafe imgfetch_environment() else { return [] }
    // Proof: the array is ended by a null pointer; this is read at start, while no other thread could change it.
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

  /// Sees to it that the numbers of the three streams are taken, before any file is opened: a program may be started with one of
  /// them closed, and the next file would get its number, and with it what was meant for the stream.
  ///
  /// Opened the wrong way round, so that reading or writing what is not there still fails, as it should.
  package static func holdStandardStreams() {
    for (number, mode) in [(0, O_WRONLY), (1, O_RDONLY), (2, O_RDONLY)] as [(Int32, Int32)]
    where imgfetch_is_closed(number) != 0 {
      // The lowest free number is this one, since those below it are taken.
      _ = unsafe imgfetch_openat(AT_FDCWD, "/dev/null", mode, 0)
    }
  }

  /// Whether there is a regular file of this name. It is not opened: a name out of a list may be a device's.
  package static func isFile(_ path: String) -> Bool {
    (try? Descriptor.folder(".").status(of: path))?.kind == .regular
  }

  /// Whether a descriptor leads to a terminal.
  package static func isTerminal(_ descriptor: Int32) -> Bool { isatty(descriptor) == 1 }

  /// Whether two descriptors lead to one terminal. Where the system cannot tell two terminals apart they count as one: nearly all
  /// programs have one.
  package static func isSameTerminal(_ one: Int32, _ other: Int32) -> Bool {
    isTerminal(one) && isTerminal(other) && imgfetch_terminal_device(one) == imgfetch_terminal_device(other)
  }

  /// How wide the terminal is; nil if there is none, or it does not say.
  package static func terminalColumns(_ descriptor: Int32) -> Int? {
    let columns = Int(imgfetch_terminal_columns(descriptor))
    return columns > 0 ? columns : nil
  }

  /// How high it is; nil if there is none, or it does not say.
  package static func terminalRows(_ descriptor: Int32) -> Int? {
    let rows = Int(imgfetch_terminal_rows(descriptor))
    return rows > 0 ? rows : nil
  }

  /// The working directory.
  package static var workingFolder: String? {
    guard let path = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(path) }
    return unsafe String(cString: path)
  }

  /// Writing to a pipe whose reader has gone, or beyond the largest file that is allowed (`ulimit -f`), fails and does not end
  /// the process: where it is the cache that cannot be written, the image is none the worse for it.
  package static func ignoreWriteSignals() {
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
  }

  /// Has GnuTLS not make itself ready when it is loaded: Debian's libcurl brings it for protocols that are never spoken here, and that
  /// is 5 % of the loading. A libcurl that does speak TLS by it makes it ready itself.
  ///
  /// Before there is a second thread, which might read the environment meanwhile.
  package static func leaveGnuTLSAsleep() { unsafe setenv("GNUTLS_NO_IMPLICIT_INIT", "1", 0) }

  /// Has memory handed out as a fetcher of many bodies wants it. Measured: 0.03 to 0.1 x of a cold list.
  package static func tuneMemory() { imgfetch_malloc_tune() }

  /// Has so many files be allowed open, or as many as can be had.
  package static func allowFiles(_ count: Int) { imgfetch_raise_file_limit(Int32(clamping: count)) }

  /// How many files may be open at once.
  static var fileLimit: Int { Int(imgfetch_file_limit()) }

  /// Has the kernel make room for a thousand open files now, while this process has one thread.
  ///
  /// A run opens a file for each of some hundred images ahead. Once there are threads, the kernel enlarges the table of a process only
  /// when every core has let go of the old one, and whoever opens a file meanwhile stands still: measured, 6 to 30 ms, behind the 64th
  /// file and again behind the 256th. The table never shrinks.
  package static func makeRoomForFiles() {
    let last = imgfetch_duplicate(2, 1023)
    if last >= 0 { close(last) }
  }

  /// Ends the process at once, with its helpers, but without the exit handlers of libraries: those of TLS cost a third of a
  /// millisecond.
  package static func exit(_ status: Int32) -> Never {
    LivingHelpers.endAll()
    imgfetch_exit_now(status)
  }
}
