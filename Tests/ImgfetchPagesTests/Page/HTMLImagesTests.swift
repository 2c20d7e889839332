import Testing

@testable import ImgfetchPages

/// The pictures of a page, each as its kind and its largest address.
private func pictures(in page: String, cutInto size: Int = Int.max) -> [String] {
  found(in: page, cutInto: size).map {
    switch $0 {
    case .base(let reference): "base \(String(decoding: reference, as: UTF8.self))"
    case .image(let image): "\(image.kind) \(String(decoding: image.largest?.reference ?? [], as: UTF8.self))"
    case .beginBase, .endBase, .source: "another"
    }
  }
}

private func found(in page: String, cutInto size: Int = Int.max) -> [SourceFinding] {
  var tokenizer = HTMLTokenizer()
  var images = HTMLImages()
  var found: [SourceFinding] = []
  let bytes = Array(page.utf8)
  var at = 0
  while at < bytes.count {
    let end = at + min(size, bytes.count - at)
    tokenizer.feed(bytes[at..<end].span, into: &images)
    found += images.takeFound()
    at = end
  }
  tokenizer.finish(into: &images)
  images.finish()
  return found + images.takeFound()
}

@Suite("Pictures of a page")
struct HTMLImagesTests {
  @Test(
    "Each element that shows a picture names it",
    arguments: [
      ("<img src=a.png>", ["image a.png"]),
      ("<image src=a.png>", ["image a.png"]),
      ("<img src=' a.png\n'>", ["image a.png"]),
      ("<img src=''><img>", []),
      ("<input type=IMAGE src=a.png><input src=b.png>", ["image a.png"]),
      ("<video poster=a.png src=film.mp4>", ["image a.png"]),
      (
        "<amp-img src=a.png></amp-img><amp-anim src=b.gif></amp-anim><amp-video poster=c.png src=film.mp4></amp-video>",
        ["image a.png", "image b.gif", "image c.png"]
      ),
      ("<object data=a.svg></object><object data=film.swf></object>", ["image a.svg"]),
      ("<object data=a type=image/png></object>", ["image a"]),
      ("<embed src=a.png>", ["image a.png"]),
      ("<svg><image href=a.png /><image xlink:href=b.png /></svg>", ["image a.png", "image b.png"]),
      ("<body background=a.gif><td background=b.gif>", ["style a.gif", "style b.gif"]),
      ("<p style='background:url(a.png)'>", ["style a.png"]),
      ("<style>p { background: url(a.png) }</style>", ["style a.png"]),
      ("<svg><style>p { background: url(a.png) }</style></svg><img src=b.png>", ["style a.png", "image b.png"]),
      ("<link rel=preload as=image href=a.png>", ["image a.png"]),
      ("<noscript><img src=a.png></noscript>", ["image a.png"]),
      ("<p style='background:url(a.png'>", ["style a.png"]), ("<style>p{background:url(a.png", ["style a.png"]),
      ("<style type=TEXT/CSS>p{background:url(a.png)}</style>", ["style a.png"]),
      ("<p><template shadowrootmode=open><img src=a.png></template><img src=b.png>", ["image a.png", "image b.png"]),
      (
        "<template shadowrootmode=closed><template><img src=a.png></template><img src=b.png></template>",
        ["image b.png"]
      ),
    ])
  func elements(_ page: String, _ expected: [String]) {
    #expect(pictures(in: page) == expected)
    #expect(pictures(in: page, cutInto: 1) == expected)
  }

  @Test(
    "What a browser does not load is no picture of the page",
    arguments: [
      "<template><img src=a.png></template>", "<script>document.write('<img src=a.png>')</script>",
      "<!-- <img src=a.png> -->", "<title><img src=a.png></title>", "<textarea><img src=a.png></textarea>",
      "<iframe><img src=a.png></iframe>", "<audio><source src=a.png></audio>", "<svg><![CDATA[<img src=a.png>]]></svg>",
      "<template shadowrootmode=no><img src=a.png></template>",
      "<template><p><template shadowrootmode=open></template><img src=a.png></template>",
      "<style type=text/less>p{background:url(a.png)}</style>", "<svg style='fill: url(#a)'></svg>",
      "<style>@import url(a.css); @font-face { src: url(a.woff) }</style>",
    ])
  func hidden(_ page: String) {
    #expect(pictures(in: page) == [])
    #expect(pictures(in: page + "</iframe><img src=after.png>") == ["image after.png"])
  }

