import Testing

@testable import ImgfetchCore

@Suite("A parsed URL")
struct WebURLTests {
  @Test(
    "is sent as typed, except for bytes that are illegal in a request line",
    arguments: [
      ("https://example.org/a.png", "https://example.org/a.png"),
      ("example.org/a.png", "https://example.org/a.png"),
      ("example.org", "https://example.org/"),
      ("localhost:8080/a", "https://localhost:8080/a"),
      ("//example.org/a", "https://example.org/a"),
      ("  http://example.org/a \n", "http://example.org/a"),
      ("HTTP://EXAMPLE.Org/A%2fb?x=%c3", "http://example.org/A%2fb?x=%c3"),
      ("http:/example.org/a", "http://example.org/a"),
      ("http:///example.org/a", "http://example.org/a"),
      ("https://example.org:443/a", "https://example.org/a"),
      ("https://example.org:/a", "https://example.org/a"),
      ("https://example.org:080/a", "https://example.org:80/a"),
      ("https://example.org?x=1", "https://example.org/?x=1"),
      ("https://example.org#top", "https://example.org/"),
      ("https://example.org/a#b?c", "https://example.org/a"),
      ("https://example.org/a?b#c?d", "https://example.org/a?b"),
      ("https://example.org/a?", "https://example.org/a?"),
      ("https://example.org/a b?c d", "https://example.org/a%20b?c%20d"),
      ("https://example.org/ä?ö", "https://example.org/%C3%A4?%C3%B6"),
      ("https://example.org/a\tb\u{7F}", "https://example.org/a%09b%7F"),
      ("https://example.org/a|b\\c\"<>`{}^", "https://example.org/a|b\\c\"<>`{}^"),
      ("https://example.org/100%/%zz/%4", "https://example.org/100%/%zz/%4"),
      ("https://example.org/a/./b/../c", "https://example.org/a/c"),
      ("https://example.org/a/%2E/b/.%2e/c", "https://example.org/a/c"),
      ("https://example.org/../../a/..", "https://example.org/"),
      ("https://example.org/a//../b/.", "https://example.org/a/b/"),
      ("https://example.org/.../a..", "https://example.org/.../a.."),
      ("https://example.org/a?b=../c", "https://example.org/a?b=../c"),
      ("https://user:pa@ss@example.org/a", "https://example.org/a"),
      ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
      ("https://B%C3%BCcher.example/a", "https://xn--bcher-kva.example/a"),
      ("https://faß.example/", "https://xn--fa-hia.example/"),
      ("https://１２７．０．０．１/", "https://127.0.0.1/"),
      ("https://ex%61mple.org/", "https://example.org/"),
      ("https://[::0001]:8443/a", "https://[::1]:8443/a"),
      ("https://[2001:DB8:0:0:1:0:0:1]/", "https://[2001:db8::1:0:0:1]/"),
      ("https://[::ffff:127.0.0.1]/", "https://[::ffff:7f00:1]/"),
      ("https://[fe80::1%eth0]/", "https://[fe80::1%25eth0]/"),
      ("https://0x7f.1/", "https://0x7f.1/"),
      ("https://a_b~c.example./", "https://a_b~c.example./"),
    ])
  func requestForm(typed: String, sent: String) throws {
    #expect(try WebURL(typed).requestURL == sent)
  }

  @Test(
    "has a canonical form in which equivalent URLs are equal",
    arguments: [
      ("HTTP://EXAMPLE.org:80", "http://example.org/"),
      ("https://example.org/%7euser/%41%2f%2F", "https://example.org/~user/A%2F%2F"),
      ("https://example.org/a%2", "https://example.org/a%2"),
      ("https://example.org/a?x=%3a&y=%41", "https://example.org/a?x=%3A&y=A"),
      ("https://example.org/ä", "https://example.org/%C3%A4"),
      ("https://example.org/a|b\\c\"<>`{}^[]", "https://example.org/a%7Cb%5Cc%22%3C%3E%60%7B%7D%5E%5B%5D"),
      ("https://me:secret@example.org/a#f", "https://example.org/a"),
      ("https://example.org/a/%2e%2e/b", "https://example.org/b"),
      ("https://example.org/%2e%2e%2e/a%2eb", "https://example.org/.../a.b"),
      ("https://example.org/a?", "https://example.org/a?"),
      // Decoding must not turn a stray % into an escape.
      ("https://example.org/%%33341", "https://example.org/%%33341"),
      ("https://example.org/%3%34", "https://example.org/%3%34"),
      ("https://example.org/%%7a%3%7e%33", "https://example.org/%z%3~3"),
    ])
  func canonicalForm(typed: String, key: String) throws {
    let url = try WebURL(typed)
    #expect(url.canonical == key)
    #expect(try WebURL(key).canonical == key)
  }

