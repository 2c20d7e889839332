import Testing

@testable import ImgfetchPages

@Suite("Pictures of a style sheet")
struct CSSImagesTests {
  @Test(
    "url() and image-set() name pictures",
    arguments: [
      ("a{background:url(a.png)}", ["a.png"]),
      ("a{background:URL( 'a b.png' )}", ["a b.png"]),
      (#"a{background:url(a\20 b.png)}"#, ["a b.png"]),
      (#"a{background:u\72l(a.png)}"#, ["a.png"]),
      ("a{background:url(a.png),url(b.png)}", ["a.png", "b.png"]),
      ("a{background:/* url(a.png) */ url(b.png)}", ["b.png"]),
      ("a{content:'url(a.png)'}", []),
      ("a{background:image-set('a.png' 1x, url(b.png) 2x, 'c.png' 144dpi)}", ["b.png"]),
      ("a{background:-webkit-image-set(url(a.png) 1x)}", ["a.png"]),
      ("a{background:linear-gradient(url(a.png))}", ["a.png"]),
      ("@import url(a.css);a{background:url(b.png)}", ["b.png"]),
      ("@font-face{src:url(a.woff)}a{background:url(b.png)}", ["b.png"]),
      ("@media print{a{background:url(a.png)}}", ["a.png"]),
      ("background:url(a.png", ["a.png"]), ("background:url( a.png ", ["a.png"]), ("background:url('a.png", ["a.png"]),
      (#"background:url(\61"#, ["a"]), ("background:image-set('a.png' 1x, 'b.png' 2x", ["b.png"]),
      ("a{background:url(a b.png)}b{background:url(c.png)}", ["c.png"]),
      ("a{background:url(a'b.png)}b{background:url(c.png)}", ["c.png"]),
      (#"a{background:url(a b\).png)}b{background:url(c.png)}"#, ["c.png"]),
      ("a{background:url(\r\n a.png\r\n)}b{background:url('b\\\r\n.png')}", ["a.png", "b.png"]),
      ("a{background:url('a\r.png')}b{background:url(b.png)}", []),
      ("a{background:url('a\r)}b{background:url(b.png)}", ["b.png"]),
      ("a{background:url( a.png\n)}", ["a.png"]), ("a{fill:url(#b);filter:url('#c')}", []),
    ])
  func addresses(_ sheet: String, _ expected: [String]) {
    #expect(found(in: sheet, cutInto: Int.max) == expected)
    #expect(found(in: sheet, cutInto: 1) == expected)
  }

  @Test("The candidates of a picture are limited")
  func limit() {
    var css = CSSImages()
    css.feed(
      Array(("a{background:image-set(" + String(repeating: "url(a.png) 1x,", count: 5_000) + "url(b.png))}").utf8).span)
    css.finish()
    #expect(css.takeFound().map(\.candidates.count) == [256])
  }

  private func found(in sheet: String, cutInto size: Int) -> [String] {
    var css = CSSImages()
    let bytes = Array(sheet.utf8)
    var at = 0
    while at < bytes.count {
      let end = at + min(size, bytes.count - at)
      css.feed(bytes[at..<end].span)
      at = end
    }
    css.finish()
    return css.takeFound().map { String(decoding: $0.largest?.reference ?? [], as: UTF8.self) }
  }
}
