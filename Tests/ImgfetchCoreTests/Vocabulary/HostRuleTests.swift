import Testing

@testable import ImgfetchCore

@Suite("Which hosts may be asked") struct HostRuleTests {
  private func isRefused(_ host: String, allowed: [String] = [], denied: [String] = []) throws -> Bool {
    var options = FetchOptions()
    options.allowedHosts = allowed
    options.deniedHosts = denied
    return HostRule(options)?.objection(to: try WebURL("https://\(host)/a.jpg").origin) != nil
  }

  @Test("Those that are allowed, if any are named, and are not denied")
  func both() throws {
    #expect(try !isRefused("a.example"))
    #expect(try !isRefused("a.example", allowed: ["*.example"], denied: ["b.*"]))
    #expect(try isRefused("b.example", allowed: ["*.example"], denied: ["b.*"]))
    #expect(try isRefused("a.test", allowed: ["*.example"]))
  }

  @Test("A pattern that can mean no host refuses all: it was to keep one out, or to let only one in")
  func mistyped() throws {
    #expect(try isRefused("a.example", denied: ["b.example, c.example"]))
    #expect(try isRefused("a.example", allowed: ["a.example, b.example"]))
  }
}
