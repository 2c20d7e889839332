/// Scheme, host and port: whom a request goes to. Credentials, connections and courtesy are per origin.
public struct Origin: Hashable, Sendable {
  /// Whether the scheme is https.
  public let isSecure: Bool
  /// The host in lower case, as ``WebURL/host`` has it.
  public let host: String
  /// The port, the scheme's own where the URL names none.
  public let port: UInt16

  /// An origin of these parts; `host` is taken to be in the form that ``WebURL/host`` has.
  public init(isSecure: Bool, host: String, port: UInt16) {
    self.isSecure = isSecure
    self.host = host
    self.port = port
  }

  /// `http` or `https`.
  public var scheme: String { isSecure ? "https" : "http" }

  static func defaultPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}

extension Origin: CustomStringConvertible {
  /// As a URL begins: `https://example.org`, `http://[::1]:8080`.
  public var description: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Appends what ``description`` says; bytes, since each URL of a list begins so and is put together of bytes.
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
