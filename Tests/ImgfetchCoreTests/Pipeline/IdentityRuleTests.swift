import Testing

@testable import ImgfetchCore

@Suite struct IdentityRuleTests {
  private func rule(_ change: (inout FetchIdentity) -> Void) throws -> IdentityRule {
    var identity = FetchIdentity()
    change(&identity)
    var rule = IdentityRule(identity)
    rule.bind(to: try WebURL("https://home.example/").origin)
    rule.bind(to: try WebURL("https://later.example/").origin)
    return rule
  }

  private let everything: (inout FetchIdentity) -> Void = { identity in
    identity.login = Login(user: "a", password: "b")
    identity.cookies = ["k=v"]
  }

  @Test(
    arguments: [
      "http://home.example/", "https://home.example:8443/", "https://www.home.example/", "https://home.example.evil/",
      "https://later.example/", "http://home.example:443/",
    ])
  func otherOriginsAreToldNothing(url: String) throws {
    let rule = try rule(everything)
    let headers: [IdentityRule.Header] = [("authorization", "x"), ("COOKIE", "y"), ("Proxy-Authorization", "z")]
    #expect(rule.credentials(to: try WebURL(url), headers).isEmpty)
    #expect(!rule.credentials(to: try WebURL("https://HOME.example:443/x"), headers).isEmpty)
  }

  @Test func theMoreParticularGoesFirst() throws {
    let rule = try rule { identity in
      everything(&identity)
      identity.netrc = Netrc("default login n password m")
    }
    let home = try WebURL("https://home.example/")
    let written: [IdentityRule.Header] = [("Authorization", "Custom x")]
    #expect(rule.credentials(to: home, []).login == Login(user: "a", password: "b"))
    #expect(rule.credentials(to: home, written).login == nil)
    #expect(rule.credentials(to: home, written).authorization == "Custom x")
    let named = rule.credentials(to: try WebURL("https://u:p@home.example/"), written)
    #expect(named.login == Login(user: "u", password: "p") && named.authorization == nil)
    #expect(rule.credentials(to: try WebURL("https://x.example/"), []).login == Login(user: "n", password: "m"))
  }

  @Test func aUserWithoutAPasswordIsLookedUpInNetrc() throws {
    let rule = try rule { $0.netrc = Netrc("machine x.example login u password p") }
    #expect(rule.credentials(to: try WebURL("https://u@x.example/"), []).login == Login(user: "u", password: "p"))
    #expect(rule.credentials(to: try WebURL("https://w@x.example/"), []).login == Login(user: "w", password: ""))
  }

  @Test func cookiesAreOneField() throws {
    let rule = try rule { identity in
      identity.cookies = ["a=1", "b=2; c=3"]
      identity.bearer = "t"
    }
    var credentials = rule.credentials(to: try WebURL("https://home.example/"), [("Cookie", "d=4")])
    credentials.jarCookies = "j=5"
    #expect(
      credentials.fields.map { "\($0.name): \($0.value)" }
        == ["Authorization: Bearer t", "Cookie: j=5; a=1; b=2; c=3; d=4"])
  }
}

extension OriginCredentials {
  fileprivate var isEmpty: Bool {
    login == nil && account == nil && authorization == nil && certificate == nil && cookie == nil && jar == nil
      && further.isEmpty
  }
}
