/// The options that apply to all transfers of a network loop.
package struct NetworkOptions: Sendable {
  package enum HTTPVersionChoice: Sendable {
    /// HTTP/2 where TLS negotiates it, else HTTP/1.1.
    case automatic
    case http1
  }

  package enum IPVersionChoice: Sendable { case any, v4, v6 }

  package var httpVersion = HTTPVersionChoice.automatic
  package var ipVersion = IPVersionChoice.any
  /// The proxy for http URLs; nil for none. The environment is not read.
  package var httpProxy: String?
  /// The proxy for https URLs.
  package var httpsProxy: String?
  /// Hosts that are connected to without the proxy, separated by commas, in libcurl's syntax.
  package var noProxy: String?
  /// A file of certificates (PEM) that are trusted instead of the system's.
  package var caFile: String?
  /// Where the system's certificates are, if not in the usual place: a file, and a folder of hashed names.
  package var systemCAFile: String?
  package var systemCAFolder: String?
  /// Whether servers' certificates are accepted unchecked.
  package var isInsecure = false
  /// Names that are not looked up, as `HOST:PORT:ADDR` in libcurl's syntax.
  package var resolve: [String] = []
  /// Bytes a second over all transfers; 0 for no limit.
  package var limitRate: Int64 = 0
  /// A safety net below the client's own limits: transfers beyond it wait inside libcurl while their connect timeout runs. 0 for no limit.
  package var maxConnectionsPerHost = 0
  /// 128 is what common servers allow on one HTTP/2 connection; at a latency of 50 ms it is twice as fast as 64.
  package var maxConcurrentStreams = 128
  /// The number of idle connections that are kept open.
  package var idleConnections = 128

  package init() {}

  /// Which addresses of a name may be used.
  var addressFamily: AddressFamily {
    switch ipVersion {
    case .any: .any
    case .v4: .v4
    case .v6: .v6
    }
  }

  /// Whether requests of that scheme go to a proxy, except to the hosts in ``noProxy``.
  func hasProxy(isSecure: Bool) -> Bool { (isSecure ? httpsProxy : httpProxy)?.isEmpty == false }
}

/// The certificates that servers' certificates are checked against.
enum TrustStore: Equatable {
  /// One file of certificates, and nothing else.
  case file(String)
  /// A folder with a link for each certificate, named by the hash of its subject. Only the one that is needed is read, in under 3 ms; the
  /// file that libcurl reads by default holds all of them and takes 20.
  case folder(String)
  /// libcurl's built-in default.
  case builtIn
  /// The system's store, with a file or a folder in another place than usual.
  case elsewhere(file: String?, folder: String?)

  /// The system's store.
  static func ofSystem() -> TrustStore {
    let path = "/etc/ssl/certs"
    guard let names = try? Descriptor.folder(path).names() else { return .builtIn }
    return names.contains(where: isHashedName) ? .folder(path) : .builtIn
  }

  /// The store that the options name.
  static func named(by options: NetworkOptions) -> TrustStore {
    if let file = options.caFile { return .file(file) }
    guard options.systemCAFile != nil || options.systemCAFolder != nil else { return ofSystem() }
    var folder = options.systemCAFolder
    if folder == nil, case .folder(let usual) = ofSystem() { folder = usual }
    return .elsewhere(file: options.systemCAFile, folder: folder)
  }

  /// Whether a name is eight hex digits and `.0`.
  static func isHashedName(_ name: String) -> Bool {
    let bytes = Array(name.utf8)
    guard bytes.count == 10, bytes[8] == UInt8(ascii: "."), bytes[9] == UInt8(ascii: "0") else { return false }
    return bytes.prefix(8).allSatisfy {
      UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
    }
  }
}
