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

/// Where the certificates are that servers' certificates are checked against.
enum TrustStore: Equatable {
  /// A file of them, and nothing else.
  case file(String)
  /// A folder with a link for each, named by the hash of its subject: only the one that is needed is read, in under
  /// 3 ms. The file that libcurl would read by itself holds all of them and takes 20.
  case folder(String)
  /// Whatever libcurl was built with.
  case builtIn
  /// The system's, but for a file or a folder that is another one than usual.
  case elsewhere(file: String?, folder: String?)

  /// The system's own.
  static func ofSystem() -> TrustStore {
    let path = "/etc/ssl/certs"
    guard let names = try? Descriptor.folder(path).names() else { return .builtIn }
    return names.contains(where: isHashedName) ? .folder(path) : .builtIn
  }

  /// What a run's options say.
  static func named(by options: NetworkOptions) -> TrustStore {
    if let file = options.caFile { return .file(file) }
    guard options.systemCAFile != nil || options.systemCAFolder != nil else { return ofSystem() }
    var folder = options.systemCAFolder
    if folder == nil, case .folder(let usual) = ofSystem() { folder = usual }
    return .elsewhere(file: options.systemCAFile, folder: folder)
  }

  /// Eight hex digits and `.0`.
  static func isHashedName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 10, bytes[8] == UInt8(ascii: "."), bytes[9] == UInt8(ascii: "0") else { return false }
    return bytes.prefix(8).allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
    }
  }
}
