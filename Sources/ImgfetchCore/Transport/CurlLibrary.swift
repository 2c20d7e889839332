import CCurlShim

/// libcurl as a whole: it is loaded here, on first use and not before.
enum CurlLibrary {
  /// 7.85 is the first that takes the allowed protocols by name.
  private static let oldest = (number: 0x075500, name: "7.85.0")

  /// Loads and initialises it, which takes some four milliseconds the first time in a process.
  static func load() throws(TransportFailure) {
    // Proof: the answers are strings that live as long as the process.
    if let problem = unsafe imgfetch_curl_load() {
      throw TransportFailure(
        .other,
        "libcurl is needed for downloads and cannot be used (\(unsafe String(cString: problem))); "
          + "install it (on Debian and Ubuntu: apt-get install libcurl4)")
    }
    if imgfetch_curl_version_number() < oldest.number {
      let version = unsafe String(cString: imgfetch_curl_version())
      throw TransportFailure(.other, "libcurl is \(version), and \(oldest.name) or later is needed")
    }
  }
}
