import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct NameClaimsTests {
  @Test func aClaimIsKeptForItsKeyAndRefusedToOthers() {
    var claims = NameClaims()
    let keys = (0..<3).map { ContentHash(of: "key \($0)") }
    let names = (0..<30_000).map { ContentHash(of: "name \($0)") }
    var right = 0
    for (at, name) in names.enumerated() where claims.claim(name, for: keys[at % 3]) { right += 1 }
    #expect(right == names.count)
    for (at, name) in names.enumerated() {
      if claims.claim(name, for: keys[at % 3]) { right += 1 }
      if claims.claim(name, for: keys[(at + 1) % 3]) { right -= 1 }
    }
    #expect(right == 2 * names.count)
  }
}
