import Testing

@testable import imgfetch

@Suite("Patterns of cache keys") struct KeyPatternTests {
  @Test(
    "A star stands for any text, and nothing else is special",
    arguments: [
      ("*", "https://example.org/a.png", true), ("https://example.org/*", "https://example.org/a/b.png", true),
      ("https://example.org/*", "http://example.org/a.png", false), ("*.png", "https://example.org/a.png", true),
      ("*.png", "https://example.org/a.png?x=1", false), ("*a*a*a*", "https://example.org/aaa", true),
      ("*/?.png", "https://example.org/a.png", false), ("*/[a].png", "https://example.org/[a].png", true),
      ("", "", true), ("", "a", false), ("**", "", true),
    ])
  func star(pattern: String, key: String, isMatch: Bool) {
    #expect(KeyPattern(pattern).matches(key) == isMatch)
  }

  @Test("Without a scheme it is compared with what follows that of the key")
  func withoutScheme() {
    #expect(KeyPattern("example.org/*").matches("https://example.org/a.png"))
    #expect(KeyPattern("example.org/*").matches("http://example.org/a.png"))
    #expect(!KeyPattern("ample.org/*").matches("https://example.org/a.png"))
    #expect(!KeyPattern("|*").matches("https://example.org/|"))
    #expect(KeyPattern("|*").matches("|poster"))
  }

  @Test("Bytes are compared: a letter and the same letter composed of two are two texts")
  func bytes() { #expect(!KeyPattern("*/\u{E9}").matches("https://example.org/e\u{301}")) }

  @Test("The worst pattern takes no more than its length for each byte")
  func worst() {
    let pattern = KeyPattern(String(repeating: "*a", count: 500) + "b")
    #expect(!pattern.matches(String(repeating: "a", count: 20_000)))
  }
}
