import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("A plain URL")
struct PlainURLTests {
  @Test(
    "is recognised, and one string serves all purposes",
    arguments: [
      "https://example.org/a.png", "http://127.0.0.1:8080/s/a.jpg", "https://example.org./", "http://a/b..c/d.",
      "https://example.org:80/a?b=../c&d=/.e?f", "https://a_b~c-d.example//x", "https://example.org/a?",
    ])
  func isTakenAsItIs(_ text: String) throws {
    #expect(PlainURL(text.utf8Span.span) != nil)
    let url = try WebURL(text)
    #expect([url.requestURL, url.canonical, url.display, url.typed] == [text, text, text, text])
  }

  @Test(
    "is not one that the slow path would change or reject",
    arguments: [
      "", "http://", "https://", "http:///", "https:///a", "https://a", "https://a?b", "http://a/b#c", "http://A/b",
      "HTTP://a/b", "http:/a/b", "http://a/./b", "http://a/b/..", "http://a/.b", "http://a/%62", "http://a/b c",
      "http://a/ä", "http://u@a/b", "http://u:p@a/b", "http://[::1]/b", "http://a:80/b", "https://a:443/b",
      "http://a:/b",
      "http://a:080/b", "http://a:65536/b", "http://a:99999999/b", "http://a:8x/b", "http://.a/b", "http://a..b/c",
      "http://a/b?c d", "http://a/b|c", " http://a/b", "http://a/b ", "ftp://a/b", "a/b",
      "http://\(String(repeating: "a", count: 255))/b",
    ])
  func isRefused(_ text: String) {
    #expect(PlainURL(text.utf8Span.span) == nil)
  }

  @Test("gives the same result as the slow path, for any text")
  func bothWaysAgree() {
    let pieces = [
      "http", "https", "HTTP", ":", "/", "//", "://", "example.org", "a", "B", ".", "..", "/.", "%", "%41", "%2e", "?",
      "#",
      "@", "&=", ":80", ":443", ":8080", ":0", "-", "_", "~", " ", "ä", "[::1]", "|", "\u{1}", "127.0.0.1", "+", "'",
      "*",
    ]
    var random = SeededRandom(seed: 1)
    var plain = 0
    for turn in 0..<40_000 {
      var text = turn % 4 == 0 ? "" : ["http://a", "https://example.org/", "http://h:81/b"][turn % 3]
      for _ in 0..<Int.random(in: 0...5, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
      if PlainURL(text.utf8Span.span) != nil { plain += 1 }
      #expect(properties { try WebURL(text) } == properties { try WebURL(bytes: text.utf8Span.span, typed: text) })
    }
    #expect(plain > 1_000)
  }

  /// All properties of a URL, or why it is invalid.
  private func properties(_ make: () throws -> WebURL) -> [String] {
    do {
      let url = try make()
      return [
        url.requestURL, url.canonical, url.display, url.typed, url.userInfo ?? "-", "\(url.origin)", url.host,
        "\(url.port)", url.path, url.query ?? "-", url.requestTarget, url.lastPathSegment,
      ]
    } catch { return ["\(error)"] }
  }
}
