import TestSupport
import Testing

@testable import ImgfetchCore

/// The bytes of requests.
@Suite struct TransferRequestTests {
  let server: TestServer
  let loop: RecordedLoop

  init() throws {
    server = try TestServer()
    loop = try RecordedLoop()
    server.onOther { _ in .ok([1]) }
  }

  @Test func theRequestContainsWhatWasGivenAndNothingElse() throws {
    _ = try loop.fetch(server.url("/a/../%7e/./b%2F?q=%41&&=[]#part")) {
      $0.fields = [
        ("User-Agent", "test/1"), ("Accept", "image/*"), ("X-Empty", ""), ("X-Twice", "1"), ("X-Twice", "2"),
      ]
    }
    let head = String(decoding: try #require(server.requests.first).head, as: UTF8.self)
    #expect(
      head == """
        GET /a/../%7e/./b%2F?q=%41&&=[] HTTP/1.1\r
        Host: \(server.address.host):\(server.port)\r
        User-Agent: test/1\r
        Accept: image/*\r
        X-Empty:\r
        X-Twice: 1\r
        X-Twice: 2\r
        \r

        """)
  }

  @Test func oneHandleSendsEachURLUnchanged() throws {
    let other = try TestServer()
    other.onOther { _ in .ok([2]) }
    let targets = [
      "/a?q=1", "/a?", "/b", "//b//", "/a/../%7E/./b%2F?q=%41&&=[]", "/?/?a?",
      "/x'!(*);:@&=+$,{}|\"<>`^\\", "/", "/%00%ff",
    ]
    for target in targets {
      _ = try loop.fetch(server.url(target))
      _ = try loop.fetch(server.url(target + "#part"))
      _ = try loop.fetch(server.url(target))
      if target == "/b" { _ = try loop.fetch(other.url("/other?1")) }
    }
    #expect(server.requests.map(\.target) == targets.flatMap { [$0, $0, $0] })
    #expect(Set(server.requests.map(\.connection)).count == 1)
    #expect(other.requests.map(\.target) == ["/other?1"])
  }

  @Test func aURLWithoutAPathRequestsTheRoot() throws {
    let origin = String(server.url("/").dropLast())
    for url in [origin + "/a", origin + "?/b", origin, origin + "/a", origin + "?c"] { _ = try loop.fetch(url) }
    #expect(server.requests.map(\.target) == ["/a", "/?/b", "/", "/a", "/?c"])
  }

  @Test func anInvalidURLFailsAndSpoilsNoOther() throws {
    _ = try loop.fetch(server.url("/1"))
    for url in ["http://[::1/x", "http:///x", "", "http://127.0.0.1:99999/a"] {
      #expect(try loop.fetch(url).failure != nil, "\(url)")
    }
    #expect(try loop.fetch(server.url("/2")).isComplete)
    #expect(server.requests.map(\.target) == ["/1", "/2"])
  }

  @Test func aRequestRepeatedOverANewConnectionIsTheSameRequest() throws {
    server.on("/2") { $0.ordinal == 1 ? .nothing : .ok([2]) }
    _ = try loop.fetch(server.url("/1?a"))
    #expect(try loop.fetch(server.url("/2?b")).body == [2])
    #expect(server.requests.map(\.target) == ["/1?a", "/2?b", "/2?b"])
    #expect(Set(server.requests.map(\.connection)).count == 2)
  }

  @Test func noFieldsAreAdded() throws {
    _ = try loop.fetch(server.url("/"))
    #expect(server.requests.first?.headers.map(\.name) == ["Host"])
  }

  @Test func fieldsOfOneRequestAreNotKeptForTheNext() throws {
    _ = try loop.fetch(server.url("/1")) { $0.fields = [("X-A", "1")] }
    _ = try loop.fetch(server.url("/2")) { $0.fields = [("X-B", "2")] }
    #expect(server.requests(for: "/2").first?.headers.map(\.name) == ["Host", "X-B"])
  }

