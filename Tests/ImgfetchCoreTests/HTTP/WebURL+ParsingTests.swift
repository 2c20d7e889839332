import Testing

@testable import ImgfetchCore

@Suite("A reference in a response")
struct WebURLResolvingTests {
  /// RFC 3986 §5.4 with its base, without the references to other schemes; the fragment is dropped.
  @Test(
    "is resolved as RFC 3986 says",
    arguments: [
      ("g", "/b/c/g"), ("./g", "/b/c/g"), ("g/", "/b/c/g/"), ("/g", "/g"), ("?y", "/b/c/d;p?y"), ("g?y", "/b/c/g?y"),
      ("#s", "/b/c/d;p?q"), ("g#s", "/b/c/g"), ("g?y#s", "/b/c/g?y"), (";x", "/b/c/;x"), ("g;x", "/b/c/g;x"),
      ("", "/b/c/d;p?q"), (".", "/b/c/"), ("./", "/b/c/"), ("..", "/b/"), ("../", "/b/"), ("../g", "/b/g"),
      ("../..", "/"), ("../../", "/"), ("../../g", "/g"), ("../../../g", "/g"), ("../../../../g", "/g"),
      ("/./g", "/g"), ("/../g", "/g"), ("g.", "/b/c/g."), (".g", "/b/c/.g"), ("g..", "/b/c/g.."), ("..g", "/b/c/..g"),
      ("./../g", "/b/g"), ("./g/.", "/b/c/g/"), ("g/./h", "/b/c/g/h"), ("g/../h", "/b/c/h"),
      ("g;x=1/./y", "/b/c/g;x=1/y"), ("g;x=1/../y", "/b/c/y"), ("g?y/./x", "/b/c/g?y/./x"),
      ("g?y/../x", "/b/c/g?y/../x"), ("http:g", "/b/c/g"),
    ])
  func standard(reference: String, target: String) throws {
    let base = try WebURL("http://a/b/c/d;p?q")
    #expect(try base.resolving(reference).requestURL == "http://a" + target)
  }

  @Test(
    "may be unusual",
    arguments: [
      ("//c/g", "http://c/g"), ("HTTPS://C/g", "https://c/g"), ("https:/c/g", "https://c/g"), ("///c/g", "http://c/g"),
      (" /a b\t", "http://a:8080/a%20b"), ("\\\\evil\\x", "http://a:8080/b/\\\\evil\\x"),
      ("/ä", "http://a:8080/%C3%A4"),
      ("/x\r\nSet-Cookie: y", "http://a:8080/x%0D%0ASet-Cookie:%20y"), ("?", "http://a:8080/b/c?"),
      ("1:2", "http://a:8080/b/1:2"), ("/u:p@h/", "http://a:8080/u:p@h/"),
    ])
  func odd(reference: String, result: String) throws {
    #expect(try WebURL("http://a:8080/b/c").resolving(reference).requestURL == result)
  }

  @Test("to another scheme, or to no host, is refused")
  func refused() throws {
    let base = try WebURL("https://a/b")
    #expect(throws: URLFailure.scheme("file")) { try base.resolving("file:///etc/passwd") }
    #expect(throws: URLFailure.scheme("javascript")) { try base.resolving("javascript:alert(1)") }
    #expect(throws: URLFailure.noHost) { try base.resolving("http:g") }
    #expect(throws: URLFailure.noHost) { try base.resolving("//") }
    #expect(throws: URLFailure.badPort) { try base.resolving("//h:x/") }
    #expect(throws: URLFailure.tooLong) { try base.resolving(String(repeating: "a", count: 65537)) }
  }

  @Test("keeps the user info only while the authority stays")
  func userInfo() throws {
    let base = try WebURL("https://me:pw@a/b")
    #expect(try base.resolving("/c").password == "pw")
    #expect(try base.resolving("?x").display == "https://***@a/b?x")
    #expect(try base.resolving("//a/c").user == nil)
    #expect(try base.resolving("https://a/c").user == nil)
  }

  @Test("that is not UTF-8 keeps its bytes")
  func latin1() throws {
    let reference: [UInt8] = [0x2F, 0xE9]
    let resolved = try WebURL("https://a/b").resolving(bytes: reference.span)
    #expect(resolved.requestURL == "https://a/%E9")
  }
}
