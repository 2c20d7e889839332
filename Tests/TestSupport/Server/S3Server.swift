import Foundation
import ImgfetchCore

/// A store that speaks S3's protocol and is strict about signatures: it follows the specification by code of its own.
///
/// Buckets need not be made. Objects are under `BUCKET/KEY`, the key with its escapes decoded.
package final class S3Server: Sendable {
  /// The account that may ask.
  package struct Account: Sendable {
    package var accessKey = "AKID:test"
    package var secretKey = "geheim/+="
    package var sessionToken: String?
    package var region = "eu-north-1"

    package init() {}
  }

  /// The answer to a request for an object, which the server may have, in place of the true one.
  package typealias Lie = @Sendable (TestServer.Request, [UInt8]?) -> TestServer.Response?

  private struct State {
    var objects: [String: [UInt8]] = [:]
    /// The fields that are kept with them: their type, and those of the user.
    var fields: [String: [(String, String)]] = [:]
    /// Parts of uploads that are not completed, by the upload's identifier.
    var uploads: [String: [Int: [UInt8]]] = [:]
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
  /// The reasons why requests were refused.
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
    return lie?(request, object) ?? truth(request)
  }

  /// The true answer to a request, with all its effects.
  package func truth(_ request: TestServer.Request) -> TestServer.Response {
    let name = String(decoding: Self.decoded(Array(request.path.utf8.dropFirst())), as: UTF8.self)
    return state.withLock { state in
      if let query = request.query, !query.isEmpty { return Self.multipart(request, name, query, &state) }
      let object = state.objects[name]
      switch request.method {
      case "PUT":
        if request["Content-Length"] == nil { return .status(411) }
        if request["If-None-Match"] == "*", object != nil { return .status(412) }
        Self.keep(request.body, request, name, &state)
        return .status(200).with("ETag", "\"\(request.body.count)\"")
      case "GET", "HEAD":
        guard let object else { return .status(404) }
        return Resource(object, type: "application/octet-stream", headers: state.fields[name] ?? []).answer(request)
      case "DELETE":
        state.objects[name] = nil
        return .status(204)
      default: return .status(405)
      }
    }
  }

  private static func keep(_ body: [UInt8], _ request: TestServer.Request, _ name: String, _ state: inout State) {
    state.objects[name] = body
    state.fields[name] = request.headers.filter { $0.name.lowercased().hasPrefix("x-amz-meta-") }.map {
      ($0.name, $0.value)
    }
    state.fields[name]?.append(("x-test-type", request["Content-Type"] ?? ""))
  }

  private static func multipart(
    _ request: TestServer.Request, _ name: String, _ query: String, _ state: inout State
  ) -> TestServer.Response {
    var values: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      values[sides[0]] = sides.count > 1 ? String(decoding: decoded(Array(sides[1].utf8)), as: UTF8.self) : ""
    }
    if request.method == "POST", values["uploads"] != nil {
      // An identifier with characters that must be escaped.
      let id = "up/load+\(state.uploads.count)=="
      state.uploads[id] = [:]
      keep([], request, "upload:\(id)", &state)
      state.objects["upload:\(id)"] = nil
      return .text("<R><UploadId>\(id)</UploadId></R>", type: "application/xml")
    }
    guard let id = values["uploadId"], let parts = state.uploads[id] else {
      return .text("<Error><Code>NoSuchUpload</Code></Error>", status: 404)
    }
    switch request.method {
    case "PUT":
      guard let number = values["partNumber"].flatMap({ Int($0) }), number > 0 else { return .status(400) }
      state.uploads[id]?[number] = request.body
      return .status(200).with("ETag", "\"part<\(number)>\"")
    case "DELETE":
      state.uploads[id] = nil
      return .status(204)
    case "POST":
      guard request["Content-Type"] == "application/xml" else { return .status(400) }
      let tags = parts.keys.sorted().map { "<PartNumber>\($0)</PartNumber><ETag>\"part&lt;\($0)&gt;\"</ETag>" }
      let text = String(decoding: request.body, as: UTF8.self)
      guard tags.allSatisfy({ text.contains($0) }), !parts.isEmpty else {
        return .text("<Error><Code>InvalidPart</Code></Error>", status: 400)
      }
      if request["If-None-Match"] == "*", state.objects[name] != nil { return .status(412) }
      state.objects[name] = parts.keys.sorted().flatMap { parts[$0] ?? [] }
      state.fields[name] = state.fields["upload:\(id)"]
      state.uploads[id] = nil
      return .text("<CompleteMultipartUploadResult/>", type: "application/xml")
    default: return .status(405)
    }
  }

  /// A field that is kept with an object; `x-test-type` is its type.
  package func field(_ field: String, of name: String) -> String? {
    state.withLock { $0.fields[name]?.first { $0.0.lowercased() == field }?.1 }
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
    let query = (request.query ?? "").split(separator: "&").sorted().joined(separator: "&")
    let path = Self.encoded(Self.decoded(Array(request.path.utf8)))
    let fields = names.map { "\($0):\(request.values(of: $0).joined(separator: ","))\n" }.joined()
    let canonical = "\(request.method)\n\(path)\n\(query)\n\(fields)\n\(names.joined(separator: ";"))\n\(payload)"
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
