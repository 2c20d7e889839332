/// The reason why a text is not a URL that can be fetched.
public enum URLFailure: Error, Hashable, Sendable {
  /// The text is empty but for white space.
  case empty
  /// The URL has a scheme other than http and https.
  case scheme(String)
  /// The host is missing.
  case noHost
  /// The host is neither a name nor an address.
  case badHost(String)
  /// The host's name is not ASCII, and the library that spells such names for the domain name system is not installed.
  case noInternationalNames(String)
  /// The port is not a number from 1 to 65535.
  case badPort
  /// The name or password in it has control characters.
  case badUserInfo
  /// The URL is longer than ``WebURL/lengthLimit``.
  case tooLong
  /// The name cannot be a bucket's.
  case bucket(String)
  /// The URL is in a bucket, and there is no account for that, for the given reason.
  case account(String)
  /// The text is not a URL but what the given clause says.
  case otherText(String)
}

extension URLFailure: CustomStringConvertible {
  /// The reason as a clause to follow the URL. Text from the URL is printed without control characters.
  public var description: String {
    switch self {
    case .empty: "the URL is empty"
    case .scheme(let name): "the scheme \(printable(name)) is not supported, only http and https are"
    case .noHost: "the URL names no host"
    case .badHost(let host) where host.utf8.contains(UInt8(ascii: ":")):
      "\(printable(host)) is not a valid address (an IPv6 address stands in brackets)"
    case .badHost(let host): "\(printable(host)) is not a valid host name"
    case .noInternationalNames(let host):
      "\(printable(host)) cannot be looked up: \(InternationalName.LibraryMissing.explanation)"
    case .badPort: "the port is not a number from 1 to 65535"
    case .badUserInfo: "the name or password in it holds control characters"
    case .tooLong: "the URL is longer than \(WebURL.lengthLimit) bytes"
    case .account(let reason), .otherText(let reason): reason
    // A usual mistake, of which nothing may be told.
    case .bucket(let name) where name.utf8.contains(UInt8(ascii: "@")): "keys cannot stand in the URL (s3://BUCKET/KEY)"
    case .bucket(let name): "\(printable(name)) cannot be the name of a bucket (s3://BUCKET/KEY)"
    }
  }

  /// A host of 60,000 bytes does not help to find the mistake; 80 bytes show which one it is.
  private func printable(_ text: String) -> String {
    let escaped = PercentCoding.escapingControls(text.prefix(80))
    return escaped.isEmpty ? "\"\"" : escaped
  }
}
