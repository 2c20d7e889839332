/// Scheme, host and port: the destination of a request. Credentials, connections and rate limits are per origin.
public struct Origin: Hashable, Sendable {
  /// True if the scheme is https.
  public let isSecure: Bool
  /// The host in lower case, as in ``WebURL/host``.
  public let host: String
  /// The port; the scheme's default where the URL has none.
  public let port: UInt16

  /// Creates an origin; `host` must have the form of ``WebURL/host``.
  public init(isSecure: Bool, host: String, port: UInt16) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  /// The host and port as in a URL, without the scheme: `example.org`, `[::1]:8080`.
  package var hostAndPort: String { String(description.dropFirst(scheme.utf8.count + "://".utf8.count)) }

  /// `http` or `https`.
  public var scheme: String { isSecure ? "https" : "http" }

  static func defaultPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}

extension Origin: CustomStringConvertible {
  /// The beginning of a URL: `https://example.org`, `http://[::1]:8080`.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends ``description`` as bytes, since URLs are assembled from bytes.
  func append(to output: inout [UInt8]) {
    output.append(contentsOf: scheme.utf8)
    output.append(contentsOf: "://".utf8)
    let isLiteral = host.utf8.contains(UInt8(ascii: ":"))
    if isLiteral { output.append(UInt8(ascii: "[")) }
    output.append(contentsOf: host.utf8)
    if isLiteral { output.append(UInt8(ascii: "]")) }
    guard port != Self.defaultPort(isSecure: isSecure) else { return }
    output.append(UInt8(ascii: ":"))
    output.append(contentsOf: String(port).utf8)
  }
}
