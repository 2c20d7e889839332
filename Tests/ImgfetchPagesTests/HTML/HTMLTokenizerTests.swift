import Testing

@testable import ImgfetchPages

@Suite("HTML tokenizer")
struct HTMLTokenizerTests {
  @Test(
    "Tags and attributes are read as browsers read them",
    arguments: [
      ("<A HREF=x>", [#"<"a" "href"="x">"#]),
      ("<img src='a b' alt>", [#"<"img" "alt"="" "src"="a b">"#]),
      ("<a x=1 X=2>", [#"<"a" "x"="1">"#]),
      ("<br/>", [#"<"br" />"#]),
      ("<a/b=c>", [#"<"a" "b"="c">"#]),
      ("</P >", [#"</"p">"#]),
      ("<a b", []),
      ("1 < 2", [#""1 < 2""#]),
      ("<p>a\r\nb\rc", [#"<"p">"#, #""a\nb\nc""#]),
    ])
  func tags(_ page: String, _ expected: [String]) {
    #expect(tokens(of: page) == expected)
    #expect(tokens(of: page, cutInto: [1]) == expected)
  }

  @Test(
    "References are undone in text and in attributes",
    arguments: [
      ("a&amp;b", [#""a&b""#]),
      ("&ampx", [#""&x""#]),
      ("&notit;", [#""¬it;""#]),
      ("&#x41;&#66;", [#""AB""#]),
      ("&#x80;", [#""€""#]),
      ("&#0;&#x110000;", ["\"\u{FFFD}\u{FFFD}\""]),
      ("&unknown;", [#""&unknown;""#]),
      ("<a b='?x&copy=1'>", [#"<"a" "b"="?x&copy=1">"#]),
      ("<a b='&copy;&copy'>", [#"<"a" "b"="©©">"#]),
      ("&NotEqualTilde;", ["\"\u{2242}\u{338}\""]),
    ])
  func references(_ page: String, _ expected: [String]) {
    #expect(tokens(of: page) == expected)
    #expect(tokens(of: page, cutInto: [1]) == expected)
  }

  @Test("Tags in scripts, styles and titles are text")
  func content() {
    let contents: [String: HTMLContent] = ["script": .script, "style": .rawText, "title": .rcdata]
    #expect(
      tokens(of: "<script>a<img></scrip></script >b", contents: contents)
        == [#"<"script">"#, #""a<img></scrip>""#, #"</"script">"#, #""b""#])
    #expect(
      tokens(of: "<script><!--<script></script>--></script>", contents: contents)
        == [#"<"script">"#, #""<!--<script></script>-->""#, #"</"script">"#])
    #expect(
      tokens(of: "<style>&amp;</style>", contents: contents) == [#"<"style">"#, #""&amp;""#, #"</"style">"#])
    #expect(
      tokens(of: "<title>&amp;<b></TITLE>", contents: contents) == [#"<"title">"#, #""&<b>""#, #"</"title">"#])
  }

  @Test("A section of text is one only within SVG and MathML")
  func sections() {
    #expect(tokens(of: "<![CDATA[<b>]]]>c", isForeign: true) == [#""<b>]c""#])
    #expect(tokens(of: "<![CDATA[<b>]]>c") == [##"<!--"[CDATA[<b"-->"##, #""]]>c""#])
  }

  @Test("A tag keeps a bounded number of attributes, and its bytes are bounded")
  func bounds() {
    let many = (0..<1_000).map { "a\($0)=\($0)" }.joined(separator: " ")
    var tokenizer = HTMLTokenizer()
    var collector = TokenCollector()
    tokenizer.feed(Array("<p \(many) x='\(String(repeating: "y", count: 3 << 20))'>".utf8).span, into: &collector)
    collector.finish()
    #expect(collector.tokens.count == 1)
    #expect(collector.tokens.joined().utf8.count < HTMLTag.mostBytes + 4_096)
    #expect(collector.tokens.joined().contains(#""a63"="63""#))
  }
}
