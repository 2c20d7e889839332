import Testing

@testable import ImgfetchCore

/// References in pages, read as the URL standard has it. The rows are of this project's own making.
@Suite("References in pages") struct LinkTextTests {
  @Test(
    "They are resolved as browsers do",
    arguments: [
      ("a.png", "http://h/p/a.png"), ("./a.png", "http://h/p/a.png"), ("../a.png", "http://h/a.png"),
      ("../../../a.png", "http://h/a.png"), ("/a.png", "http://h/a.png"), ("//o/a.png", "http://o/a.png"),
      ("///o/a.png", "http://o/a.png"), ("////o/a.png", "http://o/a.png"), (#"\\o\a.png"#, "http://o/a.png"),
      (#"/\o/a.png"#, "http://o/a.png"), (#"x\y.png?a\b"#, #"http://h/p/x/y.png?a\b"#),
      ("  a.png\n", "http://h/p/a.png"), ("a\t.\np\rng", "http://h/p/a.png"), ("ht\ntp://o/a", "http://o/a"),
      ("", "http://h/p/q?r"), ("?x", "http://h/p/q?x"), ("#f", "http://h/p/q?r"), ("a.png#f", "http://h/p/a.png"),
      ("http:a.png", "http://h/p/a.png"), ("http:/a.png", "http://h/a.png"), ("http:///o/a", "http://o/a"),
      ("https:o/a", "https://o/a"), ("https:/o/a", "https://o/a"), (#"https:\\o\a"#, "https://o/a"),
      ("HTTP://O/a", "http://o/a"), ("http://u:p@o/a", "http://o/a"), ("//u@o:81/a", "http://o:81/a"),
      ("http://o:80/a", "http://o/a"), ("http://o", "http://o/"), ("http://o?x", "http://o/?x"),
      ("a b.png", "http://h/p/a%20b.png"), ("\u{FC}.png", "http://h/p/%C3%BC.png"), ("%2e%2E/a", "http://h/a"),
      ("a//b", "http://h/p/a//b"), ("a/./b/../c", "http://h/p/a/c"), ("..", "http://h/"), (".", "http://h/p/"),
      ("a%zz", "http://h/p/a%zz"), ("a?b c", "http://h/p/a?b%20c"), ("http://[::1]:8/a", "http://[::1]:8/a"),
      ("a\"<>^`{}'|[].png", "http://h/p/a%22%3C%3E%5E%60%7B%7D'|[].png"),
      ("a?\"<>'^`{}|", "http://h/p/a?%22%3C%3E%27^`{}|"),
      ("'?#'<", "http://h/p/'?"), ("//127.1/a", "http://127.0.0.1/a"), ("//0x7f000001:8/a?b", "http://127.0.0.1:8/a?b"),
      ("//017700000001/", "http://127.0.0.1/"), ("//1.2.3.4/a", "http://1.2.3.4/a"),
      ("//1.example/a", "http://1.example/a"),
      ("https://u@2130706433/a", "https://127.0.0.1/a"),
    ])
  func resolved(_ reference: String, _ result: String) throws {
    let base = try WebURL("http://me:secret@h/p/q?r#s")
    #expect(try base.resolving(link: reference.utf8Span.span).requestURL == result)
    #expect(try base.resolving(link: reference.utf8Span.span).user == nil)
  }

  @Test(
    "Other schemes, and hosts that cannot be, are refused",
    arguments: [
      "file:///etc/passwd", "javascript:x", "data:image/png,x", "ftp://o/a", "http://", "http://o:x/", "//o o/a",
    ])
  func refused(_ reference: String) throws {
    let base = try WebURL("http://h/p")
    #expect(throws: URLFailure.self) { try base.resolving(link: reference.utf8Span.span) }
  }
}
