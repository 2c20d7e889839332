import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct NameClaimsTests {
  @Test(arguments: [3, 31, 32, 33, 30_000]) func aClaimIsKeptForItsKeyAndRefusedToOthers(count: Int) {
    var claims = NameClaims()
    let keys = (0..<3).map { ContentHash(of: "key \($0)") }
    let names = (0..<count).map { ContentHash(of: "name \($0)") }
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
