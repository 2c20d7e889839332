import Testing

@testable import ImgfetchCore

@Suite("Redirects: followed by us, hop by hop")
struct RedirectRuleTests {
  private func decide(
    _ location: String?, status: Int = 302, from url: String = "https://a.example/x/y.jpg", hops: Int = 0,
    options: FetchOptions = FetchOptions()
  ) throws -> RedirectRule.Decision {
    RedirectRule.decide(status: status, location: location, from: try WebURL(url), hops: hops, options: options)
  }

  @Test("A Location is resolved against the URL that answered", arguments: [301, 302, 303, 307, 308])
  func follows(status: Int) throws {
    #expect(try decide("../z.jpg", status: status) == .follow(WebURL("https://a.example/z.jpg")))
    #expect(try decide("//b.example/q", status: status) == .follow(WebURL("https://b.example/q")))
  }

  @Test("From https to http is a refusal, even of an accepted status; the other way is not")
  func downgrade() throws {
    var options = FetchOptions()
    for _ in 0..<2 {
      guard case .refuse(let reason, _) = try decide("http://a.example/x.jpg", options: options) else {
        Issue.record("was not refused")
        return
      }
      #expect(reason.contains("https to http"))
      options.acceptedStatuses = StatusSet([100...599])
    }
    #expect(try decide("https://a.example/", from: "http://a.example/") == .follow(WebURL("https://a.example/")))
  }

  @Test(
    "A redirect to a file, to ftp or to nonsense is a refusal, unless its status is accepted",
    arguments: ["file:///etc/passwd", "ftp://a.example/", "http://"])
  func schemes(location: String) throws {
    guard case .refuse = try decide(location) else {
      Issue.record("\(location) was not refused")
      return
    }
    var options = FetchOptions()
    options.acceptedStatuses = StatusSet([100...599])
    #expect(try decide(location, options: options) == .notARedirect)
  }

  @Test("Hops are counted; where redirects are accepted answers, the last is one")
  func count() throws {
    guard case .refuse = try decide("/", hops: 10) else {
      Issue.record("the eleventh hop was followed")
      return
    }
    var options = FetchOptions()
    options.maximumRedirects = 0
    options.acceptedStatuses = StatusSet([100...599])
    #expect(try decide("/", options: options) == .notARedirect)
  }

  @Test("Without a Location, and with other statuses, it is no redirect")
  func others() throws {
    #expect(try decide(nil) == .notARedirect)
    #expect(try decide("/", status: 300) == .notARedirect)
    #expect(try decide("/", status: 200) == .notARedirect)
  }

  @Test("To another origin go only the fields that say nothing about who asks")
  func fields() throws {
    let fields = [
      ("Accept", "image/*"), ("AUTHORIZATION", "secret"), ("Cookie", "secret"), ("User-Agent", "x"),
      ("X-Key", "secret"),
    ]
    .map { (name: $0.0, value: $0.1) }
    let here = try WebURL("https://a.example/").origin
    for other in ["https://b.example/", "http://a.example/", "https://a.example:444/"] {
      let kept = RedirectRule.fields(fields, from: here, to: try WebURL(other).origin)
      #expect(kept.map(\.name) == ["Accept", "User-Agent"])
    }
    #expect(RedirectRule.fields(fields, from: here, to: here).count == 5)
  }
}
