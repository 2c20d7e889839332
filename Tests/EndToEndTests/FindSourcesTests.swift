import Glibc
import TestSupport
import Testing

/// The kinds of sources that `find` reads.
@Suite("Sources of images") struct FindSourcesTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private func find(_ text: String, type: String = "text/plain", _ arguments: String...) throws -> Outcome {
    server.serve("/source", Array(text.utf8), type: type)
    return try program.run(["find"] + arguments + [server.url("/source")])
  }

  private func urls(_ outcome: Outcome) -> [String] { outcome.rows.map { $0[0] } }

  @Test("A feed's enclosures, media and the pictures in its HTML")
  func feed() throws {
    let outcome = try find(
      """
      <?xml version="1.0"?><rss xmlns:media="http://search.yahoo.com/mrss/"><channel><image><url>http://e.org/logo.png</url></image>
      <item><title>An entry</title><enclosure url="http://e.org/a.jpg" type="image/jpeg"/><enclosure url="http://e.org/a.mp3" type="audio/mpeg"/>
      <media:group><media:content url="http://e.org/s.jpg" width="100" medium="image"/><media:content url="http://e.org/l.jpg" width="900"
       medium="image"/></media:group>
      <description>&lt;p&gt;&lt;img src="http://e.org/d.png"&gt; &amp; more</description></item>
      <item><media:thumbnail url="http://e.org/t.jpg"/><content:encoded xmlns:content="x"><![CDATA[<img src=http://e.org/e.png>]]></content:encoded></item>
      </channel></rss>
      """, "--table")
    #expect(
      urls(outcome).dropFirst() == [
        "http://e.org/logo.png", "http://e.org/a.jpg", "http://e.org/l.jpg", "http://e.org/d.png", "http://e.org/t.jpg",
        "http://e.org/e.png",
      ], "\(outcome)")
    #expect(outcome.rows[2][1] == "An entry" && outcome.rows[2][2] == "feed", "\(outcome)")
  }

  @Test("Atom's enclosures and content")
  func atom() throws {
    let outcome = try find(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://e.org/x/"><logo>logo.png</logo><entry><title>T</title>
      <link rel="enclosure" type="image/png" href="a.png"/><link rel="alternate" href="p.png"/>
      <content type="html">&lt;img src='b.png'&gt;</content></entry></feed>
      """)
    #expect(urls(outcome) == ["http://e.org/x/logo.png", "http://e.org/x/a.png", "http://e.org/x/b.png"], "\(outcome)")
  }

  @Test("Markdown in lists, XHTML and a style sheet with CR LF name their images")
  func writtenOtherwise() throws {
    let items = "# T\n\n1. x\n\n    ![a](/a.png?x=1&amp;y=2)\n\n"
    let markdown = try find(items + "<div>\n    <img src='/b.png'>\n</div>\n\n`<img src='/no.png'>`\n")
    #expect(urls(markdown) == [server.url("/a.png?x=1&y=2"), server.url("/b.png")], "\(markdown)")
    let xhtml = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/></head><body><img src='/a.png'/></html>"
    let page = try find(xhtml, type: "application/xhtml+xml")
    #expect(urls(page) == [server.url("/a.png")], "\(page)")
    #expect(try find(xhtml, type: "text/html").exitCode == 5)
    let sheet = try find("a {\r\n  background: url(\r\n    /a.png\r\n  );\r\n}\r\n", type: "text/css")
    #expect(urls(sheet) == [server.url("/a.png")], "\(sheet)")
  }

  @Test("A base within a base of Atom is relative to it, and holds for its element alone")
  func bases() throws {
    let outcome = try find(
      """
      <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://e.org/base/"><logo xml:base="l/">logo.png</logo>
      <entry xml:base="sub/"><title>T</title><link rel="enclosure" type="image/png" href="e.png"/>
      <content type="html" xml:base="deep/">&lt;img src="c.png"&gt;</content>
      <link rel="enclosure" type="image/png" href="f.png"/></entry>
      <entry><link rel="enclosure" type="image/png" href="g.png"/></entry>
      <entry xml:base="/top/"><link rel="enclosure" type="image/png" href="h.png"/></entry></feed>
      """, "--table")
    #expect(
      urls(outcome).dropFirst() == [
        "http://e.org/base/l/logo.png", "http://e.org/base/sub/e.png", "http://e.org/base/sub/deep/c.png",
        "http://e.org/base/sub/f.png", "http://e.org/base/g.png", "http://e.org/top/h.png",
      ], "\(outcome)")
    #expect(outcome.rows.dropFirst().map { $0[1] } == ["", "T", "T", "T", "", ""], "\(outcome)")
  }

  @Test("A site map's images, and the maps of an index, in order and within --max-pages")
  func siteMaps() throws {
    let maps = (1...3).map { "<sitemap><loc>\(server.url("/map\($0).xml"))</loc></sitemap>" }.joined()
    for number in 1...3 {
      server.serve(
        "/map\(number).xml",
        Array(
          """
          <urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://e.org/page</loc>
          <image:image><image:loc>http://e.org/\(number).jpg</image:loc><image:title>No. \(number)/x</image:title></image:image></url></urlset>
          """.utf8), type: "application/xml")
    }
    let index = "<?xml version='1.0'?><sitemapindex>\(maps)</sitemapindex>"
    let outcome = try find(index)
    #expect(outcome.exitCode == 0 && urls(outcome) == (1...3).map { "http://e.org/\($0).jpg" }, "\(outcome)")
    #expect(outcome.rows[0][1] == "stem=No. 1x", "\(outcome)")
    let two = try find(index, "--max-pages", "2")
    #expect(two.exitCode == 0 && urls(two).count == 2 && two.errorText.contains("--max-pages"), "\(two)")
    let none = try find(index, "--max-pages", "0")
    #expect(none.exitCode == 5 && none.errorText.contains("none of the pages"), "\(none)")
  }

  @Test("An index whose maps name no images is told of, once")
  func emptyMaps() throws {
    server.serve("/map.xml", Array("<urlset><url><loc>http://e.org/p</loc></url></urlset>".utf8), type: "text/xml")
    server.serve("/page", Array("<img src=a.png>".utf8), type: "text/html")
    let index = "<sitemapindex><sitemap><loc>\(server.url("/map.xml"))</loc></sitemap></sitemapindex>"
    let outcome = try find(index)
    #expect(outcome.exitCode == 5 && outcome.lines.isEmpty, "\(outcome)")
    let said = outcome.errorText.split(separator: "\n").filter { $0.contains("no images in it") }
    #expect(said.count == 1 && said[0].hasSuffix("nor in the pages that it leads to"), "\(outcome)")
    let both = try program.run("find", server.url("/source"), server.url("/page"))
    #expect(both.exitCode == 0 && urls(both) == [server.url("/a.png")], "\(both)")
    #expect(both.errorText.contains("nor in the pages that it leads to"), "\(both)")
    let gone = try find("<sitemapindex><sitemap><loc>/gone.xml</loc></sitemap></sitemapindex>")
    #expect(gone.exitCode == 4 && !gone.errorText.contains("no images"), "\(gone)")
  }

  @Test("A file is read through a link, from a pipe that has a name, and from a descriptor")
  func linksAndPipes() throws {
    let page = try program.folder.write("work/page.html", "<img src=http://e.org/a.png>")
    try #require(symlink(page, program.folder.path("work/link.html")) == 0)
    let link = try program.run("find", "link.html")
    #expect(link.exitCode == 0 && link.lines == ["http://e.org/a.png"], "\(link)")
    let input = try program.run(["find", "/dev/stdin"], input: "<img src=http://e.org/a.png>")
    #expect(input.exitCode == 0 && input.lines == ["http://e.org/a.png"], "\(input)")
    try #require(mkfifo(program.folder.path("work/pipe"), 0o600) == 0)
    for script in ["cat page.html >pipe & exec \"$0\" find pipe", "exec \"$0\" find <(cat page.html)"] {
      var command = program.command(["-c", script, Program.path])
      command.path = try Command.find("bash")
      let outcome = try command.run()
      #expect(outcome.exitCode == 0 && outcome.lines == ["http://e.org/a.png"], "\(script): \(outcome)")
    }
    try #require(symlink("nowhere", program.folder.path("work/broken.html")) == 0)
    let broken = try program.run("find", "broken.html")
    #expect(broken.exitCode == 7 && broken.errorText.contains("there is no file of this name"), "\(broken)")
  }

  @Test("Gzip is known by its bytes, whatever follows it")
  func compressed() throws {
    let packed = try program.folder.write("work/page.html", "<img src=http://e.org/a.png>")
    _ = try Command(Command.find("gzip"), ["-f", packed]).run()
    let outcome = try program.run("find", "page.html.gz")
    #expect(outcome.lines == ["http://e.org/a.png"], "\(outcome)")
    let bytes = try #require(program.folder.read("work/page.html.gz"))
    server.serve("/page.html.gz", bytes + Array("\r\n".utf8), type: "application/gzip")
    let ended = try program.run("find", server.url("/page.html.gz"))
    #expect(ended.lines == ["http://e.org/a.png\treferer=\(server.url("/"))"], "\(ended)")
  }

  @Test("A long label with an extension is a name without it")
  func longLabel() throws {
    let label = String(repeating: "l", count: 198) + ".png"
    let outcome = try find(
      """
      <urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"><url><loc>http://e.org/page</loc>
      <image:image><image:loc>http://e.org/1.jpg</image:loc><image:title>\(label)</image:title></image:image></url></urlset>
      """)
    #expect(outcome.rows.first?[1] == "stem=" + label.dropLast(6), "\(outcome)")
  }

  @Test("A manifest's canvases, with labels as names, and the manifests of a collection")
  func manifests() throws {
    server.serve(
      "/book",
      Array(
        """
        {"@context": "http://iiif.io/api/presentation/3/context.json", "id": "x", "type": "Manifest", "items": [
        {"type": "Canvas", "label": {"en": ["p. 1/2"]}, "items": [{"items": [{"body": {"id": "http://m.org/1.jpg", "type": "Image",
        "width": 3000, "height": 2000, "service": [{"id": "http://m.org/i1", "type": "ImageService3", "profile": "level1"}]}}]}]}]}
        """.utf8), type: "application/json")
    let outcome = try find(
      """
      {"@context": "http://iiif.io/api/presentation/3/context.json", "type": "Collection", "items":
      [{"id": "\(server.url("/book"))", "type": "Manifest"}]}
      """)
    #expect(outcome.rows.first?.prefix(2) == ["http://m.org/i1/full/max/0/default.jpg", "stem=p. 12"], "\(outcome)")
    let info = try find(
      """
      {"@context": "http://iiif.io/api/image/2/context.json", "@id": "http://m.org/i", "protocol": "http://iiif.io/api/image",
       "width": 600, "height": 400, "sizes": [{"width": 150, "height": 100}, {"width": 600, "height": 400}],
       "profile": ["http://iiif.io/api/image/2/level0.json"]}
      """)
    #expect(urls(info) == ["http://m.org/i/full/600,/0/default.jpg"], "\(info)")
  }

  @Test("JSON, CSS, Markdown, tables and text, whatever their media type says")
  func others() throws {
    let json = try find(#"{"items": [{"image": "/a", "content_html": "<img src='/b.png'>", "url": "/p"}]}"#)
    #expect(urls(json) == [server.url("/a"), server.url("/b.png")], "\(json)")
    let css = try find(".a { background: url(a.png) } @font-face { src: url(f.woff) }")
    #expect(urls(css) == [server.url("/a.png")], "\(css)")
    let markdown = try find("# Title\n\n![A cat](cat.jpg \"T\") and [big](big.png), [page](p.html)\n", "--json")
    #expect(markdown.lines.count == 2, "\(markdown)")
    #expect(try JSON.object(markdown.lines[0])["alt"] as? String == "A cat")
    let table = try find("name;URL;caption\nx;http://e.org/a;\"one; two\"\n", "--table")
    #expect(table.rows.last?.prefix(2) == ["http://e.org/a", "one; two"], "\(table)")
    let column = try find("picture,link\nhttp://e.org/a,http://e.org/b\n", "--url-column", "link")
    #expect(urls(column) == ["http://e.org/b"], "\(column)")
    let text = try find("see http://e.org/a.png, (http://e.org/b.jpg) and http://e.org/page\nhttp://e.org/alone\n")
    #expect(urls(text) == ["http://e.org/a.png", "http://e.org/b.jpg", "http://e.org/alone"], "\(text)")
  }

  @Test("Addresses in AsciiDoc, of a forum and of Org have no brackets of their text, but those of their query")
  func brackets() throws {
    let text = try find(
      "image::http://e.org/1.png[A cat,300]\n[url=http://e.org/2.jpg][img]http://e.org/3.jpg[/img][/url]\n"
        + "[[http://e.org/4.png][a cat]] http://e.org/5.png?a[]=1&b[]=2\nhttp://e.org/6.png?a[1]=2\n")
    #expect(
      urls(text) == (1...4).map { "http://e.org/\($0).\([2, 3].contains($0) ? "jpg" : "png")" }
        + ["http://e.org/5.png?a[]=1&b[]=2", "http://e.org/6.png?a[1]=2"], "\(text)")
  }

  @Test("An e-mail and a page in one file are told as what they are")
  func messages() throws {
    let head = "From: <Saved by Blink>\r\nSubject: A\r\n\ttitle\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n"
    let coded = "Content-Transfer-Encoding: quoted-printable\r\n\r\n<img src=3D\"http://e.org/a.jp=\r\ng\">\r\n"
    let nothing = try find("\(head)\r\n\(coded)", type: "multipart/related")
    #expect(nothing.exitCode == 5 && nothing.errorText.contains("no images in its text; it is an e-mail"), "\(nothing)")
    let some = try find("\(head)Snapshot-Content-Location: http://e.org/p\r\n\r\n http://e.org/a.png \r\n\(coded)")
    #expect(urls(some) == ["http://e.org/a.png"] && some.errorText.contains("a page in one file (MHTML)"), "\(some)")
    let text = try find("Title: A\nDate: 2020-01-01\n\nMIME-Version: http://e.org/a.png\n")
    #expect(text.exitCode == 0 && !text.errorText.contains("MHTML"), "\(text)")
  }

  @Test("HTML without html or a doctype is HTML, whatever its scripts hold, and a README that begins with HTML is not")
  func pieces() throws {
    let piece = """
      <meta charset=utf-8><base href="http://cdn.example/x/"><script>x="![a](fake.jpg)"</script>
      <!--[if IE]><img src=ie.jpg><![endif]--><img src=1.jpg>
      """
    for type in ["text/html", "text/plain"] {
      let outcome = try find(piece, type: type)
      #expect(urls(outcome) == ["http://cdn.example/x/1.jpg"], "\(type): \(outcome)")
    }
    let readme = "<p align=center><img src=http://e.org/logo.png></p>\n\n# T\n\n![a](http://e.org/a.png)\n"
    try program.folder.write("work/README.md", readme)
    let file = try program.run("find", "README.md")
    #expect(file.lines == ["http://e.org/logo.png", "http://e.org/a.png"], "\(file)")
    let served = try find(readme, type: "text/markdown; charset=utf-8")
    #expect(urls(served) == ["http://e.org/logo.png", "http://e.org/a.png"], "\(served)")
  }

  @Test("A table whose column of addresses is not known is a mistake that names the columns, as for get")
  func unknownColumn() throws {
    try program.folder.write("work/two.csv", "Picture,link,n\nhttp://e.org/a,http://e.org/b,1\n")
    try program.folder.write("work/relative.csv", "n,picture\n1,a.jpg\n")
    for command in [["find", "two.csv"], ["get", "--from", "two.csv"]] {
      let two = try program.run(command)
      #expect(two.exitCode == 7 && two.lines.isEmpty, "\(two)")
      #expect(
        two.errorText.contains(
          "no column is named url, and several hold URLs: Picture, link; --url-column says which"), "\(two)")
      let none = try program.run(command + ["--url-column", "nope"])
      #expect(none.exitCode == 7, "\(none)")
      #expect(
        none.errorText.contains("its first line does not name a column nope; it names Picture, link, n"), "\(none)")
    }
    #expect(try program.run("find", "--url-column", "picture", "two.csv").lines == ["http://e.org/a"])
    let relative = try program.run("find", "--url-column", "picture", "--base", "http://e.org/x/", "relative.csv")
    #expect(relative.rows.first?.first == "http://e.org/x/a.jpg", "\(relative)")
    let nope = try program.run("find", "--url-column", "nope", "relative.csv")
    #expect(nope.exitCode == 7 && nope.errorText.contains("it names n, picture"), "\(nope)")
  }

  @Test("A cell of a table with several addresses names as many images")
  func severalInOneCell() throws {
    let shop = """
      Name,Images
      Cat,"http://e.org/a.jpg, http://e.org/b,c.jpg,https://e.org/d.jpg"
      Dog,http://e.org/e.jpg|http://e.org/f.jpg;
      """
    try program.folder.write("work/shop.csv", shop)
    let outcome = try program.run("find", "shop.csv")
    let names = [
      "http://e.org/a.jpg", "http://e.org/b,c.jpg", "https://e.org/d.jpg", "http://e.org/e.jpg", "http://e.org/f.jpg",
    ]
    #expect(outcome.lines == names, "\(outcome)")
  }

  @Test("The caption of a record is its own, whatever else describes the image")
  func ownCaption() throws {
    let table = try find("url,alt,title,caption\nhttp://e.org/a,A,T,C\nhttp://e.org/b,A,T,\n", "--table")
    #expect(table.rows.dropFirst().map { $0[1] } == ["C", "A"], "\(table)")
    let lines = ["a", "b"].map { #"{"url": "http://e.org/\#($0)", "alt": "A", "caption": "C"}"# + "\n" }
    let records = try find(lines.joined(), "--json")
    #expect(try records.lines.map { try JSON.object($0)["caption"] as? String } == ["C", "C"], "\(records)")
  }

  @Test("JSON Lines name the image of each record by their column, or by what any JSON says")
  func records() throws {
    let lines = """
      {"id": 1, "url": "http://e.org/one?x=1", "caption": "A  cat", "thumbnail": "http://e.org/t.png"}
      {"image": "http://e.org/b", "n": {"url": "http://e.org/no"}}
      {"url": null, "page": "http://e.org/p"}
      """
    let outcome = try find(lines, "--table")
    #expect(outcome.rows.dropFirst().map { $0[0] } == ["http://e.org/one?x=1", "http://e.org/b"], "\(outcome)")
    #expect(outcome.rows[1][1] == "A cat", "\(outcome)")
    let column = try find(lines, "--url-column", "page")
    #expect(urls(column).contains("http://e.org/p"), "\(column)")
    let two = #"{"a": "http://e.org/a", "b": "http://e.org/b"}"# + "\n"
    let none = try find(two + two)
    #expect(none.exitCode == 5 && none.errorText.contains("--url-column says which member"), "\(none)")
    let nope = try find(two + two, "--url-column", "nope")
    #expect(nope.exitCode == 5 && nope.errorText.contains("no record has a URL in nope"), "\(nope)")
  }

  @Test("A feed or JSON that breaks off gives what came, and fails")
  func broken() throws {
    let outcome = try find("<rss><channel><item><enclosure url='http://e.org/a.png'/></item><oops></channel></rss>")
    #expect(outcome.exitCode == 5 && urls(outcome) == ["http://e.org/a.png"], "\(outcome)")
    #expect(outcome.errorText.contains("its XML has an end tag of another element"), "\(outcome)")
    let json = try find(#"{"image": "http://e.org/a.png", "more": ["#)
    #expect(json.exitCode == 5 && urls(json) == ["http://e.org/a.png"], "\(json)")
    #expect(json.errorText.contains("its JSON has no end"), "\(json)")
    let short = try find("<rss><channel><item><enclosure url='http://e.org/a.png'/></item>")
    #expect(short.exitCode == 5 && short.errorText.contains("its XML has no end of its root"), "\(short)")
  }
}
