import Testing

@testable import ImgfetchCore

@Suite struct SaltingTests {
  private func material(
    _ introduction: Introduction = Introduction(), _ headers: [IdentityRule.Header] = [], _ policy: CachePolicy = .age
  ) -> [UInt8]? { Salting.material(introduction, headers, policy, NetworkOptions()) }

  @Test func thePublicHasNoSalt() {
    #expect(material() == nil)
    #expect(material(Introduction(), [("Accept", "x"), ("User-Agent", "y"), ("X-Gone", nil)]) == nil)
    #expect(material(Introduction(), [("X-Tenant", "1")], .http) == nil)
  }

  @Test func everyAskerHasOne() {
    let materials = [
      material(Introduction(login: Login(user: "a", password: "b"))),
      material(Introduction(login: Login(user: "ab", password: ""))),
      material(Introduction(login: Login(user: "", password: "ab"))),
      material(Introduction(authorization: "Bearer x")), material(Introduction(cookie: "Bearer x")),
      material(Introduction(jar: "Bearer x")), material(Introduction(), [("X-Tenant", "1")]),
      material(Introduction(), [("X-Tenant", "2")]), material(Introduction(authorization: "x"), [], .http),
    ]
    #expect(materials.allSatisfy { $0 != nil })
    #expect(Set(materials).count == materials.count)
  }
}