  @Test func exactFieldsAreSentByteForByteInFrontAndWithTheirRequestOnly() throws {
    var exact = HeaderFields([("If-Modified-Since", "yesterday"), ("X-Empty", "")])
    exact.append("If-None-Match", bytes: [0x22, 0xFF, 0xE9, 0x22].span)
    exact.append("If-None-Match", "\"2\"")
    for path in ["/1", "/2"] {
      _ = try loop.fetch(server.url(path)) {
        $0.fields = [("X-A", "1")]
        $0.exactFields = exact
      }
    }
    _ = try loop.fetch(server.url("/3")) { $0.fields = [("X-A", "1")] }
    let fields = "If-Modified-Since: yesterday\r\nX-Empty:\r\nIf-None-Match: \"".utf8 + [0xFF, 0xE9]
    let whole = fields + Array("\"\r\nIf-None-Match: \"2\"\r\nX-A: 1\r\n\r\n".utf8)
    for path in ["/1", "/2"] {
      let head = try #require(server.requests(for: path).first?.head)
      #expect(head.suffix(whole.count) == whole[...], "\(String(decoding: head, as: UTF8.self))")
    }
    #expect(server.requests(for: "/3").first?.headers.map(\.name) == ["Host", "X-A"])
  }

  @Test func basicCredentialsAreSentAtOnceAndOnlyWithTheirRequest() throws {
    _ = try loop.fetch(server.url("/1")) { $0.credentials = Credentials(user: "a:b", password: "c") }
    _ = try loop.fetch(server.url("/2"))
    #expect(server.requests(for: "/1").map { $0["Authorization"] } == ["Basic YTpiOmM="])
    #expect(server.requests(for: "/2").map { $0["Authorization"] } == [nil])
  }

  @Test func aDigestChallengeIsAnsweredAndNotReported() throws {
    server.on("/a") { request in
      guard request["Authorization"]?.hasPrefix("Digest username=\"u\"") == true else {
        return .status(401, Array("who?".utf8)).with(
          "WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
      }
      return .ok([1, 2, 3])
    }
    _ = try loop.fetch(server.url("/first?1"))
    let record = try loop.fetch(server.url("/a?2")) {
      $0.credentials = Credentials(user: "u", password: "p", scheme: .digest)
    }
    #expect(record.isComplete)
    #expect(record.heads == 1)
    #expect(record.head?.status == 200)
    #expect(record.body == [1, 2, 3])
    #expect(server.requests.map(\.target) == ["/first?1", "/a?2", "/a?2"])
  }

  @Test func aDigestForAProxySignsWhatIsSent() throws {
    server.onOther { request in
      guard request["Authorization"] != nil else {
        return .status(401).with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
      }
      return .ok([1])
    }
    var options = NetworkOptions()
    options.useProxy("http://\(server.address.host):\(server.port)")
    let loop = try RecordedLoop(options)
    for path in ["/a", "/a?", "/%aF?b"] {
      let record = try loop.fetch("http://images.test" + path) {
        $0.credentials = Credentials(user: "u", password: "p", scheme: .digest)
      }
      #expect(record.body == [1])
      let request = try #require(server.requests.last)
      let origin = "http://images.test"
      #expect(request.target.hasPrefix(origin))
      let signed = "uri=\"\(request.target.dropFirst(origin.count))\""
      #expect(request["Authorization"]?.contains(signed) == true, "\(request["Authorization"] ?? "")")
    }
  }

  @Test func aRefusedPasswordIsReportedWithTheLastResponse() throws {
    server.on("/a") { request in
      .status(401, Array("attempt \(request.ordinal)".utf8))
        .with("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
    }
    let record = try loop.fetch(server.url("/a")) {
      $0.credentials = Credentials(user: "u", password: "p", scheme: .digest)
    }
    #expect(record.isComplete)
    #expect(record.heads == 1)
    #expect(record.head?.status == 401)
    #expect(record.body == Array("attempt 2".utf8))
  }

  @Test func aProxyGetsTheAbsoluteURL() throws {
    var options = NetworkOptions()
    options.useProxy("http://\(server.address.host):\(server.port)")
    let loop = try RecordedLoop(options)
    let urls = ["http://images.test/a", "http://images.test/b?q", "http://images.test:81/b"]
    for url in urls { #expect(try loop.fetch(url).isComplete) }
    #expect(server.requests.map(\.target) == urls)
  }

  @Test func aHostWithAGivenAddress() throws {
    var options = NetworkOptions()
    options.resolve = ["images.test:\(server.port):127.0.0.1"]
    let loop = try RecordedLoop(options)
    #expect(try loop.fetch(server.url("/a", host: "images.test")).isComplete)
    #expect(server.requests.first?["Host"] == "images.test:\(server.port)")
  }

  @Test func onlyTheRequestedIPVersion() throws {
    let server6 = try TestServer(host: "::1")
    server6.onOther { _ in .ok([6]) }
    var options = NetworkOptions()
    options.addressFamily = .v4
    let loop = try RecordedLoop(options)
    #expect(try loop.fetch(server6.url("/")).failure != nil)
    #expect(try self.loop.fetch(server6.url("/")).body == [6])
  }
}
