import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http every hop is stored for itself")
struct HopTests {
  private func hop(_ status: Int, to target: String, _ fields: [(String, String)] = []) -> TestServer.Response {
    var answer = TestServer.Response.redirect(to: target, status: status)
    for (name, value) in fields { answer = answer.with(name, value) }
    return answer
  }

  @Test("so a chain of stored redirects needs no request")
  func chain() throws {
    let runs = try CachedRuns()
    runs.server.serve("/1", hop(301, to: "/2", [("Cache-Control", "max-age=100")]))
    runs.server.serve("/2", hop(308, to: "/3", [("Cache-Control", "max-age=100")]))
    runs.server.serve("/3", hop(302, to: "/4", [("Cache-Control", "max-age=100")]))
    runs.server.serve("/4", hop(307, to: "/a", [("Expires", CachedRuns.date(100)), ("Date", CachedRuns.date())]))
    runs.server.serve("/a", .text("end").with("Cache-Control", "max-age=100"))
    let first = try runs.get("/1")
    #expect(first.result.attempts == 1 && first.text == "end")
    let second = try runs.get("/1")
    #expect(second.text == "end" && second.result.cache == .disk)
    #expect(second.result.finalURL == runs.server.url("/a"))
    #expect(second.result.attempts == 0)
    #expect(runs.server.requests.count == 5)
    // Any hop is a URL of its own.
    #expect(try runs.get("/3").result.cache == .disk)
    #expect(runs.server.requests.count == 5)
  }

  @Test("and none where the network is not to be asked, however old they are")
  func offline() throws {
    let runs = try CachedRuns()
    runs.server.serve("/1", hop(301, to: "/2", [("Cache-Control", "max-age=1")]))
    runs.server.serve("/2", hop(302, to: "/a", [("Cache-Control", "max-age=1")]))
    runs.server.serve("/a", .text("end").with("Cache-Control", "max-age=1"))
    runs.server.serve("/3", hop(301, to: "/b", [("Cache-Control", "max-age=1")]))
    runs.server.serve("/b", .text("secret").with("Cache-Control", "no-store"))
    _ = try runs.ask(["/1", "/3"])
    runs.pass(1_000_000)
    func only(_ options: inout FetchOptions) { options.policy = .only }
    let got = try runs.ask(["/1", "/1"], change: only)
    #expect(got.map(\.text) == ["end", "end"] && got.map(\.status) == [200, 200])
    #expect(got.map(\.result.cache) == [.disk, .memory])
    #expect(got.last?.result.finalURL == runs.server.url("/a"))
    let missing = try runs.get("/3", change: only)
    #expect(missing.result.error?.kind == .offline)
    #expect(missing.result.error?.message.contains("/b") == true)
    let tooFar = try runs.get("/1") { ($0.policy, $0.maximumRedirects, $0.acceptedStatuses) = (.only, 1, .success) }
    #expect(tooFar.result.error?.kind == .refused)
    let denied = try runs.get("/1") { ($0.policy, $0.deniedHosts) = (.only, ["127.0.0.1"]) }
    #expect(denied.result.error?.kind == .refused)
    #expect(runs.server.requests.count == 5)
  }

  @Test("and one that may not be stored is asked again, though what it leads to is there")
  func unstored() throws {
    let runs = try CachedRuns()
    runs.server.serve("/1", hop(302, to: "/a"))
    runs.server.serve("/a", .text("end").with("Cache-Control", "max-age=100"))
    for count in 1...2 {
      let got = try runs.get("/1")
      #expect(got.text == "end")
      #expect(got.result.cache == (count == 1 ? CacheType.network : .disk))
      #expect(got.result.attempts == 1)
      #expect(runs.server.count("/1") == count && runs.server.count("/a") == 1)
    }
  }

  @Test("and each is fresh for itself")
  func freshness() throws {
    let runs = try CachedRuns()
    runs.server.serve("/1", hop(301, to: "/a", [("Cache-Control", "max-age=10")]))
    runs.server.serve("/a", .text("end").with("Cache-Control", "max-age=100"))
    _ = try runs.get("/1")
    runs.pass(11)
    #expect(try runs.get("/1").text == "end")
    #expect(runs.server.count("/1") == 2 && runs.server.count("/a") == 1)
    runs.pass(9)
    runs.server.serve("/1", hop(301, to: "/b", [("Cache-Control", "max-age=10")]))
    #expect(try runs.get("/1").text == "end")
  }

  @Test("with its body, for who follows none")
  func unfollowed() throws {
    let runs = try CachedRuns()
    runs.server.serve(
      "/1", .text("see /a", status: 301).with("Location", "/a").with("Cache-Control", "max-age=100"))
    runs.server.serve("/a", .text("end"))
    _ = try runs.get("/1")
    let got = try runs.get("/1") { $0.maximumRedirects = 0 }
    #expect(got.status == 301 && got.text == "see /a" && got.field("Location") == "/a")
    #expect(runs.server.count("/1") == 1)
  }

  @Test("and rules for redirects hold for stored ones")
  func rules() throws {
    let runs = try CachedRuns()
    runs.server.serve("/1", hop(301, to: "/2", [("Cache-Control", "max-age=100")]))
    runs.server.serve("/2", hop(301, to: "/1", [("Cache-Control", "max-age=100")]))
    for _ in 1...2 {
      let got = try runs.get("/1") { $0.acceptedStatuses = .success }
      #expect(got.result.error?.kind == .refused)
    }
    #expect(runs.server.requests.count == 2)
    runs.server.serve("/out", hop(301, to: "http://denied.test/", [("Cache-Control", "max-age=100")]))
    for _ in 1...2 {
      let got = try runs.get("/out") { $0.deniedHosts = ["denied.test"] }
      #expect(got.result.error?.kind == .refused)
    }
    #expect(runs.server.count("/out") == 1)
  }

  @Test("and a mirror's answer is the mirror's")
  func mirror() throws {
    let runs = try CachedRuns()
    runs.server.serve("/m", .text("mirror").with("Cache-Control", "max-age=100"))
    let mirror = try WebURL(runs.server.url("/m"))
    for _ in 1...2 {
      let got = try runs.get("/gone", mirrors: [mirror]) { $0.acceptedStatuses = .success }
      #expect(got.text == "mirror")
    }
    #expect(runs.server.count("/m") == 1)
    #expect(runs.server.count("/gone") == 2)
  }
}
