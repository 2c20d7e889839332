import TestSupport
import Testing

@Suite("nginx in the tests") struct NginxTests {
  @Test func servesOverBothVersionsAndTellsWhatItWasAsked() throws {
    let files = try TemporaryFolder()
    try files.write("a.jpg", "0123456789")
    let nginx = try Nginx(serving: files)
    let curl = try Command.find("curl")
    func get(_ url: String, _ options: [String] = []) throws -> String {
      try Command(curl, ["-sS", "--cacert", nginx.certificate.authority, url] + options).run().outputText
    }
    #expect(try get(nginx.url("/a.jpg")) == "0123456789")
    #expect(try get(nginx.secureURL("/a.jpg?x"), ["-r", "4-6"]) == "456")
    #expect(try get(nginx.secureURL("/b.jpg", host: "localhost")).contains("404"))

    let requests = try nginx.requests(atLeast: 3)
    #expect(requests.map(\.version) == ["HTTP/1.1", "HTTP/2.0", "HTTP/2.0"])
    #expect(requests.map(\.target) == ["/a.jpg", "/a.jpg?x", "/b.jpg"])
    #expect(requests.map(\.status) == [200, 206, 404])
    #expect(requests.map(\.range) == ["", "bytes=4-6", ""])
    #expect(Set(requests.map(\.connection)).count == 3)
    #expect(try nginx.stop() == requests)
  }
}
