/// What holds for all transfers of a network loop.
package struct NetworkOptions: Sendable {
  package enum HTTPVersionChoice: Sendable {
    /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
    case automatic
    case http1
  }

  package enum IPVersionChoice: Sendable { case any, v4, v6 }

  package var httpVersion = HTTPVersionChoice.automatic
  package var ipVersion = IPVersionChoice.any
  /// The proxy for http URLs; nil: none. The environment is not looked at.
  package var httpProxy: String?
  /// The proxy for https URLs.
  package var httpsProxy: String?
  /// Hosts that are asked directly, separated by commas, as libcurl reads them.
  package var noProxy: String?
  /// A file of certificates (PEM) to trust instead of the system's.
  package var caFile: String?
  /// Where the system's certificates are, if not where they usually are: a file, and a folder of hashed names.
  package var systemCAFile: String?
  package var systemCAFolder: String?
  /// Servers' certificates are not checked.
  package var isInsecure = false
  /// `HOST:PORT:ADDR`, as libcurl reads them: names that are not looked up.
  package var resolve: [String] = []
  /// Bytes a second over all transfers; 0: as fast as they come.
  package var limitRate: Int64 = 0
  /// A net under the client's own limits: transfers beyond it wait inside libcurl, and their time to connect runs.
  /// 0: no limit.
  package var maxConnectionsPerHost = 0
  /// 128 is what common servers allow on one HTTP/2 connection; at 50 ms of delay it is twice as fast as 64.
  package var maxConcurrentStreams = 128

  /// More connections than this are not kept open for later.
  package var idleConnections = 128

  package init() {}

  /// Whether requests of that scheme go to a proxy, but for hosts that are asked directly.
  func hasProxy(isSecure: Bool) -> Bool { (isSecure ? httpsProxy : httpProxy)?.isEmpty == false }

  /// One proxy for both schemes.
  package mutating func useProxy(_ proxy: String?) {
    httpProxy = proxy
    httpsProxy = proxy
  }
}
