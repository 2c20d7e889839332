import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("SVG") struct SVGWalkTests {
  private func svg(_ attributes: String = "width='9' height='5'", _ content: String = "<rect width='3'/>") -> [UInt8] {
    Array("<svg xmlns=\"http://www.w3.org/2000/svg\" \(attributes)>\(content)</svg>".utf8)
  }

  @Test(
    "The size is that of the root, of its box, or what browsers take",
    arguments: [
      ("width='9' height='5'", 9, 5), ("width='9.6px' height='.4'", 10, 1), ("width='1in' height='72pt'", 96, 96),
      ("width=' 2.54cm ' height='25.4mm'", 96, 96), ("width='2em' height='1e1'", 32, 10), ("", 300, 150),
      ("viewBox='0 0 40 20'", 40, 20), ("viewBox='0,0,40,20' width='80'", 80, 40),
      ("viewBox='0 0 40 20' width='100%' height='100%'", 40, 20), ("viewBox='0 0 40 20' height='5'", 10, 5),
      ("viewBox='0 0 nonsense 20' height='5'", 300, 5),
    ])
  func sizes(attributes: String, width: Int, height: Int) throws {
    let facts = try inspected(svg(attributes)).get()
    #expect((facts.format, facts.width, facts.height, facts.frames) == (.svg, width, height, 1))
    #expect(facts.hasAlpha && facts.flaws.isEmpty && facts.trailingBytes == 0)
  }

  @Test("No size, or one that is too large, is refused")
  func impossibleSizes() {
    #expect(refusal(svg("width='0' height='5'")) == .noPixels(.svg))
    #expect(refusal(svg("width='-3' height='5'")) == .noPixels(.svg))
    #expect(
      refusal(svg("width='1e300' height='1e9'"))
        == .tooManyPixels(width: 4_000_000_000, height: 1_000_000_000, frames: 1, limit: 1 << 28))
  }

  @Test(
    "What may precede the root, or follow it, is passed over",
    arguments: [
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", "\u{FEFF}", "\n\n  ", "<!-- drawn - by > hand -->",
      "<!DOCTYPE svg PUBLIC \"-//W3C//DTD SVG 1.1//EN\" \"http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd\">\n",
      "<?xml version='1.0'?><!-- \(String(repeating: "long ", count: 80)) --><?xml-stylesheet href='a.css'?>",
      "<!DOCTYPE svg [ <!-- an > --> <!ENTITY a 'b>'> <?pi ]?> <!ELEMENT x ANY> ]>",
    ])
  func prologs(prolog: String) throws {
    let bytes = Array(prolog.utf8) + svg()
    #expect(try inspected(bytes).get().width == 9)
    #expect(try inspected(bytes + "\n <!-- end -->".utf8).get().trailingBytes > 0)
    #expect(try inspected(bytes + "\n \n".utf8).get().trailingBytes == 0)
    for length in 0..<bytes.count { #expect(refusal(Array(bytes.prefix(length))) != nil, "\(length)") }
  }

  @Test(
    "A document that is not well-formed is damaged",
    arguments: [
      ("<g></svg>", "an end tag of another element"), ("<g a='1' a='2'/>", "an attribute twice"),
      ("<g a=1/>", "an attribute without quotes"), ("<g a/>", "an attribute without a value"),
      ("<g a='1'b='2'/>", "attributes without a space between"), ("<g a='<'/>", "a tag within another"),
      ("&nbsp;", "an entity that is not declared"), ("a & b", "an ampersand that begins no reference"),
      ("&#0;", "a character that does not exist"), ("< g/>", "a tag without a name"),
      ("<!NOTHING>", "a declaration that does not exist"), ("\u{1}", "a control character"),
    ])
  func illFormed(content: String, reason: String) {
    #expect(damage(svg("", content)) == reason)
  }

  @Test("Bytes that are not UTF-8 are damage, unless the document says that it is in another encoding")
  func encodings() throws {
    let latin: [UInt8] = Array("<svg><text>".utf8) + [0xE9] + Array("</text></svg>".utf8)
    #expect(damage(latin) == "bytes that are not UTF-8")
    #expect(try inspected(Array("<?xml version='1.0' encoding='ISO-8859-1'?>".utf8) + latin).get().width == 300)
    #expect(refusal(svg("", "<text>é &#233; &#xE9; \u{1F600} &amp;&lt;</text>")) == nil)
  }

  @Test("Declared texts are counted and limited; those of other files are never read")
  func entities() throws {
    let namespace =
      "<!DOCTYPE svg [<!ENTITY ns \"http://www.w3.org/2000/svg\">]><svg xmlns=\"&ns;\" width=\"7\" height=\"8\"></svg>"
    #expect(try inspected(Array(namespace.utf8)).get().width == 7)
    var laughs = "<!DOCTYPE svg [<!ENTITY a0 'ha'>"
    for step in 1...30 { laughs += "<!ENTITY a\(step) '&a\(step - 1);&a\(step - 1);'>" }
    #expect(damage(Array((laughs + "]><svg>&a30;</svg>").utf8)) == "entities that expand to more than 1 MB")
    let many = (0..<65).map { "<!ENTITY e\($0) 'x'>" }.joined()
    #expect(damage(Array("<!DOCTYPE svg [\(many)]><svg/>".utf8)) == "more than 64 entities")
    let other = "<!DOCTYPE svg [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><svg>"
    #expect(damage(Array((other + "&x;</svg>").utf8)) == "an entity that stands in another file")
    #expect(refusal(Array((other + "</svg>").utf8)) == nil)
    #expect(
      damage(Array("<!DOCTYPE svg [<!ENTITY % x SYSTEM 'a.dtd'> %x;]><svg/>".utf8))
        == "a document type with entities for declarations")
    let deep = String(repeating: "<g>", count: 2000)
    #expect(damage(svg("", deep)) == "more than 1024 elements within each other")
  }

  @Test("Names are compared as bytes: composed and decomposed ones are two")
  func names() throws {
    #expect(refusal(svg("", "<g \u{E9}='1' e\u{301}='2'/>")) == nil)
    #expect(damage(svg("", "<g \u{E9}='1' \u{E9}='2'/>")) == "an attribute twice")
    #expect(damage(svg("", "<\u{E9}></e\u{301}>")) == "an end tag of another element")
    let many = (0..<20).map { "a\($0)=''" }.joined(separator: " ")
    #expect(refusal(svg("", "<g \(many)/>")) == nil)
    #expect(damage(svg("", "<g \(many) a7=''/>")) == "an attribute twice")
  }

  @Test(
    "What is no script is no flaw",
    arguments: [
      "<animate attributeName='opacity' from='0' to='1' values='0;1'/>", "<a href='https://example.org/javascript:'/>",
      "<image href='data:image/svg+xml;base64,AA=='/>", "<use href='#a'/>", "<a href='data:image/png;base64,AA=='/>",
      "<font-face-uri href='data:font/woff2;base64,AA=='/>",
      "<g style='fill:url(#a);stroke:red' label='script: x'/>",
      "<foreignObject><p xmlns='http://www.w3.org/1999/xhtml'>text</p></foreignObject>",
      "<?xml-stylesheet href='a.css'?>",
    ])
  func harmless(content: String) throws {
    #expect(try inspected(svg("", content)).get().flaws.isEmpty)
  }

  @Test(
    "Scripts are a flaw",
    arguments: [
      "<script>x</script>", "<a href=' javascript:x'/>", "<g onclick='x'/>", "<svg:script xmlns:svg='x'/>",
      "<SCRIPT/>", "<script href='a.js'/>", "<g ONLOAD='x'/>", "<animate onbegin='x'/>", "<set onend='x'/>",
      "<a xlink:href='JavaScript:x'/>", "<a href='java&#9;script:x'/>", "<a href='&#106;avascript:x'/>",
      "<a href='\n vbscript:x'/>", "<a href='data:text/html,x'/>", "<a href='data:image/svg+xml,x'/>",
      "<use href='data:image/svg+xml;base64,AA==#x'/>", "<use xlink:href='data:application/xml,x#x'/>",
      "<set attributeName='href' to='x'/>", "<set attributeName='xlink:href' to='javascript:x'/>",
      "<animate attributeName='onclick' to='x'/>", "<animate values='#a;javascript:x'/>",
      "<animate from='javascript:x'/>",
      "<animate by=' javascript:x'/>", "<animate values='\(String(repeating: "#a;", count: 300))javascript:x'/>",
      "<handler type='text/ecmascript'/>", "<listener event='click'/>", "<g xml:base='javascript:'/>",
      "<feImage href='javascript:x'/>", "<g style='background:url(javascript:x)'/>",
      "<foreignObject><iframe/></foreignObject>", "<h:iframe xmlns:h='x' srcdoc='x'/>", "<embed src='a.swf'/>",
      "<object data='x'/>", "<applet/>", "<form action='javascript:x'/>", "<button formaction='x'/>",
      "<meta http-equiv='refresh' content='0;url=javascript:x'/>", "<video src='x' onerror='x'/>",
      "<?xml-stylesheet type='text/xsl' href='a.xsl'?>", "<?xml-stylesheet href='javascript:x'?>",
    ])
  func scripts(content: String) throws {
    #expect(try inspected(svg("", content)).get().flaws.all == [.script])
  }

  @Test(
    "A document of another kind is none",
    arguments: [
      ("<?xml version=\"1.0\"?><rss><channel/></rss>", "HTML or XML"),
      ("<!-- a page --><!doctype html><html><body><svg/></body></html>", "an HTML page"),
      ("<?xml version=\"1.0\"?><!DOCTYPE html PUBLIC \"x\" \"y\"><html xmlns=\"z\"></html>", "an HTML page"),
      ("<svg xmlns=\"http://www.w3.org/1999/xhtml\"></svg>", ""), ("<svgs></svgs> and some more words", ""),
    ])
  func others(text: String, name: String) {
    switch refusal(Array(text.utf8)) {
    case .notImage(let found): #expect(found.hasPrefix(name))
    case .damaged(.svg, _, _): #expect(name.isEmpty)
    case let failure: Issue.record("\(String(describing: failure))")
    }
  }
}
