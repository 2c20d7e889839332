import Testing

@testable import ImgfetchCore

@Suite struct TextWithinTests {
  @Test(arguments: [
    ("a proxy failed", "proxy", true), ("a proxy", "a proxy", true), ("aab", "ab", true), ("a proxy", "proxies", false),
    ("", "a", false), ("a", "ab", false),
  ])
  func aTextIsFoundWhereverItStands(_ text: String, _ part: String, _ isThere: Bool) {
    #expect(text.holds(part) == isThere)
  }
}