  @Test(
    "Of all candidates the largest counts",
    arguments: [
      ("<img src=s.jpg srcset='m.jpg 2x, l.jpg 3x'>", "l.jpg"),
      ("<img src=s.jpg srcset='l.jpg 800w, m.jpg 400w'>", "l.jpg"),
      ("<picture><source srcset='a.avif 800w'><img src=s.jpg srcset='b.jpg 800w'></picture>", "b.jpg"),
      ("<picture><source srcset='a.avif 900w'><img src=s.jpg srcset='b.jpg 800w'></picture>", "a.avif"),
      ("<picture><source type=image/webp srcset=a><source srcset=b.jpg><img src=c.jpg></picture>", "c.jpg"),
      ("<img src=blank.gif data-src=a.jpg>", "a.jpg"),
      ("<img src=blank.gif data-srcset='a.jpg 300w, b.jpg 900w'>", "b.jpg"),
      ("<img src=data:image/gif;base64,R0 data-original=a.jpg>", "a.jpg"),
      ("<img src=a.jpg srcset='b.jpg 2w 3x, c.jpg -1w'>", "a.jpg"),
      ("<img src=a.jpg srcset='b.jpg 2.x, c.jpg +2x, d.jpg 2_0x'>", "a.jpg"),
      ("<img src=a.jpg srcset='b.jpg 1.5e1x, c.jpg .9x'>", "b.jpg"),
    ])
  func largest(_ page: String, _ expected: String) {
    #expect(pictures(in: page) == ["image \(expected)"])
  }

  @Test("A hostile page is not kept in memory")
  func bounds() {
    let sources = String(repeating: "<source srcset='a.png 1x'>", count: 10_000)
    for case .image(let image) in found(in: "<picture>\(sources)<img src=b.png></picture>") {
      #expect(image.candidates.count < 300)
    }
    let long = "data:" + String(repeating: "x", count: 500_000)
    for case .image(let image) in found(in: "<img src='\(long)'>") {
      #expect(image.candidates.allSatisfy { $0.reference.count < 70_000 })
    }
  }

