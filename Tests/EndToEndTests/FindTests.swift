import TestSupport
import Testing

/// `find`: the images that a page names.
@Suite("Finding the images of a page") struct FindTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private func page(_ html: String, at path: String = "/g/page.html", type: String = "text/html") {
    server.serve(path, Array(html.utf8), type: type)
  }

  /// The first fields of the lines, without the server's own beginning.
  private func found(_ outcome: Outcome) -> [String] {
    outcome.rows.map { $0[0].hasPrefix(server.url("")) ? String($0[0].dropFirst(server.url("").count)) : $0[0] }
  }

  @Test("Images come in the order of the page, each once, the largest of their candidates")
  func candidates() throws {
    page(
      """
      <!doctype html><img src=a.jpg alt="A cat"><img srcset="s.jpg 100w, l.jpg 900w, m.jpg 500w" src=s.jpg>
      <picture><source srcset="big.webp 2x, small.webp" type=image/webp><img src=small.jpg></picture>
      <img src="data:image/gif;base64,R0lG" data-src="/lazy.png"><img src=a.jpg>
      <div style="background: url('bg.png')"></div><a href="../full.tif">x</a><a href=other.html>y</a>
      <img src="data:image/gif;base64,R0lG">
      """)
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(outcome.exitCode == 0)
    #expect(
      found(outcome) == ["/g/a.jpg", "/g/l.jpg", "/g/big.webp", "/lazy.png", "/g/bg.png", "/full.tif"], "\(outcome)")
    #expect(outcome.errorText.contains("1 image in the page itself (data:) not listed"), "\(outcome)")
    let all = try program.run("find", "--all-sizes", "--kind", "image", server.url("/g/page.html"))
    #expect(found(all).contains("/g/m.jpg") && found(all).contains("/g/small.jpg") && !found(all).contains("/g/bg.png"))
  }

  @Test("A line carries the referrer that browsers send: the page to its own origin, its origin to others")
  func referer() throws {
    page("<img src=a.jpg><img src='http://cdn.example/b.jpg'>")
    let outcome = try program.run("find", server.url("/g/page.html#top"))
    #expect(
      outcome.rows == [
        [server.url("/g/a.jpg"), "referer=" + server.url("/g/page.html")],
        ["http://cdn.example/b.jpg", "referer=" + server.url("/")],
      ], "\(outcome)")
    let given = try program.run("find", "--referer", "https://e.org/", server.url("/g/page.html"))
    #expect(given.rows == [[server.url("/g/a.jpg")], ["http://cdn.example/b.jpg"]], "\(given)")
  }

  @Test("JSON and tables tell what the page says of an image")
  func formats() throws {
    page(
      """
      <figure><img src=a.jpg width=30 height=20 title="T"><figcaption>The caption</figcaption></figure>
      <img src=b.jpg alt='A "quoted"
      text'>
      """)
    let json = try program.run("find", "--json", server.url("/g/page.html"))
    let first = try JSON.object(json.lines[0])
    #expect(first["kind"] as? String == "image" && first["title"] as? String == "T", "\(json)")
    #expect(first["width"] as? Int == 30 && first["height"] as? Int == 20)
    #expect(first["caption"] as? String == "T" && first["page"] as? String == server.url("/g/page.html"))
    #expect(try JSON.object(json.lines[1])["alt"] as? String == "A \"quoted\" text")
    let table = try program.run("find", "--table", server.url("/g/page.html"))
    #expect(table.rows[0].prefix(3) == ["url", "caption", "kind"], "\(table)")
    #expect(table.rows[2][1] == "\"A \"\"quoted\"\" text\"", "\(table)")
    #expect(try program.run("find", "--table", "--json", "x").exitCode == 2)
  }

  @Test("A page in UTF-16 without a mark is read as its header says")
  func wide() throws {
    let page = "<!doctype html><img src=\u{E4}.jpg>".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    server.serve("/g/page.html", page, type: "text/html; charset=utf-16be")
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(found(outcome) == ["/g/%C3%A4.jpg"], "\(outcome)")
    server.serve("/g/page.html", page, type: "text/html")
    #expect(try program.run("find", server.url("/g/page.html")).exitCode == 5)
  }

  @Test("A control character at the beginning of a page hides no image", arguments: ["\0", "\u{B}", "\u{7F}"])
  func controlCharacters(_ character: String) throws {
    page("<!doctype html><title>Ring\(character)</title><img src=a.jpg>")
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(outcome.exitCode == 0 && found(outcome) == ["/g/a.jpg"], "\(outcome)")
  }

  @Test("Of an encoding with several bytes a character ASCII is read, and other addresses are counted")
  func multiByte() throws {
    let bytes = [UInt8]("<meta charset=gbk><img src=a.png alt='".utf8) + [0xC8, 0xD5] + [UInt8]("'><img src='".utf8)
    server.serve("/g/page.html", bytes + [0xC8, 0xD5] + [UInt8](".png'>".utf8), type: "text/html")
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(outcome.exitCode == 0 && found(outcome) == ["/g/a.png"], "\(outcome)")
    #expect(outcome.errorText.contains("1 image left out: the encoding of the page is not read"), "\(outcome)")
  }

  @Test("Kinds, hosts and the base can be chosen")
  func choices() throws {
    page(
      """
      <link rel=icon href=/i.ico><meta property=og:image content=/og.jpg><img src=a.jpg>
      <img src=http://cdn.example/b.jpg><a href=c.png>c</a>
      """)
    let url = server.url("/g/page.html")
    #expect(try found(program.run("find", url)) == ["/og.jpg", "/g/a.jpg", "http://cdn.example/b.jpg", "/g/c.png"])
    #expect(try found(program.run("find", "--kind", "icon,link", url)) == ["/i.ico", "/g/c.png"])
    #expect(try found(program.run("find", "--same-host", url)) == ["/og.jpg", "/g/a.jpg", "/g/c.png"])
    #expect(try found(program.run("find", "--allow-host", "*.example", url)) == ["http://cdn.example/b.jpg"])
    #expect(try found(program.run("find", "--deny-host", "*.example", url)) == ["/og.jpg", "/g/a.jpg", "/g/c.png"])
    let base = try program.run("find", "--base", "https://e.org/x/", "--kind", "image", url)
    #expect(base.rows.map(\.[0]) == ["https://e.org/x/a.jpg", "http://cdn.example/b.jpg"], "\(base)")
    let none = try program.run("find", "--kind", "style", url)
    #expect(none.exitCode == 5 && none.errorText.contains("are of other kinds or hosts"), "\(none)")
  }

  @Test("A file and standard input are sources; their relative addresses need a base")
  func files() throws {
    let html = "<img src=a.jpg><img src=http://e.org/b.jpg>"
    try program.folder.write("work/page.txt", html)
    let file = try program.run("find", "page.txt")
    #expect(file.exitCode == 0 && file.lines == ["http://e.org/b.jpg"], "\(file)")
    #expect(file.errorText.contains("1 image left out whose addresses are relative; --base URL says to what"))
    let based = try program.run("find", "--base", "http://e.org/p/q", "page.txt")
    #expect(based.rows.map(\.[0]) == ["http://e.org/p/a.jpg", "http://e.org/b.jpg"], "\(based)")
    let running = try program.start(["find", "-"])
    running.write("text before\nhttps://e.org/c.png and more\n")
    running.closeInput()
    #expect(try running.wait().lines == ["https://e.org/c.png"])
    let missing = try program.run("find", "none.html")
    #expect(missing.exitCode == 7 && missing.errorText.contains("there is no file of this name"), "\(missing)")
  }

  @Test("Exit codes tell what went wrong with a source")
  func exitCodes() throws {
    page("<p>nothing</p>", at: "/none.html")
    page("<html><body><div id=app></div><script src=app.js></script></body></html>", at: "/app.html")
    let none = try program.run("find", server.url("/none.html"))
    #expect(none.exitCode == 5 && none.errorText.contains("no images in it"), "\(none)")
    let scripts = try program.run("find", server.url("/app.html"))
    #expect(scripts.exitCode == 5)
    #expect(scripts.errorText.contains("no images in its HTML; it is filled by scripts"), "\(scripts)")
    #expect(try program.run("find", server.url("/missing.html")).exitCode == 4)
    #expect(try program.run("find", "--deny-private", server.url("/none.html")).exitCode == 8)
    #expect(try program.run("find").exitCode == 2)
    let long = try program.run("find", "--max-page", "10", server.url("/none.html"))
    #expect(long.exitCode == 5 && long.errorText.contains("--max-page allows more"), "\(long)")
    server.serve("/pack.zip", [0x50, 0x4B, 3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0], type: "text/html")
    let other = try program.run("find", server.url("/pack.zip"))
    #expect(other.exitCode == 5 && other.errorText.contains("names no images"), "\(other)")
  }

  @Test("A source without a scheme that is no host says that it is no file either")
  func misspeltFile() throws {
    let outcome = try program.run("find", "--retry", "0", "pages.invalid/index.html")
    #expect(outcome.exitCode == 3, "\(outcome)")
    #expect(outcome.errorText.contains("there is no file pages.invalid/index.html either"), "\(outcome)")
    let url = try program.run("find", "--retry", "0", "http://pages.invalid/index.html")
    #expect(url.exitCode == 3 && !url.errorText.contains("no file"), "\(url)")
  }

  @Test("An address that leads back to the page is no image of it")
  func pageItself() throws {
    page("<img src='#'><img src='page.html#top'><img src='/g/page.html'><img src=a.jpg>")
    #expect(try found(program.run("find", server.url("/g/page.html"))) == ["/g/a.jpg"])
    page("<img src='#'>")
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(outcome.exitCode == 5 && outcome.errorText.contains("no images in it"), "\(outcome)")
  }

  @Test("Linked data of a page names its pictures, and not the things in the page that stand for them")
  func linkedData() throws {
    page(
      """
      <script type="application/ld+json">{"@context": "https://schema.org", "@graph": [
      {"@type": "WebPage", "@id": "http://e.org/post/", "image": {"@id": "http://e.org/post/#primaryimage"},
       "thumbnailUrl": "http://e.org/a.jpg"},
      {"@type": "ImageObject", "@id": "http://e.org/post/#primaryimage", "url": "http://e.org/a.jpg",
       "contentUrl": "http://e.org/a.jpg"},
      {"@type": "Organization", "url": "http://e.org/", "logo": {"@type": "ImageObject", "@id": "http://e.org/#logo",
       "contentUrl": "http://e.org/logo.png"}, "image": {"@id": "http://e.org/#logo"}}]}</script>
      """)
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(found(outcome) == ["http://e.org/a.jpg", "http://e.org/logo.png"], "\(outcome)")
  }

  @Test("Text of templates, proportions, the http form of a preview and the words of linked data are no images")
  func notQuiteImages() throws {
    page(
      """
      <meta property=og:image content=http://e.org/og.jpg><meta property=og:image:secure_url content=https://e.org/og.jpg>
      <template><meta property=og:image content=http://e.org/t.jpg></template>
      <meta property=og:image content=http://e.org/t.jpg>
      <img data-src="{{ picture }}"><img src=a.jpg data-retina="16/9">
      <script type="application/ld+json">{"@context": {"image": "https://schema.org/image"}, "logo": "logo.png"}</script>
      """)
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(
      found(outcome) == ["https://e.org/og.jpg", "http://e.org/t.jpg", "/g/a.jpg", "/g/logo.png"], "\(outcome)")
  }

  @Test("Definitions of Markdown for which there is no room are told")
  func manyDefinitions() throws {
    let definitions = (0..<40_000).map { "[name\($0)]: /\($0).jpg\n" }.joined()
    server.serve(
      "/g/page.md", Array(("# T\n\n" + definitions + "\n![a][name0] ![a][name39999]\n").utf8), type: "text/markdown")
    let outcome = try program.run("find", server.url("/g/page.md"))
    #expect(found(outcome) == ["/0.jpg"], "\(outcome)")
    #expect(outcome.errorText.contains("definitions or references passed over"), "\(outcome)")
  }

  @Test("A source without images does not fail a run that has found some; one that cannot be read does")
  func oneWithout() throws {
    for path in ["/none.html", "/empty.html"] { page("<p>nothing</p>", at: path) }
    page("<img src=a.jpg>")
    let one = try program.run("find", server.url("/none.html"), server.url("/g/page.html"))
    #expect(one.exitCode == 0 && found(one) == ["/g/a.jpg"], "\(one)")
    #expect(one.errorText.contains("/none.html: no images in it"), "\(one)")
    #expect(try program.run("find", server.url("/g/page.html"), server.url("/none.html")).exitCode == 0)
    let gone = try program.run("find", server.url("/gone.html"), server.url("/g/page.html"))
    #expect(gone.exitCode == 4 && found(gone) == ["/g/a.jpg"], "\(gone)")
    let both = try program.run("find", server.url("/none.html"), server.url("/empty.html"))
    #expect(both.exitCode == 5, "\(both)")
  }

  @Test("A source that is an image is that image, whatever it is called")
  func imageItself() throws {
    server.serve("/page.html", TestImages.jpeg(width: 8, height: 8), type: "text/html")
    let outcome = try program.run("find", server.url("/page.html"))
    #expect(outcome.exitCode == 0 && outcome.lines == [server.url("/page.html")], "\(outcome)")
  }

  @Test("An image as a source may be longer than a page, and comes once")
  func largeImageItself() throws {
    server.serve("/large.jpg", TestImages.jpeg(bytes: 300_000))
    server.serve("/more.jpg", .ok(TestImages.jpeg(bytes: 300_000), type: "image/jpeg").stallAfter(100_000))
    for name in ["large", "more"] {
      let outcome = try program.run("find", "--max-page", "200000", server.url("/\(name).jpg"))
      #expect(outcome.exitCode == 0 && outcome.lines == [server.url("/\(name).jpg")], "\(outcome)")
    }
  }

  @Test("A page is kept for the next run, and asked for again with what it said of its version")
  func revalidated() throws {
    let body = Array("<img src=a.jpg>".utf8)
    server.on("/page.html") { request in
      if request["If-None-Match"] == "\"1\"" { return .status(304).with("ETag", "\"1\"") }
      return .ok(request.ordinal < 3 ? body : Array("<img src=b.jpg>".utf8), type: "text/html")
        .with("ETag", request.ordinal < 3 ? "\"1\"" : "\"2\"")
    }
    for _ in 0..<2 { #expect(found(try program.run("find", server.url("/page.html"))) == ["/a.jpg"]) }
    #expect(server.requests.map { $0["If-None-Match"] } == [nil, "\"1\""])
    #expect(found(try program.run("find", "--offline", server.url("/page.html"))) == ["/a.jpg"])
    #expect(try program.run("cache", "list").lines.isEmpty)
    server.on("/page.html") { _ in .ok(Array("<img src=b.jpg>".utf8), type: "text/html").with("ETag", "\"2\"") }
    #expect(found(try program.run("find", server.url("/page.html"))) == ["/b.jpg"])
    #expect(found(try program.run("find", "--offline", server.url("/page.html"))) == ["/b.jpg"])
  }

  @Test("A page at a public address leads to no private one", .needs(.network))
  func reach() throws {
    let seen = try OwnNetwork.run {
      let server = try TestServer(host: OwnNetwork.publicAddress)
      let inner = try TestServer(host: "127.0.0.1")
      let program = try Program()
      inner.onOther { _ in .ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg") }
      server.serve("/a.jpg", TestImages.jpeg(width: 9, height: 8))
      let html = "<img src=a.jpg><img src='\(inner.url("/b.jpg"))'><img src='http://localhost:\(inner.port)/c.jpg'>"
      server.serve("/page.html", Array(html.utf8), type: "text/html")
      let outcomes = try [["get", "--from"], ["find"]].map { try program.run($0 + [server.url("/page.html")]) }
      return (outcomes, inner.requests.count, program.folder.files(in: "work"))
    }
    #expect(seen.1 == 0 && seen.2 == ["a.jpg"], "\(seen)")
    #expect(seen.0[1].errorText.contains("may not lead to private addresses"), "\(seen)")
  }

  @Test("Addresses are read as browsers read them, and lose their user info")
  func addresses() throws {
    page(
      #"""
      <base href="/b/"><img src=" x\y
      z.png "><img src="//user:pw@cdn.example/a.png"><img src="../c.png?a=1&amp;b=2"><img src="http:d.png">
      <img src="javascript:void(0)"><img src="file:///etc/passwd"><img src="ü.png">
      """#)
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(
      found(outcome) == [
        "/b/x/yz.png", "http://cdn.example/a.png", "/c.png?a=1&b=2", "/b/d.png", "/b/%C3%BC.png",
      ], "\(outcome)")
  }

  @Test("An address that no server is asked for hides no other one of its picture")
  func otherSchemes() throws {
    page(
      #"""
      <img src=a.jpg data-src=about:blank><img src=b.jpg srcset="blob:x 2x"><img data-src="BLOB:y" src=12:30.jpg>
      <picture><source srcset="javascript:void(0) 900w"><img src="http://cdn.example/a:b.png"></picture><img src=blob:z>
      """#)
    let outcome = try program.run("find", server.url("/g/page.html"))
    #expect(found(outcome) == ["/g/a.jpg", "/g/b.jpg", "/g/12:30.jpg", "http://cdn.example/a:b.png"], "\(outcome)")
    #expect(outcome.errorText.isEmpty, "\(outcome)")
  }

  @Test("Redirects decide what addresses are relative to, and pages are asked for like images")
  func requests() throws {
    page("<img src=a.jpg>", at: "/new/page.html")
    server.serve("/old", .redirect(to: "/new/page.html"))
    let outcome = try program.run("find", "-u", "me:secret", "-A", "tester", server.url("/old"), server.url("/old"))
    #expect(found(outcome) == ["/new/a.jpg"], "\(outcome)")
    #expect(server.requests.map(\.path) == ["/old", "/new/page.html"])
    #expect(server.requests[0]["Authorization"] != nil && server.requests[0]["User-Agent"] == "tester")
  }
}
