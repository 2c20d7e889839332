import Testing

@testable import ImgfetchPages

@Suite("Pictures of feeds and site maps")
struct FeedImagesTests {
  private func found(_ text: String) -> [SourceFinding] {
    var feed = FeedImages()
    feed.feed(Array(text.utf8).span)
    feed.finish()
    return feed.takeFindings()
  }

  private func urls(_ text: String) -> [String] {
    found(text).compactMap {
      if case .image(let image) = $0 { String(decoding: image.largest?.reference ?? [], as: UTF8.self) } else { nil }
    }
  }

  @Test("Ampersands that begin nothing are text, as feeds have them")
  func ampersands() {
    #expect(urls("<rss><item><enclosure url='a.jpg?a=1&b=2&amp;c&copy;'/></item></rss>") == ["a.jpg?a=1&b=2&c&copy;"])
    #expect(urls("<rss><item><description>a & b &nbsp; &lt;img src=x.png&gt;</description></item></rss>") == ["x.png"])
  }

  @Test("An enclosure whose type tells no kind is known by its address")
  func typesOfEnclosures() {
    let item = """
      <rss><item><enclosure url="a.jpg" type="jpg"/><enclosure url="b.png" type="application/octet-stream"/>
      <enclosure url="c.mp3" type="mp3"/><enclosure url="d.jpg" type="audio/mpeg"/><enclosure url="e" type="image/png"/></item></rss>
      """
    #expect(urls(item) == ["a.jpg", "b.png", "e"])
  }

  @Test("Entities are bounded, and those of other files are never read")
  func entities() {
    let bomb =
      "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'>"
      + (0..<20).map { "<!ENTITY a\($0 + 1) '&a\($0 == 0 ? "" : "\($0)");&a\($0 == 0 ? "" : "\($0)");'>" }.joined()
      + "]>"
    var feed = FeedImages()
    feed.feed(
      Array((bomb + "<rss><item><title>" + String(repeating: "&a20;", count: 100) + "</title></item></rss>").utf8).span)
    #expect(feed.fault?.contains("entities") == true)
    var file = FeedImages()
    file.feed(Array("<!DOCTYPE r [<!ENTITY f SYSTEM 'file:///etc/passwd'>]><rss><title>&f;</title></rss>".utf8).span)
    #expect(file.fault == "its XML has an entity that stands in another file")
  }

  @Test("XHTML in an entry, and thumbnails within a medium")
  func nested() {
    let atom = """
      <feed><entry><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><img src="a.png" alt="A"/></div></content></entry>
      <entry><m:content xmlns:m="x" url="v.mp4" type="video/mp4"><m:thumbnail url="t.jpg" width="10"/></m:content>
      <m:content xmlns:m="x" url="b.png" type="image/png" width="900"><m:thumbnail url="s.png" width="90"/><m:title>B</m:title></m:content></entry></feed>
      """
    #expect(urls(atom) == ["a.png", "t.jpg", "b.png"])
    let image = found(atom).compactMap { if case .image(let image) = $0 { image } else { nil } }.last
    #expect(image?.label.map { String(decoding: $0, as: UTF8.self) } == "B")
  }

  @Test("XHTML in an entry has candidates and links like a page")
  func markup() {
    let atom = """
      <feed><entry><content type="xhtml"><div><picture><source srcset="l.webp 2x" type="image/webp"/><img src="s.jpg"/></picture>
      <img src="b.jpg" srcset="c.jpg 2x"/><a href="d.jpg">d</a><a href="page.html">e</a></div></content>
      <link rel="alternate" href="f.jpg"/></entry></feed>
      """
    #expect(urls(atom) == ["l.webp", "c.jpg", "d.jpg"])
  }

  @Test("XHTML in an entry has all images that a page can have")
  func page() {
    let atom = """
      <feed><entry><content type="xhtml"><h:div xmlns:h="http://www.w3.org/1999/xhtml"><h:img data-src="a.png" src="data:,"/>
      <h:p style="background:url(b.png)"/><h:video poster="c.png"/><svg><image href="d.png"/></svg>
      <figure><img src="e.png"/><figcaption>One <b>two</b></figcaption></figure><style>p { background: url(f.png) }</style>
      <template><img src="no.png"/></template></h:div></content></entry><entry><img src="no.png"/></entry></feed>
      """
    #expect(urls(atom) == ["a.png", "b.png", "c.png", "d.png", "e.png", "f.png"])
    let images = found(atom).compactMap { if case .image(let image) = $0 { image } else { nil } }
    #expect(images.first { $0.caption != nil }?.caption.map { String(decoding: $0, as: UTF8.self) } == "One two")
  }

  @Test("XHTML that is cut off within a figure has its images")
  func cutOff() {
    let feed = "<feed><entry><content type='xhtml'><div><img src='a.png'/><figure><img src='b.png'/><figcaption>One"
    #expect(urls(feed) == ["a.png", "b.png"])
    #expect(urls(feed + "</p>") == ["a.png", "b.png"])
  }

