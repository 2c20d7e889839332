import ImgfetchCore
import TestSupport
import Testing

@Suite("The test server") struct TestServerTests {
  let server: TestServer
  let picture = Array("0123456789".utf8)

  init() throws { server = try TestServer() }

  @Test func answersAndRemembersWhatCame() throws {
    server.serve("/a.jpg", picture)
    let client = try Client(server)
    client.get("/a.jpg?x=1", ["X-Twice: a", "x-twice:  b "])
    #expect(
      client.receive(until: "0123456789")
        == "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: 10\r\n\r\n0123456789")
    let request = try #require(server.requests.first)
    #expect(request.method == "GET")
    #expect(request.target == "/a.jpg?x=1")
    #expect(request.values(of: "X-TWICE") == ["a", "b"])
    #expect(request.ordinal == 1)
    #expect(server.count("/a.jpg") == 1)
    #expect(server.count("/a.jpg?x=2") == 0)
  }

  @Test func keepsAConnectionAlive() throws {
    server.serve("/a", inTurn: [.ok(picture), .status(404)])
    let client = try Client(server)
    for ending in ["0123456789", "\r\n\r\n", "\r\n\r\n"] {
      client.get("/a")
      _ = client.receive(until: ending)
    }
    #expect(server.count("/a") == 3)
    #expect(server.connections == 1)
    #expect(server.maxConcurrent == 1)
  }

  @Test func sendsNoBodyToHead() throws {
    server.serve("/a", picture)
    let client = try Client(server)
    client.send("HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n")
    #expect(client.receive().hasSuffix("Content-Length: 10\r\n\r\n<end>"))
  }

  @Test func readsABody() throws {
    server.on("/a") { request in .ok(request.body.reversed()) }
    let client = try Client(server)
    client.send("POST /a HTTP/1.1\r\nContent-Length: 3\r\nConnection: close\r\n\r\nab")
    client.send("c")
    #expect(client.receive().hasSuffix("\r\n\r\ncba<end>"))
  }

  @Test(arguments: [0, 4, 10]) func cutsABody(after count: Int) throws {
    server.serve("/a", .ok(picture).cutAfter(count))
    let client = try Client(server)
    client.get("/a")
    #expect(client.receive().hasSuffix("Content-Length: 10\r\n\r\n\("0123456789".prefix(count))<end>"))
  }

  @Test func resetsAConnection() throws {
    server.serve("/a", .ok(picture).resetAfter(4))
    let client = try Client(server)
    client.get("/a")
    #expect(client.receive().hasSuffix("\r\n\r\n0123<Connection reset by peer>"))
  }

  @Test func stallsUntilReleased() throws {
    server.serve("/a", .ok(picture).stallAfter(3))
    let client = try Client(server)
    client.get("/a")
    #expect(client.receive(until: "012").hasSuffix("\r\n\r\n012"))
    server.release("/a")
    #expect(client.receive(until: "9") == "3456789")
  }

  @Test func sendsPiecesAsGatesOpen() throws {
    let gates = [Gate(), Gate(), Gate()]
    server.serve("/a", .ok(picture).trickle([(2, gates[1]), (5, gates[2])]).held(by: gates[0]))
    let client = try Client(server)
    client.get("/a")
    try server.waitForRequests("/a", 1)
    gates[0].open()
    #expect(client.receive(until: "01").hasSuffix("\r\n\r\n01"))
    gates[1].open()
    #expect(client.receive(until: "4") == "234")
    gates[2].open()
    #expect(client.receive(until: "9") == "56789")
  }

  @Test func sendsChunks() throws {
    server.serve("/a", .ok(picture).chunked([3, 5], trailer: ["X-Sum: 1"]))
    let client = try Client(server)
    client.get("/a")
    #expect(
      client.receive(until: "1\r\n\r\n")
        == "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n012\r\n5\r\n34567\r\n2\r\n89\r\n0\r\nX-Sum: 1\r\n\r\n"
    )
  }

  @Test func cutsAndSpoilsChunks() throws {
    server.serve("/cut", .ok(picture).chunked([4]).cutAfter(6))
    server.serve("/spoilt", .ok(picture).chunked([4]).garbage(Array("zz".utf8), after: 4).closing())
    let cut = try Client(server)
    cut.get("/cut")
    #expect(cut.receive().hasSuffix("\r\n\r\n4\r\n0123\r\n4\r\n45<end>"))
    let spoilt = try Client(server)
    spoilt.get("/spoilt")
    #expect(spoilt.receive().contains("4\r\n0123zz\r\n4\r\n4567\r\n"))
  }

  @Test func liesAboutTheLength() throws {
    server.serve("/a", .ok(picture).claiming(length: 12))
    let client = try Client(server)
    client.get("/a")
    #expect(client.receive().hasSuffix("Content-Length: 12\r\n\r\n0123456789<end>"))
  }

  @Test func endsABodyWithTheConnection() throws {
    server.serve("/a", .ok(picture).withoutLength())
    let client = try Client(server)
    client.get("/a")
    #expect(client.receive() == "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n0123456789<end>")
  }

  @Test func sendsRawBytesAndInterimAnswers() throws {
    server.serve("/raw", .raw("hello"))
    server.serve(
      "/early", Response.ok(picture).after(interim: 103, [("Link", "<x>")], times: 2).line("bad line").closing())
    let raw = try Client(server)
    raw.get("/raw")
    #expect(raw.receive() == "hello<end>")
    let early = try Client(server)
    early.get("/early")
    let interim = "HTTP/1.1 103 Wait\r\nLink: <x>\r\n\r\n"
    #expect(early.receive().hasPrefix(interim + interim + "HTTP/1.1 200 OK\r\nbad line\r\nConnection: close\r\n"))
  }

  @Test func goesOnForEver() throws {
    server.serve("/a", .raw("HTTP/1.1 200 OK\r\n").endless(Array("X: y\r\n".utf8)))
    do {
      let client = try Client(server)
      client.get("/a")
      try server.waitForBytesSent(1 << 17)
    }
    try server.waitForDepartures("/a")
  }

  @Test func noticesADepartureInAStall() throws {
    server.serve("/a", .ok(picture).stallAfter(1))
    do {
      let client = try Client(server)
      client.get("/a")
      try server.waitForRequests("/a", 1)
    }
    try server.waitForDepartures("/a")
    #expect(server.departures("/a") == 1)
  }

  @Test func countsWhatIsInProgressAtOnce() throws {
    let gate = Gate()
    server.onOther { _ in .ok([1]).held(by: gate) }
    let clients = try (0..<20).map { _ in try Client(server) }
    for (number, client) in clients.enumerated() { client.get("/\(number)") }
    try server.waitForConcurrent(20)
    gate.open()
    for client in clients { _ = client.receive(until: "\u{1}") }
    #expect(server.maxConcurrent == 20)
    #expect(server.connections == 20)
  }

  @Test func stopsWhileAnswersStall() throws {
    server.serve("/a", .ok(picture).stallAfter(1))
    let client = try Client(server)
    client.get("/a")
    _ = client.receive(until: "\r\n\r\n0")
    server.stop()
    #expect(client.receive() == "<end>")
  }

  @Test func refusesWhereNobodyListens() throws {
    let nobody = try ListeningSocket(listens: false)
    let other = try TestServer(host: "127.0.0.2")
    #expect(other.url("/x") == "http://127.0.0.2:\(other.port)/x")
    #expect(nobody.address.port != other.port || nobody.address.host != other.address.host)
  }
}

private typealias Response = TestServer.Response
