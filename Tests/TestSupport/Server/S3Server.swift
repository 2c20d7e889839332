import Foundation
import ImgfetchCore

/// A store that speaks S3's protocol and is strict about signatures: it follows the specification by code of its own.
///
/// Buckets need not be made. Objects are under `BUCKET/KEY`, the key with its escapes decoded.
package final class S3Server: Sendable {
  /// Who may ask.
  package struct Account: Sendable {
    package var accessKey = "AKID:test"
    package var secretKey = "geheim/+="
    package var sessionToken: String?
    package var region = "eu-north-1"

    package init() {}
  }

  /// What a request for an object, which the server has or not, is answered with.
  package typealias Lie = @Sendable (TestServer.Request, [UInt8]?) -> TestServer.Response?

  private struct State {
    var objects: [String: [UInt8]] = [:]
    var refusals: [String] = []
    var lie: Lie?
  }

  package let server: TestServer
  package let account: Account
  private let state = Guarded(State())

  package init(_ account: Account = Account(), host: String = "127.0.0.7") throws {
    self.account = account
    server = try TestServer(host: host)
    server.onOther { [self] in answer($0) }
  }

  /// The variables by which a program finds it.
  package var environment: [String: String] {
    var variables = [
      "AWS_ENDPOINT_URL": server.url(""), "AWS_REGION": account.region, "AWS_ACCESS_KEY_ID": account.accessKey,
      "AWS_SECRET_ACCESS_KEY": account.secretKey,
    ]
    variables["AWS_SESSION_TOKEN"] = account.sessionToken
    return variables
  }

  package var names: [String] { state.withLock { $0.objects.keys.sorted() } }
  /// Why requests were refused.
  package var refusals: [String] { state.withLock { $0.refusals } }
  package subscript(name: String) -> [UInt8]? {
    get { state.withLock { $0.objects[name] } }
    set { state.withLock { $0.objects[name] = newValue } }
  }
  /// Answers otherwise than it should, where `lie` says so.
  package func answer(_ lie: @escaping Lie) { state.withLock { $0.lie = lie } }

  private func answer(_ request: TestServer.Request) -> TestServer.Response {
    let name = String(decoding: Self.decoded(Array(request.path.utf8.dropFirst())), as: UTF8.self)
    if let objection = objection(to: request) {
      state.withLock { $0.refusals.append("\(request): \(objection)") }
      return TestServer.Response(403, body: Array("<Error><Code>SignatureDoesNotMatch</Code></Error>".utf8))
    }
    // Outside of the lock: it may look into the store.
    let (object, lie) = state.withLock { ($0.objects[name], $0.lie) }
    if let answer = lie?(request, object) { return answer }
    return state.withLock { state in
      let object = state.objects[name]
      switch request.method {
      case "PUT":
        if request["Content-Length"] == nil { return .status(411) }
        if request["If-None-Match"] == "*", object != nil { return .status(412) }
        state.objects[name] = request.body
        return .status(200)
      case "GET": return object.map { .ok($0, type: "application/octet-stream") } ?? .status(404)
      default: return .status(405)
      }
    }
  }

  // MARK: Signatures

  private func objection(to request: TestServer.Request) -> String? {
    guard let given = request["Authorization"] else { return "no Authorization" }
    guard request.values(of: "Authorization").count == 1, given.hasPrefix("AWS4-HMAC-SHA256 ") else {
      return "another kind of Authorization"
    }
    var parts: [String: String] = [:]
    for part in given.dropFirst("AWS4-HMAC-SHA256 ".count).components(separatedBy: ", ") {
      let pair = part.split(separator: "=", maxSplits: 1).map(String.init)
      if pair.count == 2 { parts[pair[0]] = pair[1] }
    }
    guard let date = request["x-amz-date"], let payload = request["x-amz-content-sha256"] else {
      return "no date, or no hash of the body"
    }
    let scope = "\(date.prefix(8))/\(account.region)/s3/aws4_request"
    guard parts["Credential"] == "\(account.accessKey)/\(scope)" else { return "wrong Credential" }
    guard isNow(date) else { return "wrong time" }
    guard request["x-amz-security-token"] == account.sessionToken else { return "wrong token" }
    let names = (parts["SignedHeaders"] ?? "").split(separator: ";").map(String.init)
    let needed = ["host"] + request.headers.map { $0.name.lowercased() }.filter { $0.hasPrefix("x-amz-") }
    guard names == names.sorted(), needed.allSatisfy(names.contains) else { return "a field is not signed" }
    if payload != "UNSIGNED-PAYLOAD", payload != Self.hex(SHA256.digest(of: request.body.span)) {
      return "wrong hash of the body"
    }
    let query = request.target.split(separator: "?", maxSplits: 1).dropFirst().first.map(String.init) ?? ""
    guard query.isEmpty else { return "queries are not known here" }
    let path = Self.encoded(Self.decoded(Array(request.path.utf8)))
    let fields = names.map { "\($0):\(request.values(of: $0).joined(separator: ","))\n" }.joined()
    let canonical = "\(request.method)\n\(path)\n\n\(fields)\n\(names.joined(separator: ";"))\n\(payload)"
    let text = "AWS4-HMAC-SHA256\n\(date)\n\(scope)\n\(Self.hex(SHA256.digest(of: Array(canonical.utf8).span)))"
    var key = Array("AWS4\(account.secretKey)".utf8)
    for word in scope.split(separator: "/") { key = Self.hmac(key, Array(word.utf8)) }
    return parts["Signature"] == Self.hex(Self.hmac(key, Array(text.utf8))) ? nil : "wrong signature"
  }

  /// Within a quarter of an hour, as Amazon allows.
  private func isNow(_ date: String) -> Bool {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(identifier: "UTC")
    format.dateFormat = "yyyyMMdd'T'HHmmss'Z'"
    guard let time = format.date(from: date) else { return false }
    return abs(time.timeIntervalSinceNow) < 900
  }

  private static func hmac(_ key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    let block = key + [UInt8](repeating: 0, count: max(0, 64 - key.count))
    let inner = SHA256.digest(of: (block.map { $0 ^ 0x36 } + message).span)
    return SHA256.digest(of: (block.map { $0 ^ 0x5C } + inner).span)
  }

  private static func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

  private static func decoded(_ bytes: [UInt8]) -> [UInt8] {
    var output: [UInt8] = []
    var rest = bytes[...]
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "%"), let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) {
        output.append(value)
        rest = rest.dropFirst(2)
      } else {
        output.append(byte)
      }
    }
    return output
  }

  private static func encoded(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let isPlain = byte < 0x80 && (Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber)
      return isPlain || "-._~/".utf8.contains(byte) ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
    }.joined()
  }
}
