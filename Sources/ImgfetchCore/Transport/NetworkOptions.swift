/// The options that apply to all transfers of a network loop.
package struct NetworkOptions: Sendable {
  package enum HTTPVersionChoice: Sendable {
    /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
    case automatic
    case http1
  }

  package var libcurl = LibcurlChoice.system
  package var httpVersion = HTTPVersionChoice.automatic
  /// The addresses of a name that may be used.
  package var addressFamily = AddressFamily.any
  /// The proxy for http URLs, or nil for none. The environment is not read.
  package var httpProxy: String?
  /// The proxy for https URLs.
  package var httpsProxy: String?
  /// Hosts that are connected to without the proxy, separated by commas, in libcurl's syntax.
  package var noProxy: String?
  /// A file of certificates (PEM) that are trusted instead of the system's.
  package var caFile: String?
  /// The system's certificates, if they are not in the usual place: a file, and a folder of hashed names.
  package var systemCAFile: String?
  package var systemCAFolder: String?
  /// True if servers' certificates are accepted unchecked.
  package var isInsecure = false
  /// Names that are not looked up, as `HOST:PORT:ADDR` in libcurl's syntax.
  package var resolve: [String] = []
  /// Bytes a second over all transfers; 0 for no limit.
  package var limitRate: Int64 = 0
  /// A safety net below the client's own limits: transfers beyond it wait inside libcurl while their connect
  /// timeout runs. 0 for no limit.
  package var maxConnectionsPerHost = 0
  /// 128 is what common servers allow on one HTTP/2 connection; at a latency of 50 ms it is twice as fast as 64.
  package var maxConcurrentStreams = 128

  package init() {}

  /// The line with its host as URLs have it, in lower case and in ASCII; as it is where that is not known.
  package static func spelledAsInURLs(resolve line: String) -> String {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, let host = try? WebURL("http://\(parts[0])/").host else { return line }
    return "\(host):\(parts[1])"
  }

  /// True if a proxy is reached over TLS.
  var hasSecureProxy: Bool {
    [httpProxy, httpsProxy].contains { $0?.utf8.prefix(8).map(URLHost.lower).elementsEqual("https://".utf8) ?? false }
  }

  /// True if requests of that scheme go to a proxy, except to the hosts in ``noProxy``.
  func hasProxy(isSecure: Bool) -> Bool { (isSecure ? httpsProxy : httpProxy)?.isEmpty == false }
}