  @Test(
    "is rejected with a reason",
    arguments: [
      ("", URLFailure.empty), (" \t", .empty), ("http://a%0ab@h/", .badUserInfo), ("http://a:b%7Fc@h/", .badUserInfo),
      ("http://a:\u{1}@h/", .badUserInfo),
      ("ftp://example.org/a", .scheme("ftp")), ("FILE:///etc/passwd", .scheme("file")),
      ("data:image/png;base64,AAAA", .scheme("data")), ("about:blank", .scheme("about")),
      ("https://", .noHost), ("https:///", .noHost), ("https:////a", .noHost), ("http:example.org", .noHost),
      ("/etc/passwd", .noHost), ("https://user@/a", .noHost), ("https://:80/", .noHost), ("?", .noHost),
      ("https://a b/", .badHost("a b")), ("https://a..b/", .badHost("a..b")), ("https://.a/", .badHost(".a")),
      ("https://a%2Fb/", .badHost("a%2Fb")), ("https://a%00b/", .badHost("a%00b")),
      ("https://a%FFb/", .badHost("a%FFb")), ("https://ex\\ample/", .badHost("ex\\ample")),
      ("https://a<b/", .badHost("a<b")), ("https://::1/", .badHost("::1")), ("https://[::1/", .badHost("[::1")),
      ("https://[1.2.3.4]/", .badHost("[1.2.3.4]")), ("https://[:1]/", .badHost("[:1]")),
      ("https://[::1%]/", .badHost("[::1%]")), ("https://[::1]x/", .badHost("[::1]x")),
      ("https://a:0/", .badPort), ("https://a:65536/", .badPort), ("https://a:99999999999999999999/", .badPort),
      ("https://a:b/", .badPort), ("https://a:-1/", .badPort),
      (String(repeating: "a", count: 65537), .tooLong),
    ])
  func refusal(typed: String, failure: URLFailure) {
    #expect(throws: failure) { try WebURL(typed) }
  }

  @Test("has parts")
  func parts() throws {
    let url = try WebURL("http://Example.org:8080/a/b%20c.png?x=1&y#z")
    #expect(url.scheme == "http")
    #expect(url.host == "example.org")
    #expect(url.port == 8080)
    #expect(url.path == "/a/b%20c.png")
    #expect(url.query == "x=1&y")
    #expect(url.requestTarget == "/a/b%20c.png?x=1&y")
    #expect(url.lastPathSegment == "b c.png")
    #expect(url.origin.description == "http://example.org:8080")
    #expect(try WebURL("https://[::1]:444/").origin.description == "https://[::1]:444")
    #expect(try WebURL("https://h/a/").lastPathSegment == "")
    #expect(try WebURL("https://h/%FF%2F").lastPathSegment == "\u{FFFD}/")
    #expect(try WebURL("https://h/a").query == nil)
    #expect(try WebURL("https://h:443").origin == WebURL("https://H/x").origin)
  }

  @Test("decodes its user info, and never shows it")
  func userInfo() throws {
    let url = try WebURL("https://m%65:p%40s:s@example.org/a?x#y")
    #expect(url.user == "me")
    #expect(url.password == "p@s:s")
    #expect(url.display == "https://***@example.org/a?x#y")
    #expect("\(url) \(String(reflecting: url))".contains("p%40s") == false)
    #expect(try WebURL("https://me@example.org/").password == nil)
    #expect(try WebURL("https://example.org/@me").user == nil)
    #expect(try WebURL("https://a:b@h/") != WebURL("https://a:c@h/"))
    #expect(try WebURL("https://H/%41#x") == WebURL("h/%41"))
  }

  @Test(
    "masks the user info of an invalid URL too",
    arguments: [
      ("ftp://me:secret@h/x@y", "ftp://***@h/x@y"),
      ("me:secret@h", "***@h"),
      ("https://me:sec/ret@h/", "https://***@h/"),
      ("https://h:80/@me", "https://h:80/@me"),
      ("https://[::1]:x/@me", "https://[::1]:x/@me"),
      ("a\u{1B}[31m\u{9B}b", "a%1B[31m%C2%9Bb"),
    ])
  func masking(text: String, shown: String) {
    #expect(WebURL.masked(text) == shown)
  }

  @Test("is rejected in words without control characters")
  func messages() {
    #expect(URLFailure.scheme("ftp").description == "the scheme ftp is not supported, only http and https are")
    #expect(URLFailure.badHost("a\u{1B}b").description == "a%1Bb is not a valid host name")
    #expect(URLFailure.badHost("::1").description.contains("brackets"))
    #expect(URLFailure.badHost(String(repeating: "a", count: 60_000)).description.utf8.count < 200)
  }
}
