import Testing

@testable import ImgfetchPages

@Suite("Sources of all kinds")
struct SourceReaderTests {
  @Test(
    "The bytes of a text say what it is",
    arguments: [
      ("<!DOCTYPE html><p>", SourceNature.html), ("\n <!-- x --><html>", .html),
      ("<?xml version='1.0'?><html>", .xhtml),
      ("<?xml version='1.0'?><rss>", .xml), ("<urlset>", .xml), ("<!-- x --><a:feed>", .xml), ("<rdf:RDF>", .xml),
      ("<?xml version='1.0'?><x>", .xml), (#"{"a": 1}"#, .json), ("[]", .json), (" [ {", .json), ("[\"a\"", .json),
      ("[![x](y)](z)", .markdown), ("[a]: b", .markdown), ("# Title\n\ntext", .markdown), ("text ![a](b)", .markdown),
      ("a { color: red }", .css), ("/* x */ @media print {", .css), (".a, .b > c { x: url(y) }", .css),
      ("url,caption\n", .table(separator: 0x2C)), ("a\tURL\n", .table(separator: 0x09)),
      ("a;b\nhttp://x/y;2\n", .table(separator: 0x3B)), ("url\nx\n", .table(separator: 0x2C)), ("text", .text),
      ("http://a/b\nhttp://c/d", .text), ("# a comment\nhttp://a/b", .text), ("", .text), ("{{ x }}", .text),
      ("{\"a\": 1}\n{\"a\": 2}\n", .records), ("{\n\"a\": {}\n}", .json), ("[{}]\n[{}]", .json),
    ])
  func nature(_ text: String, _ nature: SourceNature) {
    #expect(SourceNature(Array(text.utf8), ending: nil) == nature)
  }

  @Test(
    "Text that begins with a tag is HTML, unless its name says that it is Markdown",
    arguments: [
      ("<meta charset=utf-8><script>x='![a](b.jpg)'</script>", nil, SourceNature.html),
      (" <p>a <b>b</b> ](c)", nil, .html), ("<BODY>\n# T\n\n", "txt", .html), ("<a href=x>[a](b)</a>", nil, .html),
      ("<p align=center><img src=a.png></p>\n\n# T\n\n", "md", .markdown), ("<meta a>[a](b)", "markdown", .markdown),
      ("<!-- x -->\n# T\n\n[a](b)", "md", .markdown), ("<!DocType html>[a](b)", "md", .html),
      ("<html>[a](b)", "md", .html), ("<https://e.org/> [a](b)", nil, .markdown),
      ("<https://e.org/> [a](b)", "html", .html), ("text [a](b) <img src=c>", "html", .html),
      ("text [a](b)", "html", .markdown), ("[1, 2]", "html", .json), ("<?xml version='1.0'?><x>[a](b)</x>", nil, .xml),
      ("<rss>[a](b)", "html", .xml), ("<?xml version='1.0'?><html>", "html", .html),
      ("<!doctype html><html>", "xhtml", .xhtml), ("<?xml version='1.0'?><x>", "xhtml", .xml),
    ] as [(String, String?, SourceNature)])
  func html(_ text: String, _ ending: String?, _ nature: SourceNature) {
    #expect(SourceNature(Array(text.utf8), ending: ending) == nature)
  }

  @Test("Any text gives the same in whatever pieces it comes", arguments: [1, 7, 4_096])
  func pieces(_ size: Int) {
    for text in Self.texts {
      var whole = SourceReader()
      whole.feed(Array(text.utf8).span)
      whole.finish()
      var reader = SourceReader()
      var found: [SourceFinding] = []
      for start in stride(from: 0, to: text.utf8.count, by: size) {
        reader.feed(Array(text.utf8.dropFirst(start).prefix(size)).span)
        found += reader.takeFound()
      }
      reader.finish()
      let expected = whole.takeFound()
      #expect(found + reader.takeFound() == expected && !expected.isEmpty, "\(text)")
    }
  }

  @Test("In HTML that is written as XML, a tag can end its element itself, and text can stand in sections")
  func xhtml() {
    let page = """
      <html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="a.js"/><style/></head><body><img src="a.png"/>
      <template/><textarea/><iframe src="b"/><svg><svg/><image href="b.png"/></svg><![CDATA[<img src="no.png">]]>
      <figure><img src="c.png"/></figure><style><![CDATA[p { background: url(d.png) }]]></style></body></html>
      """
    for (beginning, ending) in [("<?xml version='1.0'?>\n", nil), ("<!doctype html>", "xhtml")] {
      var reader = SourceReader(ending: ending)
      reader.feed(Array((beginning + page).utf8).span)
      reader.finish()
      let found = reader.takeFound().map { finding -> String in
        guard case .image(let image) = finding else { return "" }
        return String(decoding: image.largest?.reference ?? [], as: UTF8.self)
      }
      #expect(found == ["a.png", "b.png", "c.png", "d.png"])
    }
  }

  @Test("The query of an address is in the encoding of its page, the rest of it in UTF-8")
  func queries() {
    var reader = SourceReader(label: Array("windows-1251".utf8))
    let page = "<img src='\u{436}?\u{436}&auml;#\u{436}'><p style='background:url(\u{436}?\u{436})'>"
    let bytes: [UInt8] = page.unicodeScalars.map { $0.isASCII ? UInt8($0.value) : 0xE6 }
    reader.feed(bytes.span)
    reader.finish()
    var references: [String] = []
    for case .image(let image) in reader.takeFound() {
      references.append(String(decoding: image.largest?.reference ?? [], as: UTF8.self))
    }
    #expect(references == ["\u{436}?%E6%26%23228%3B#\u{436}", "\u{436}?\u{436}"])
  }

  @Test("Pictures of a JSON text that says nothing else are told of before its end")
  func early() {
    var reader = SourceReader()
    let text = "[" + String(repeating: "\"http://h/a.png\",", count: 5_000)
    reader.feed(Array(text.utf8).span)
    #expect(reader.takeFound().count > 2_000)
  }

  @Test("Broken sources end without a crash, and give what came before")
  func mutations() {
    var random = Steps()
    for text in Self.texts {
      let bytes = Array(text.utf8)
      for _ in 0..<500 {
        var changed = bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let at = Int.random(in: 0..<changed.count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: changed[at] = UInt8.random(in: 0...255, using: &random)
          case 1: changed.removeSubrange(at..<min(changed.count, at + 9))
          default: changed.insert(contentsOf: changed[at..<min(changed.count, at + 40)], at: at)
          }
          if changed.isEmpty { changed = [0] }
        }
        var reader = SourceReader()
        reader.feed(changed.span)
        reader.finish()
        #expect(reader.takeFound().count < 100)
      }
    }
  }

