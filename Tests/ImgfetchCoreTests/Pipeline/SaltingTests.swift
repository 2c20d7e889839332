import Testing

@testable import ImgfetchCore

@Suite struct SaltingTests {
  private func material(
    _ credentials: OriginCredentials = OriginCredentials(), _ headers: [IdentityRule.Header] = [],
    _ policy: CachePolicy = .age
  ) -> [UInt8]? { Salting.material(credentials, headers, policy, NetworkOptions()) }

  @Test func thePublicHasNoSalt() {
    #expect(material() == nil)
    #expect(material(OriginCredentials(), [("Accept", "x"), ("User-Agent", "y"), ("X-Gone", nil)]) == nil)
    #expect(material(OriginCredentials(), [("X-Tenant", "1")], .http) == nil)
  }

  @Test func everyAskerHasOne() {
    let materials = [
      material(OriginCredentials(login: Login(user: "a", password: "b"))),
      material(OriginCredentials(login: Login(user: "ab", password: ""))),
      material(OriginCredentials(login: Login(user: "", password: "ab"))),
      material(OriginCredentials(authorization: "Bearer x")), material(OriginCredentials(cookie: "Bearer x")),
      material(OriginCredentials(jar: "Bearer x")), material(OriginCredentials(), [("X-Tenant", "1")]),
      material(OriginCredentials(), [("X-Tenant", "2")]), material(OriginCredentials(authorization: "x"), [], .http),
    ]
    #expect(materials.allSatisfy { $0 != nil })
    #expect(Set(materials).count == materials.count)
  }
}
