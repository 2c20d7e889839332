import ImgfetchCore
import TestSupport
import Testing

/// What goes out.
@Suite struct TransferRequestTests {
  let server: TestServer
  let loop: RecordedLoop

  init() throws {
    server = try TestServer()
    loop = try RecordedLoop()
    server.onOther { _ in .ok([1]) }
  }

  @Test func theRequestIsWhatWasGivenAndNothingElse() throws {
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

  @Test func noFieldsAreNoFields() throws {
    _ = try loop.fetch(server.url("/"))
    #expect(server.requests.first?.headers.map(\.name) == ["Host"])
  }

  @Test func fieldsOfOneRequestDoNotStayForTheNext() throws {
    _ = try loop.fetch(server.url("/1")) { $0.fields = [("X-A", "1")] }
    _ = try loop.fetch(server.url("/2")) { $0.fields = [("X-B", "2")] }
    #expect(server.requests(for: "/2").first?.headers.map(\.name) == ["Host", "X-B"])
  }

  @Test func exactFieldsGoByteForByteInFrontAndWithTheirRequestOnly() throws {
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

  @Test func basicCredentialsGoOutAtOnceAndOnlyWithTheirRequest() throws {
    _ = try loop.fetch(server.url("/1")) { $0.credentials = Credentials(user: "a:b", password: "c") }
    _ = try loop.fetch(server.url("/2"))
    #expect(server.requests(for: "/1").map { $0["Authorization"] } == ["Basic YTpiOmM="])
    #expect(server.requests(for: "/2").map { $0["Authorization"] } == [nil])
  }

  @Test func aDigestChallengeIsAnsweredUnseen() throws {
    server.on("/a") { request in
      guard request["Authorization"]?.hasPrefix("Digest username=\"u\"") == true else {
        return .status(401, Array("who?".utf8)).with(
          "WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\", qop=\"auth\"")
      }
      return .ok([1, 2, 3])
    }
    let record = try loop.fetch(server.url("/a")) {
      $0.credentials = Credentials(user: "u", password: "p", scheme: .digest)
    }
    #expect(record.isComplete)
    #expect(record.heads == 1)
    #expect(record.head?.status == 200)
    #expect(record.body == [1, 2, 3])
    #expect(server.count("/a") == 2)
  }

  @Test func aPasswordThatIsRefusedIsToldWithTheLastAnswer() throws {
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

  @Test func aProxyIsAskedForTheWholeURL() throws {
    var options = NetworkOptions()
    options.useProxy("http://\(server.address.host):\(server.port)")
    let loop = try RecordedLoop(options)
    #expect(try loop.fetch("http://images.test/a").isComplete)
    #expect(server.requests.map(\.target) == ["http://images.test/a"])
  }

  @Test func aHostThatIsResolvedByHand() throws {
    var options = NetworkOptions()
    options.resolve = ["images.test:\(server.port):127.0.0.1"]
    let loop = try RecordedLoop(options)
    #expect(try loop.fetch(server.url("/a", host: "images.test")).isComplete)
    #expect(server.requests.first?["Host"] == "images.test:\(server.port)")
  }

  @Test func onlyTheWantedVersionOfTheInternetProtocol() throws {
    let server6 = try TestServer(host: "::1")
    server6.onOther { _ in .ok([6]) }
    var options = NetworkOptions()
    options.ipVersion = .v4
    let loop = try RecordedLoop(options)
    #expect(try loop.fetch(server6.url("/")).failure != nil)
    #expect(try self.loop.fetch(server6.url("/")).body == [6])
  }
}