  @Test("A base in XHTML holds for its own element, and not for what waits before it")
  func basesInXHTML() {
    let feed = """
      <feed><entry><content type="xhtml"><figure><img src="a.png"/><p xml:base="b/"><img src="c.png"/></p></figure>
      <img xml:base="d/" src="e.png"/><img src="f.png"/></content></entry></feed>
      """
    let order = found(feed).map { finding in
      switch finding {
      case .image(let image): String(decoding: image.largest?.reference ?? [], as: UTF8.self)
      case .beginBase(let base): String(decoding: base, as: UTF8.self)
      case .endBase: "end"
      case .base, .source: "another"
      }
    }
    #expect(order == ["a.png", "b/", "c.png", "end", "d/", "e.png", "end", "f.png"])
  }

  @Test("Former ways to give an entry its text and its image are read")
  func formerWays() {
    let feed = """
      <rss xmlns:i="x" xmlns:h="http://www.w3.org/1999/xhtml"><channel><i:image url="a.png"/><item><i:link rel="image" href="b"/>
      <h:body><h:p><h:img src="c.png"/></h:p></h:body><fullitem>&lt;img src="d.png"&gt;</fullitem></item></channel></rss>
      """
    #expect(urls(feed) == ["a.png", "b", "c.png", "d.png"])
  }

  @Test("The pictures of an export of WordPress are its attachments, too")
  func attachments() {
    let item = "<item><title>A Cat</title><x:attachment_url><![CDATA[https://e.org/a.jpg]]></x:attachment_url></item>"
    let film = "<item><title>B</title><x:attachment_url>https://e.org/b.mp4</x:attachment_url></item>"
    let feed = "<rss xmlns:x='http://wordpress.org/export/1.2/'><channel>\(item)\(film)</channel></rss>"
    #expect(urls(feed) == ["https://e.org/a.jpg"])
    guard case .image(let image)? = found(feed).first else { return }
    #expect(image.caption == Array("A Cat".utf8))
  }

  @Test("The pictures of products and of podcasts are in elements of their own")
  func products() {
    let item = """
      <item><g:title>A Cat</g:title><g:image_link>https://e.org/a?id=1</g:image_link>
      <g:additional_image_link> https://e.org/b.jpg </g:additional_image_link></item>
      """
    let sizes = "<p:images srcset='https://e.org/l.jpg 1500w, https://e.org/s.jpg 300w'/>"
    let feed = "<rss xmlns:g='http://base.google.com/ns/1.0' xmlns:p='x'><channel>\(sizes)\(item)</channel></rss>"
    #expect(urls(feed) == ["https://e.org/l.jpg", "https://e.org/a?id=1", "https://e.org/b.jpg"])
    guard case .image(let image)? = found(feed).last else { return }
    #expect(image.caption == Array("A Cat".utf8))
  }

  @Test("The text of an element for a picture is its address, in any XML, where it is one")
  func addressesAsText() {
    let feed = """
      <rss><channel><image><url>https://e.org/logo</url><title>T</title></image><item><title>A</title>
      <image>https://e.org/a</image><h:imageurl xmlns:h="x">https://e.org/b.jpg</h:imageurl>
      <thumbnail> a small one </thumbnail><photo>https://e.org/c d</photo></item></channel></rss>
      """
    #expect(urls(feed) == ["https://e.org/logo", "https://e.org/a", "https://e.org/b.jpg"])
    let shop = """
      <?xml version="1.0"?><yml_catalog><offers><offer><url>https://e.org/p</url><picture>https://e.org/p/1</picture>
      <picture>https://e.org/p/2</picture></offer><SHOPITEM><IMGURL>https://e.org/p/3.jpg</IMGURL></SHOPITEM></offers></yml_catalog>
      """
    #expect(urls(shop) == (1...3).map { "https://e.org/p/\($0)\($0 == 3 ? ".jpg" : "")" })
  }

  @Test("A title or a description in HTML is told without its tags")
  func describedInMarkup() {
    let atom = """
      <feed xmlns:media="x"><entry><title type="html">A &lt;b&gt;cat&lt;/b&gt;&amp;amp;&lt;br&gt;dog</title>
      <link rel="enclosure" type="image/png" href="a.png"/></entry>
      <entry><media:content url="b.png" type="image/png"><media:title type="plain">1 &lt; 2</media:title>
      <media:description type="html">&lt;p&gt;One&lt;/p&gt;&lt;p&gt;two&lt;/p&gt;</media:description></media:content></entry></feed>
      """
    let images = found(atom).compactMap { if case .image(let image) = $0 { image } else { nil } }
    #expect(images.count == 2)
    #expect(images.first?.caption.map { String(decoding: $0, as: UTF8.self) } == "A cat& dog")
    #expect(images.last?.title.map { String(decoding: $0, as: UTF8.self) } == "1 < 2")
    #expect(images.last?.alt.map { String(decoding: $0, as: UTF8.self) } == "One two")
  }

  @Test("A text that breaks off has a fault")
  func fault() {
    var feed = FeedImages()
    feed.feed(Array("<rss><item>".utf8).span)
    feed.finish()
    #expect(feed.fault == "its XML has no end of its root")
  }
}