  @Test("Links, previews and icons have kinds of their own")
  func kinds() {
    #expect(
      pictures(
        in: """
          <meta property=og:image content=a.png><meta name="twitter:image" content=b.png>
          <link rel="shortcut icon" href=c.ico><link rel=image_src href=d.png><link itemprop=thumbnailUrl href=d>
          <a href="e.JPG?x=1">e</a><a href=page.html>f</a>
          <script type="application/ld+json">{"image": ["g.png", {"@type": "ImageObject", "url": "h.png"}], "url": "i"}</script>
          """)
        == [
          "meta a.png", "meta b.png", "icon c.ico", "meta d.png", "meta d", "link e.JPG?x=1", "meta g.png",
          "meta h.png",
        ])
  }

  @Test("A wiki's page about a picture is no picture, whatever its name ends in")
  func pagesOfWikis() {
    let page = """
      <figure><a href="/wiki/File:Cat.jpg"><img src="//u.org/t/Cat.jpg/220px-Cat.jpg"></a></figure>
      <a href="https://de.e.org/wiki/Datei:Katze.png">K</a><a href="/w/index.php/File:Cat.jpg?uselang=de">C</a>
      <a href="/_detail/n:cat.jpg?id=start"><img src="/_media/n:cat.jpg?w=200"></a><a href="detail/cat.jpg">d</a>
      <a href="/wiki/Cat.jpg">a</a><a href="/wiki/_media/n:cat.jpg">b</a><a href="/photos/n:cat.jpg">c</a>
      """
    #expect(
      pictures(in: page) == [
        "image //u.org/t/Cat.jpg/220px-Cat.jpg", "image /_media/n:cat.jpg?w=200", "link detail/cat.jpg",
        "link /wiki/Cat.jpg", "link /wiki/_media/n:cat.jpg", "link /photos/n:cat.jpg",
      ])
  }

  @Test(
    "Scripts keep pictures in attributes of many names, and switches in some of them",
    arguments: [
      ("<img src=a.jpg data-lazy=true data-retina=2 data-zoom-image='{}'>", ["image a.jpg"]),
      ("<img src=s.jpg data-orig-file=/o.jpg data-large-file=/l.jpg>", ["image /o.jpg"]),
      ("<img data-cfsrc=a.jpg><img data-lazy=/b><img data-src=c>", ["image a.jpg", "image /b", "image c"]),
      (
        "<img src=s.gif data-ezsrc=/a><img data-pagespeed-lazy-src=/b><img src=s data-brsrcset='c.jpg 1x, d.jpg 2x'>",
        ["image /a", "image /b", "image d.jpg"]
      ),
      ("<img data-echo='a?id=1' src=s.gif><p data-bg='b?id=2'>", ["image a?id=1", "style b?id=2"]),
      ("<img src=s.jpg data-flickity-lazyload-srcset='a.jpg 1x, b.jpg 2x'>", ["image b.jpg"]),
      ("<video poster='' data-poster=a.jpg>", ["image a.jpg"]),
      ("<p data-bg=dark><p data-background='#fff'><p data-bg-image=a.jpg>", ["style a.jpg"]),
      ("<p data-bg=\"url('a.jpg')\"><p data-bgset='b.jpg 300w, c.jpg 900w'>", ["style a.jpg", "style c.jpg"]),
      ("<img src='#'><img src='#a' data-src=a.jpg><input type=image src=#>", ["image a.jpg"]),
      ("<img src='#a'><base href=b/><img src='#'><img src='#b'>", ["base b/", "image #b"]),
      ("<img src=a.jpg data-retina=16/9 data-lazy='4 / 3' data-echo=1.5/1>", ["image a.jpg"]),
      ("<img src=a.jpg data-retina=16/9/x><img data-lazy=/16/9>", ["image 16/9/x", "image /16/9"]),
      ("<img data-src='{{ x }}'><img data-src='{{x}}.jpg' src=a.jpg><img src='/p/{% y %}.png'>", ["image a.jpg"]),
      ("<img src=s.jpg data-src='a_{width}x.jpg?v=1' data-widths='[180, 1080, 540]'>", ["image a_1080x.jpg?v=1"]),
      ("<img src=s.jpg data-src=a_{width}x.jpg><img data-src=b_{width}.jpg data-widths=[]>", ["image s.jpg"]),
      ("<img src='<%= z %>'><img src='${z}.png'><p data-src='{{ z }}.jpg'><p data-bg='{{z}}/x'>", []),
      ("<img src='a{1}.png'><img src='a$1%7B%7B.png'>", ["image a{1}.png", "image a$1%7B%7B.png"]),
    ])
  func lazyAttributes(_ page: String, _ expected: [String]) {
    #expect(pictures(in: page) == expected)
  }

  @Test(
    "Linked data names a picture by its address, and not by its name in the page",
    arguments: [
      (
        """
        {"@graph": [{"@type": "WebPage", "url": "http://e.org/", "primaryImageOfPage": {"@id": "http://e.org/#primaryimage"},
        "image": {"@id": "http://e.org/#primaryimage"}}, {"@type": "ImageObject", "@id": "http://e.org/#primaryimage",
        "url": "http://e.org/page", "contentUrl": "http://e.org/a.jpg", "license": "http://e.org/l"}]}
        """, ["meta http://e.org/a.jpg"]
      ),
      (#"{"image": {"@list": ["a.jpg", {"url": "b"}]}}"#, ["meta a.jpg", "meta b"]),
      (#"{"image": {"url": {"@value": "a"}, "author": {"url": "b"}}, "logo": {"@id": "c"}}"#, ["meta a", "meta c"]),
      (#"{"@type": ["Thing", "ImageObject"], "url": "a", "thumbnailUrl": "s"}"#, ["meta a"]),
      (#"[{"image": "a"}]"#, ["meta a"]),
      (
        #"{"@context": {"image": "http://s.org/image", "logo": {"@id": "s:logo", "image": "x"}}, "image": "a"}"#,
        ["meta a"]
      ),
      (#"{"@context": ["http://s.org", {"image": "http://s.org/image"}], "logo": "a"}"#, ["meta a"]),
      (#"{"image": {"@id": "a.jpg#main"}}"#, ["meta a.jpg#main"]),
      (#"{"image": {"url": "page", "thumbnailUrl": "s.jpg"}}"#, ["meta page", "meta s.jpg"]),
      (#"{"@graph": [{"image": {"url": "a", "caption": 'no JSON'}}]}"#, ["meta a"]),
      (#"{"@graph": [{"@type": "ImageObject", "contentUrl": "a""#, ["meta a"]),
      (#"<![CDATA[ {"image": "a"} ]]>"#, ["meta a"]),
      (#"/*<![CDATA[*/ {"image": "a"} /*]]>*/"#, ["meta a"]),
    ])
  func linkedData(_ data: String, _ expected: [String]) {
    for type in ["application/ld+json", "Application/LD+JSON; charset=utf-8"] {
      #expect(pictures(in: "<script type='\(type)'>\(data)</script>", cutInto: 3) == expected)
    }
  }

  @Test("A preview is named once, whatever its scheme, and in any of a meta element's attributes")
  func previews() {
    #expect(
      pictures(
        in: """
          <meta property=og:image content=http://e.org/a.png><meta property=og:image:secure_url content=https://e.org/a.png>
          <meta property=og:image content=http://e.org/b.png><meta property=og:image:secure_url content=https://s.org/b.png>
          <meta property=x name=twitter:image content=c.png>
          """)
        == ["meta https://e.org/a.png", "meta http://e.org/b.png", "meta https://s.org/b.png", "meta c.png"])
  }

  @Test("Of a preview's two schemes https counts, whichever comes first and whatever else is said between them")
  func schemesOfPreviews() {
    let (image, secure) = ("<meta property=og:image content=http://e.org/a>", "<meta property=og:image:secure_url")
    let both = image + "<meta property=og:image:width content=9><meta name=twitter:image content=b>"
    for size in [1, 40, Int.max] {
      #expect(
        pictures(in: "\(both)\(secure) content=https://e.org/a>", cutInto: size) == ["meta https://e.org/a", "meta b"])
      #expect(pictures(in: "\(secure) content=https://e.org/a>\(image)", cutInto: size) == ["meta https://e.org/a"])
      #expect(pictures(in: "\(image)<img src=b>\(secure) content=https://e.org/a>", cutInto: size).last == "image b")
      #expect(pictures(in: "<template>\(image)</template>\(image)", cutInto: size) == ["meta http://e.org/a"])
      let unfilled = "<meta property=og:image content=http://{{x}}>\(secure) content=https://{{x}}>"
      #expect(pictures(in: image + unfilled, cutInto: size) == ["meta http://e.org/a"])
    }
  }

  @Test("The first base counts, from where it stands")
  func base() {
    #expect(
      pictures(in: "<img src=a.png><base href=/x/><base href=/y/><img src=b.png>")
        == ["image a.png", "base /x/", "image b.png"])
  }

  @Test("A figure keeps its pictures, links and styles in the order of the page")
  func order() {
    let page = """
      <figure><img src=a.png><a href=b.png>b</a><p style="background: url(c.png)"></p><base href=/x/><img src=d.png>
      <figcaption>C</figcaption></figure>
      """
    #expect(pictures(in: page) == ["image a.png", "link b.png", "style c.png", "base /x/", "image d.png"])
  }

  @Test(
    "A link to the picture that it shows has the picture's words, however the page is cut",
    arguments: [
      ("<a href=a.png><img src=a.png alt=A></a>", "A"),
      ("<a href=a.png title=T><span><img src=s.png srcset='s.png 300w, a.png 900w' alt=A></span></a>", "A T"),
      ("<a href=a.png><picture><source srcset='a.png 900w'><img src=s.png alt=A title=T></picture></a>", "A T"),
      ("<figure><a href=a.png><img src=a.png alt=A></a><figcaption>C</figcaption></figure>", "A C"),
      ("<a href=a.png><figure><img src=a.png alt=A><figcaption>C</figcaption></figure></a>", "A"),
      ("<a href=a.png><img src=b.png alt=B></a>", ""), ("<a href=a.png>a</a><img src=a.png alt=A>", ""),
      ("<a href=a.png><a href=b.png><img src=a.png alt=A></a>", ""),
    ])
  func linkedPicture(page: String, words: String) {
    for size in [1, 7, .max] {
      let links = found(in: page, cutInto: size).compactMap { finding -> PageImage? in
        if case .image(let image) = finding, image.kind == .link { image } else { nil }
      }
      let told = [links.first?.alt, links.first?.title, links.first?.caption].compactMap { $0 }
      #expect(told.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") == words, "\(size)")
    }
    #expect(pictures(in: page, cutInto: 1) == pictures(in: page))
  }

  @Test("A figure's caption belongs to its pictures")
  func captions() {
    let page = """
      <figure><img src=a.png alt="An  &lt;a&gt;" title=T width=30 height=20px><figcaption> One <b>and</b>
      two </figcaption></figure><img src=b.png>
      """
    var images: [PageImage] = []
    for case .image(let image) in found(in: page) { images.append(image) }
    #expect(images.map { $0.caption.map { String(decoding: $0, as: UTF8.self) } } == ["One and two ", nil])
    #expect(images.first?.alt == Array("An <a>".utf8))
    #expect(images.first?.title == Array("T".utf8))
    #expect(images.first?.width == 30)
    #expect(images.first?.height == nil)
  }
}
