/// Signs requests by Amazon's Signature Version 4, which S3 and the stores that speak its protocol ask for.
///
/// A pure value: who signs, for which service, at which time. libcurl 7.88 has it too, but signs path and query as they
/// are written, which servers that follow the specification refuse for many characters.
struct SignatureV4 {
  /// A request as its server sees it.
  struct Request {
    var method = "GET"
    /// The path as sent. Whatever its escapes are, it is signed in the one form that the specification requires.
    var path: String
    var query: String?
    /// The fields to sign. Host must be among them, and each `x-amz-` field that is sent.
    var fields: [(name: String, value: String)]
    /// The SHA-256 of the body in hex, or ``unsignedPayload``.
    var payload: String
  }

  let keys: S3Account.Keys
  let region: String
  var service = "s3"
  let time: WallTime

  /// The text in place of a body's hash: the body is not signed.
  static let unsignedPayload = "UNSIGNED-PAYLOAD"
  /// The hash of an empty body.
  static let emptyPayload = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

  /// The value of the request's Authorization field.
  func authorization(for request: Request) -> String {
    "AWS4-HMAC-SHA256 Credential=\(keys.accessKey)/\(scope), SignedHeaders=\(Self.signedNames(of: request)), "
      + "Signature=\(signature(of: request))"
  }

  /// The time as the field x-amz-date has it: `20130524T000000Z`.
  var timestamp: String {
    let (day, second) = HTTPDate.floorDivision(
      HTTPDate.floorDivision(time.nanoseconds, by: 1_000_000_000).quotient, by: 86400)
    let civil = CalendarDay(dayNumber: day)
    let clock = [second / 3600, second / 60 % 60, second % 60].map { HTTPDate.padded($0, 2) }.joined()
    return
      "\(HTTPDate.padded(civil.year, 4))\(HTTPDate.padded(civil.month, 2))\(HTTPDate.padded(civil.day, 2))T\(clock)Z"
  }

  // MARK: The steps of the specification

  static func canonicalRequest(_ request: Request) -> String {
    let fields = canonicalFields(request.fields).map { "\($0.name):\($0.value)\n" }.joined()
    return [
      request.method, encoded(request.path, keepingSlashes: true), canonicalQuery(request.query ?? ""), fields,
      signedNames(of: request), request.payload,
    ].joined(separator: "\n")
  }

  func stringToSign(_ request: Request) -> String {
    let canonical = Array(Self.canonicalRequest(request).utf8)
    return ["AWS4-HMAC-SHA256", timestamp, scope, Hex.text(SHA256.digest(of: canonical.span))].joined(separator: "\n")
  }

  func signature(of request: Request) -> String {
    var key = Array("AWS4\(keys.secretKey)".utf8)
    for part in [String(timestamp.prefix(8)), region, service, "aws4_request"] {
      key = SHA256.keyed(key, Array(part.utf8))
    }
    return Hex.text(SHA256.keyed(key, Array(stringToSign(request).utf8)))
  }

  private var scope: String { "\(timestamp.prefix(8))/\(region)/\(service)/aws4_request" }

  private static func signedNames(of request: Request) -> String {
    canonicalFields(request.fields).map(\.name).joined(separator: ";")
  }

  /// Names in lower case and in order, values without needless blanks. Several fields of one name are one, with commas.
  private static func canonicalFields(_ fields: [(name: String, value: String)]) -> [(name: String, value: String)] {
    var joined: [(name: String, value: String)] = []
    for field in fields {
      let name = field.name.lowercased()
      let value = field.value.split(whereSeparator: { $0 == " " || $0 == "\t" }).joined(separator: " ")
      if let place = joined.firstIndex(where: { $0.name == name }) {
        joined[place].value += ",\(value)"
      } else {
        joined.append((name, value))
      }
    }
    return joined.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
  }

  private static func canonicalQuery(_ query: String) -> String {
    let pairs = query.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (name: encoded(String(parts[0])), value: parts.count > 1 ? encoded(String(parts[1])) : "")
    }
    return pairs.sorted { ($0.name, $0.value) < ($1.name, $1.value) }.map { "\($0.name)=\($0.value)" }
      .joined(separator: "&")
  }

  // MARK: Encoding

  /// Escapes all bytes except the unreserved ones. Existing escapes are decoded first, so that none is escaped twice.
  static func encoded(_ text: String, keepingSlashes: Bool = false) -> String {
    let bytes = text.utf8Span.span
    return encoded(PercentCoding.decoded(bytes, 0..<bytes.count), keepingSlashes: keepingSlashes)
  }

  /// The same for bytes without escapes: a key.
  static func encoded(_ bytes: [UInt8], keepingSlashes: Bool = false) -> String {
    var output: [UInt8] = []
    output.reserveCapacity(bytes.count + 16)
    for byte in bytes {
      if PercentCoding.isUnreserved(byte) || keepingSlashes && byte == UInt8(ascii: "/") {
        output.append(byte)
      } else {
        PercentCoding.append(escapeOf: byte, to: &output)
      }
    }
    return String(decoding: output, as: UTF8.self)
  }
}