  @Test("A page that scripts fill is known by what it has")
  func scripts() {
    func isFilled(_ text: String) -> Bool {
      var reader = SourceReader()
      reader.feed(Array(text.utf8).span)
      reader.finish()
      return reader.isFilledByScripts
    }
    #expect(
      isFilled("<html><head><script src=a></script></head><body><div id=root></div><noscript>Switch it on</noscript>"))
    #expect(!isFilled("<p>text"))
    #expect(!isFilled("<script></script>" + String(repeating: "<p>text</p>", count: 20)))
  }

  /// Numbers that look random, the same each time.
  private struct Steps: RandomNumberGenerator {
    private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 33
    }
  }

  static let texts = [
    "<!doctype html><base href=/x/><img src=a.png><figure><img src=b.png><figcaption>C</figcaption></figure>",
    """
    <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY e "E">]><rss><channel><item><title>A &e; &amp; b</title>
    <enclosure url="http://e.org/a.jpg?a=1&b=2" type="image/jpeg"/><description><![CDATA[<img src=/d.png> ]] ]]></description>
    </item></channel></rss>
    """,
    "<sitemapindex><sitemap><loc> http://e.org/a.xml </loc></sitemap></sitemapindex>",
    #"{"a": [{"image": "/x", "b": "http://e.org/y.png"}], "content_html": "<img src=z.png>"}"#,
    """
    {"@context": "http://iiif.io/api/presentation/2/context.json", "sequences": [{"canvases": [{"label": "1r", "images":
    [{"resource": {"@id": "http://m.org/1.jpg"}}]}]}]}
    """,
    "a { background: image-set(\"a.png\" 1x, url(b.png) 2x) }", "![a](b.png) [c]\n\n[c]: d.png\n# T\n\n![c]\n",
    "url,alt\nhttp://e.org/a,\"x\n\"\"y\"\"\"\n", "http://e.org/a.png and http://e.org/b\nhttp://e.org/c\n",
  ]
}
