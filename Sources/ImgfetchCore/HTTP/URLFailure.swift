/// Why a text is not a URL that can be fetched.
public enum URLFailure: Error, Hashable, Sendable {
  /// There is nothing in it but white space.
  case empty
  /// It names a scheme other than http and https.
  case scheme(String)
  /// There is no host where one must stand.
  case noHost
  /// The host is neither a name nor an address.
  case badHost(String)
  /// The port is not a number from 1 to 65535.
  case badPort
  /// The name or password in it holds control characters.
  case badUserInfo
  /// It is longer than ``WebURL/lengthLimit``.
  case tooLong
}

extension URLFailure: CustomStringConvertible {
  /// The reason as half a sentence, to stand behind the URL; text out of the URL is free of control characters.
  public var description: String {
    switch self {
    case .empty: "the URL is empty"
    case .scheme(let name): "the scheme \(printable(name)) is not supported, only http and https are"
    case .noHost: "the URL names no host"
    case .badHost(let host) where host.utf8.contains(UInt8(ascii: ":")):
      "\(printable(host)) is not a valid address (an IPv6 address stands in brackets)"
    case .badHost(let host): "\(printable(host)) is not a valid host name"
    case .badPort: "the port is not a number from 1 to 65535"
    case .badUserInfo: "the name or password in it holds control characters"
    case .tooLong: "the URL is longer than \(WebURL.lengthLimit) bytes"
    }
  }

  /// A host of 60,000 bytes helps nobody find the mistake; 80 show which one it was.
  private func printable(_ text: String) -> String {
    let escaped = PercentCoding.escapingControls(text.prefix(80))
    return escaped.isEmpty ? "\"\"" : escaped
  }
}
