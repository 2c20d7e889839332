import Testing

@testable import ImgfetchCore

@Suite("A host pattern")
struct HostPatternTests {
  @Test(
    "matches the hosts that it describes",
    arguments: [
      ("example.org", "https://example.org/"), ("EXAMPLE.org", "https://Example.ORG/"), ("*", "https://a.b.c/"),
      ("*.example.org", "https://a.b.example.org/"), ("a*c", "https://abc/"), ("a?c", "https://abc/"),
      ("example.org:8080", "https://example.org:8080/"), ("example.org:443", "https://example.org/"),
      ("*:80", "http://a/"), ("example.org", "https://example.org./"),
      ("example.org.", "https://example.org/"), ("*.example.org.", "https://a.example.org./"),
      ("*.bücher.example", "https://a.bücher.example/"),
      ("127.*", "https://2130706433/"), ("127.0.0.1", "https://0x7f.1/"), ("0x7f.1", "https://0x7f.1/"),
      ("[::1]", "https://[0::1]/"), ("[::1]:8443", "https://[::1]:8443/"), ("[2001:DB8::*]", "https://[2001:db8::7]/"),
      ("*a*a*b", "https://aaaaaab/"), ("::1", "https://[0::1]/"), ("*::1", "https://[fe80::1]/"),
      ("2001:DB8:*", "https://[2001:db8::7]/"),
      ("127.*", "https://[::ffff:127.0.0.1]/"), ("127.*", "https://[::ffff:7f00:1]/"),
      ("127.*", "https://[0:0::7f00:1]/"), ("10.0.0.?", "https://[64:ff9b::10.0.0.1]/"),
      ("[::ffff:127.0.0.1]", "https://127.1/"), ("0x7f000001", "https://127.0.0.1/"),
      ("0177.1", "https://[::ffff:127.0.0.1]/"), ("[fe80::1%25eth0]", "https://[fe80::1%25eth0]/"),
    ])
  func matches(pattern: String, url: String) throws {
    #expect(try #require(HostPattern(pattern)).matches(WebURL(url).origin))
  }

  @Test(
    "matches no others",
    arguments: [
      ("example.org", "https://a.example.org/"), ("*.example.org", "https://example.org/"),
      ("*.example.org", "https://badexample.org/"), ("example.org", "https://example.org.evil.example/"),
      ("example.org:80", "https://example.org/"), ("example.org:8080", "https://example.org/"), ("a?c", "https://ac/"),
      ("127.*", "https://10.0.0.1/"), ("[::1]:80", "https://[::1]/"), ("a.c", "https://abc/"),
      ("0.0.0.*", "https://[::1]/"), ("127.*", "https://[2001:db8::7f00:1]/"),
    ])
  func differs(pattern: String, url: String) throws {
    #expect(try !#require(HostPattern(pattern)).matches(WebURL(url).origin))
  }

  @Test(
    "may be invalid",
    arguments: [
      "", ":80", "a:", "a:b", "a:0", "a:65536", "[::1", "[]", "[::1]x", "a,b", "a b", "http://a", "a/", "u@a",
      ".", ".a", "a..b",
    ])
  func invalid(pattern: String) {
    #expect(HostPattern(pattern) == nil)
  }

  @Test("fails fast, however many stars it has")
  func pathological() throws {
    let pattern = try #require(HostPattern(String(repeating: "*a", count: 40) + "b"))
    #expect(!pattern.matches(Origin(isSecure: true, host: String(repeating: "a", count: 250), port: 443)))
  }
}
