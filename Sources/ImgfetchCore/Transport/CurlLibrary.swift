import CCurlShim
import CPosixShim

/// The library libcurl, which is loaded on first use and not before.
enum CurlLibrary {
  /// Debian 11's version. Older versions may lack calls and options, and are untested.
  private static let oldest = (number: 0x074A00, name: "7.74.0")
  /// The bytes of address space that the library, those that it loads, and one download take.
  private static let leastMemory = 40 << 20
  /// The first version that calls back before each request (CURLOPT_PREREQFUNCTION). RHEL 9 has 7.76.
  private static let announcing = 0x075000

  /// The first version that can forget given addresses after a minute: those with a plus sign (CURLOPT_RESOLVE).
  private static let forgetting = 0x074B00

  private enum State {
    case notLoaded
    case loaded(isFromFile: Bool)
    case failed(LibcurlChoice, TransportFailure)
  }

  /// Shared by all loops of the process. The first one that needs libcurl loads it, and the others wait for that.
  private static let state = Guarded(State.notLoaded)

  /// Loads and initialises it, which takes about four milliseconds the first time in a process.
  static func load(_ choice: LibcurlChoice) throws(TransportFailure) {
    let failure: TransportFailure? = state.withLock { state in
      switch state {
      case .loaded: return nil
      case .failed(choice, let failure): return failure
      case .failed, .notLoaded: break
      }
      // The first failure is reported: the library of a package beside the program may rightly be missing.
      var first: TransportFailure?
      for file in choice.files {
        guard let failure = loadFailure(file) else {
          state = .loaded(isFromFile: file != nil)
          return nil
        }
        if first == nil { first = failure }
      }
      if let first { state = .failed(choice, first) }
      return first
    }
    if let failure { throw failure }
  }

  /// True if the loaded library is one that a path has named, and not the system's.
  static var isFromFile: Bool { state.withLock { if case .loaded(isFromFile: true) = $0 { true } else { false } } }

  /// Loads one of the libraries. Returns the failure, or nil if it is loaded.
  private static func loadFailure(_ file: String?) -> TransportFailure? {
    // Some of its libraries end the process where an allocation fails while they are loaded.
    if !imgfetch_memory_is_left(leastMemory) { return .lackOfMemory }
    // Proof: both functions return strings that live as long as the process.
    if let text = unsafe imgfetch_curl_load(file) {
      let problem = unsafe String(cString: text)
      // The loader says in words why it could not open one of thirty libraries. Installing them does not help then.
      if problem.holds(Errno.tooManyOpenFiles.description) { return .lackOfResources }
      if Self.isLackOfMemory(problem) { return .lackOfMemory }
      if let file { return TransportFailure(.other, "\(file) cannot be used as libcurl (\(problem))") }
      return TransportFailure(
        .other,
        "libcurl is needed for downloads and cannot be used (\(problem)); "
          + "install it (Debian 13, Ubuntu 24.04 and later: libcurl4t64; older ones: libcurl4; "
          + "Fedora, RHEL and Amazon Linux: libcurl; Arch: curl; openSUSE: libcurl4)")
    }
    guard imgfetch_curl_version_number() < oldest.number else { return nil }
    let version = unsafe String(cString: imgfetch_curl_version())
    return TransportFailure(.other, "libcurl is \(version), and \(oldest.name) or later is needed")
  }

  /// True if the loader's words mean that a library finds no room in this process's memory. A folder from which nothing
  /// may be run is reported as that.
  private static func isLackOfMemory(_ problem: String) -> Bool {
    problem.holds(Errno.noMemory.description)
      || (problem.holds("failed to map segment") && !problem.holds(Errno.notPermitted.description))
  }

  /// True if the loaded library may be given addresses that are good for a minute.
  static var forgetsAddresses: Bool { imgfetch_curl_version_number() >= forgetting }

  /// True if the loaded library calls back before it sends a request, with the address of the
  /// connection, new or used again.
  static var announcesRequests: Bool { imgfetch_curl_version_number() >= announcing }
}
