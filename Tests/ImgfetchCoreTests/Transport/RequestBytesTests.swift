import TestSupport
import Testing

@testable import ImgfetchCore

/// Any byte in a sent text leaves one request one request, with the same lines.
@Suite("Every byte in every place of a request") struct RequestBytesTests {
  private let server: TestServer
  private let loop: RecordedLoop

  init() throws {
    server = try TestServer()
    loop = try RecordedLoop()
    server.onOther { request in
      request["Authorization"]?.hasPrefix("Basic") == true || request["X-Plain"] != nil
        ? .ok([1]) : .status(401).with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
    }
  }

  /// Each byte between two others, then HTTP's line break, each followed by what would be another field.
  private static let payloads: [[UInt8]] =
    (UInt8.min...UInt8.max).map { [0x61, $0] + Array("X-Evil: 1".utf8) } + [
      Array("a\r\nX-Evil: 1\r\n\r\nGET /evil".utf8)
    ]

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static let places: [(name: String, put: @Sendable (inout TransferRequest, [UInt8]) -> Void)] = [
    ("a field's value", { $0.fields = [("X-Plain", text($1))] }),
    (
      "a field's name",
      { $0.fields = [(text(Array($1.prefix($1.contains(0x0A) ? $1.count : 2))), "1"), ("X-Plain", "1")] }
    ),
    (
      "a field's bytes",
      {
        $0.fields = [("X-Plain", "1")]
        $0.exactFields.append("X-Exact", bytes: $1.span)
      }
    ),
    (
      "a validator",
      {
        $0.fields = [("X-Plain", "1")]
        var answer = HeaderFields()
        answer.append("ETag", bytes: $1.span)
        answer.append("Last-Modified", bytes: $1.span)
        let now = WallTime(seconds: 1_800_000_000)
        $0.exactFields = Validators(answer, now: now).conditionalFields
      }
    ),
    (
      "a cookie",
      {
        var jar = CookieJar(
          "127.0.0.1\tFALSE\t/\tFALSE\t0\t\(text($1))\t1\n127.0.0.1\tFALSE\t/\tFALSE\t0\tb\t\(text($1))\n")
        var answer = HeaderFields()
        answer.append("Set-Cookie", bytes: Array("c=".utf8 + $1).span)
        answer.append("Set-Cookie", bytes: ($1 + Array("=c".utf8)).span)
        let now = WallTime(seconds: 1_800_000_000)
        if let url = try? WebURL($0.url) {
          jar.take(answer, from: url, at: now)
          $0.fields = [("Cookie", jar.field(for: url, at: now) ?? "none"), ("X-Plain", "1")]
        }
      }
    ),
    ("a name for Basic", { $0.credentials = Credentials(user: text($1), password: "p") }),
    ("a password for Basic", { $0.credentials = Credentials(user: "u", password: text($1)) }),
    ("a name for Digest", { $0.credentials = Credentials(user: text($1), password: "p", scheme: .digest) }),
    ("a password for Digest", { $0.credentials = Credentials(user: "u", password: text($1), scheme: .digest) }),
  ]

  @Test("is refused or stays within its line", arguments: places.indices)
  func place(index: Int) throws {
    let place = Self.places[index]
    for payload in Self.payloads { _ = try loop.fetch(server.url("/a")) { place.put(&$0, payload) } }
    expectWholeRequests(place.name, targets: ["/a"])
  }

  @Test("of a URL is refused or escaped, both in a typed URL and in a redirect")
  func urls() throws {
    let origin = "http://\(server.address.authority)"
    let base = try WebURL(origin + "/a/")
    for payload in Self.payloads {
      for start in ["\(origin)/", "\(origin)/?", "\(origin)/#", "", "?", "//"] {
        let bytes = Array(start.utf8) + payload
        for url in [try? WebURL(Self.text(bytes)), try? base.resolving(bytes: bytes.span)] {
          // With these bytes it is another host's name, which is not looked up.
          guard let url, url.origin == base.origin else { continue }
          _ = try loop.fetch(url.requestURL) { $0.fields = [("X-Plain", "1")] }
        }
      }
    }
    expectWholeRequests("a URL", targets: nil)
  }

  @Test("of a proxy's name and password is refused or encoded")
  func proxies() throws {
    for payload in Self.payloads {
      let escaped = payload.map { "%" + String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      var options = NetworkOptions()
      options.useProxy("http://\(escaped):\(escaped)@\(server.address.authority)")
      let loop = try RecordedLoop(options)
      _ = try loop.fetch("http://images.test/a") { $0.fields = [("X-Plain", "1")] }
    }
    expectWholeRequests("a proxy", targets: ["http://images.test/a"])
  }

  @Test("in a Digest field is escaped where it would end the quotation")
  func quotation() throws {
    _ = try loop.fetch(server.url("/q\"w\\e?\"")) {
      $0.credentials = Credentials(user: "a\"b\\c", password: "p", scheme: .digest)
    }
    let request = try #require(server.requests.last)
    let field = try #require(request["Authorization"])
    #expect(field.contains("username=\"a\\\"b\\\\c\""), "\(field)")
    #expect(request.target == "/q%22w%5Ce?%22" && field.contains("uri=\"\(request.target)\""), "\(field)")
  }

  /// Checks that the server received only complete requests for these targets, with valid lines.
  private func expectWholeRequests(_ place: String, targets: Set<String>?) {
    let requests = server.requests
    #expect(!requests.isEmpty, "\(place)")
    for request in requests {
      let isWhole =
        request.method == "GET" && targets?.contains(request.target) != false && request.target != "/evil"
        && request["X-Evil"] == nil && !Self.hasStrayControl(request.head)
      #expect(isWhole, "\(place): \(Self.text(request.head).debugDescription)")
    }
  }

  private static func hasStrayControl(_ head: [UInt8]) -> Bool {
    head.indices.contains { index in
      switch head[index] {
      case 0x0D: index + 1 >= head.count || head[index + 1] != 0x0A
      case 0x0A: index == 0 || head[index - 1] != 0x0D
      case 0x09: false
      case 0..<0x20, 0x7F: true
      default: false
      }
    }
  }
}
