import TestSupport
import Testing

@Suite("Request fields and cache keys") struct KeyHeaderTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.onOther { _ in .ok(TestImages.jpeg(width: 20, height: 10), type: "image/jpeg") }
  }

  private func word(_ arguments: String...) throws -> String? {
    try program.run(["get"] + arguments + [server.url("/a.jpg")]).rows.first?.first
  }

  @Test("Fields that only name the request keep no images apart, in any case")
  func harmless() throws {
    #expect(try word("-H", "X-Request-ID: 1") == "none")
    for field in [
      "x-request-id: 2", "X-Correlation-ID: 3", "traceparent: 00-1", "tracestate: a=b", "baggage: c=d",
      "From: me@example.org", "DNT: 1", "Priority: u=1", "Referer: https://example.org/", "Pragma: no-cache",
    ] {
      #expect(try word("-H", field) == "disk", "\(field)")
    }
    #expect(server.count("/a.jpg") == 1)
    #expect(server.requests.first?["X-Request-ID"] == "1")
  }

  @Test("Others do, unless --key-ignore-header names them")
  func named() throws {
    #expect(try word("-H", "X-Trace: 1") == "none")
    #expect(try word("-H", "X-Trace: 2") == "none")
    #expect(try word("--key-ignore-header", "x-trace", "-H", "X-Trace: 3") == "none")
    #expect(try word("--key-ignore-header", "x-trace", "-H", "X-Trace: 4") == "disk")
    #expect(try word() == "disk")
    #expect(try word("--key-ignore-header", "x-trace", "-H", "X-Trace: 4", "-H", "X-Other: 1") == "none")
  }

  @Test("The order of fields with different names means nothing, and that of one name's fields does")
  func order() throws {
    #expect(try word("-H", "X-B: 1", "-H", "X-A: 1", "-H", "X-B: 2") == "none")
    #expect(try word("-H", "x-a: 1", "-H", "X-B: 1", "-H", "X-B: 2") == "disk")
    #expect(try word("-H", "X-A: 1", "-H", "X-B: 2", "-H", "X-B: 1") == "none")
  }

  @Test("Credentials are never ignored", arguments: ["Authorization", "proxy-authorization", "COOKIE", "a b", ""])
  func refused(name: String) throws {
    let outcome = try program.run("get", "--key-ignore-header", name, server.url("/a.jpg"))
    #expect(outcome.exitCode == 2, "\(outcome)")
    #expect(server.requests.isEmpty)
  }
}
