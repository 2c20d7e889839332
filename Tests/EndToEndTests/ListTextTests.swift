import ImgfetchCore
import TestSupport
import Testing

/// The text in lists and operands beside plain URLs. A URL with something around it is taken for the URL that is meant.
/// Other text is described by its looks, and no name in it is looked up.
@Suite("Text that is no URL") struct ListTextTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.onOther { _ in .ok(TestImages.png(width: 20, height: 10), type: "image/png") }
  }

  /// The error of each row.
  private func errors(_ outcome: Outcome) throws -> [[String: Any]?] {
    try outcome.lines.dropLast().map { try JSON.object($0)["error"] as? [String: Any] }
  }

  @Test("Brackets, quotation marks, commas, semicolons and what no reader sees around a URL are not part of it")
  func wrapped() throws {
    let url = server.url("/a.png")
    let spellings = [
      "<\(url)>", "\"\(url)\"", "'\(url)'", "\(url),", "\(url);", "  \"\(url)\",", "<\(url)>;\r",
      "\"\(url)\"\tname.png", "\u{FEFF}\(url)", "\u{A0}\(url)\u{A0}", "\(url)\u{200B}",
      url.replacing("http://", with: "HTTP://"),
    ]
    let outcome = try program.run(
      ["get", "-d", "out", "--json", "--ordered", "-i", "-"], input: spellings.joined(separator: "\n"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.lines.count == spellings.count + 1)
    #expect(server.requests.allSatisfy { $0.path == "/a.png" })
    #expect(program.folder.files(in: "work/out").sorted() == ["a.png", "name.png"])
    #expect(try program.run(["get", "-d", "out", "<\(url)>"]).exitCode == 0)
  }

  @Test(
    "A URL with the end of a line inside is several, and none of them is asked for",
    arguments: [
      ("lines", "URL\rURL"), ("jsonl", #"{"url":"URL\nURL"}"#),
      ("csv", "url\n\"URL\nURL\"\n"),
    ])
  func several(format: String, text: String) throws {
    let outcome = try program.run(
      ["get", "-d", "out", "--list-format", format, "-i", "-"], input: text.replacing("URL", with: server.url("/a.png"))
    )
    #expect(outcome.exitCode == 8 && outcome.errorText.contains("the end of a line inside"), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("Records that end in NUL and text in UTF-16 are told from lines, with what reads them")
  func zeros() throws {
    let url = server.url("/a.png")
    let wide = "\(url)\r\n\(url)\r\n".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
    for (list, hint) in [
      (Array("\(url)\0\(url)\0".utf8), "--null reads records"), (Array("\(url)\0".utf8), "--null reads records"),
      (wide, "this is text in UTF-16, and no URL; iconv -f UTF-16LE"),
    ] {
      try program.folder.write("work/list", list)
      let outcome = try program.run(["get", "-d", "out", "-i", "list"])
      #expect(outcome.exitCode == 8 && outcome.errorText.contains("list:1: "), "\(outcome)")
      #expect(outcome.errorText.contains(hint) && !outcome.errorText.contains("end of a line"), "\(outcome)")
    }
    #expect(server.requests.isEmpty)
    try program.folder.write("work/wider", [0xFF, 0xFE, 0, 0] + wide.flatMap { [$0, 0] })
    let wider = try program.run(["get", "-d", "out", "-i", "wider"])
    #expect(wider.exitCode == 7 && wider.errorText.contains("UTF-32; iconv -f UTF-32"), "\(wider)")
    let set = try program.run(["pack", "-d", "set", "-i", "list"])
    #expect(set.exitCode == 7 && set.errorText.contains("it is text in UTF-16; iconv -f UTF-16LE"), "\(set)")
    #expect(try program.run(["get", "-d", "out", "-0", "-i", "-"], input: "\(url)\0\(url)\0").exitCode == 0)
  }

  @Test("A host without a scheme is asked over https")
  func withoutScheme() throws {
    let place = try ListeningSocket(listens: false).address.authority
    for text in ["\(place)/a.png", "//\(place)/a.png", "<\(place)/a.png>"] {
      let outcome = try program.run(["get", "--json", "--retry", "0", "-i", "-"], input: text)
      let row = try JSON.object(outcome.lines[0])
      #expect((row["error"] as? [String: Any])?["kind"] as? String == "connect", "\(outcome)")
      #expect(row["key"] as? String == "https://\(place)/a.png")
    }
  }

  /// A text, and a word of the message that describes it.
  static let texts: [(text: String, word: String)] = [
    ("hello", "a word"), ("localhost", "a word"), ("localhost:8080", "a word"), ("Hello,", "a word"),
    ("end.", "a word"),
    ("e.g.", "a single letter"), ("x.y", "a single letter"), ("don't", "a word"), ("-", "a word"),
    ("\"hello\"", "a word"), ("v2.0b1", "a word"),
    ("42", "a number"), ("3.14", "a number"), ("12/24/2025", "a number"),
    ("See the picture at example.org/a.png for more.", "prose"), ("TCP/IP is a protocol.", "prose"),
    ("Look: https://example.org/a.png", "prose"), ("https://example.org/a.png is nice", "prose"),
    ("https://example.org/a.png https://example.org/b.png", "several URLs"),
    ("example.org is a host", "prose"), ("and/or this", "prose"),
    ("/home/me/cat.png", "a file"), ("./cat.png", "a file"), ("../cat.png", "a file"), ("~/cat.png", "a file"),
    ("cat.jpg", "a file"), ("photo.JPEG", "a file"), ("index.html", "a file"), ("list.txt", "a file"),
    ("urls.csv", "a file"),
    ("README.md", "a file"), ("C:\\Pictures\\cat.png", "a file"),
    ("<html>", "HTML"), ("<!DOCTYPE html>", "HTML"), ("<img src=\"https://example.org/a.png\">", "HTML"),
    ("<br/>", "HTML"),
    ("</body>", "HTML"), ("&nbsp;", "HTML"), ("<p>some text</p>", "HTML"), ("<svg.g/>", "HTML"),
    ("{\"url\": \"https://example.org/a.png\"}", "JSON"), ("[", "JSON"), ("},", "JSON"),
    ("  \"url\": \"https://example.org/a\",", "JSON"),
    ("\"count\": 5,", "JSON"), ("[\"https://example.org/a.png\"]", "JSON"),
    ("url,caption", "a table"), ("1,cat,https://example.org/a.png", "a table"),
    ("https://example.org/a.png,A nice cat", "a table"), ("https://example.org/a.png,cat", "a table"),
    ("https://example.org/a.png;300;200", "a table"),
    ("https://example.org/a.png,https://example.org/b.png", "a table"),
    ("https://example.org/a.png;\"cat\"", "a table"), ("a.png;b.png;c", "a table"),
    ("![cat](https://example.org/a.png)", "Markdown"), ("- https://example.org/a.png", "Markdown"),
    ("* see [this](page.html)", "Markdown"), ("```", "Markdown"), ("> quoted", "Markdown"),
    ("body{margin:0}", "CSS"), ("background:url(a.png)", "CSS"), ("// a comment", "CSS"),
    ("me@example.org", "e-mail"), ("mailto:me@example.org", "e-mail"), ("data:image/png;base64,AAAA", "scheme"),
    ("javascript:alert(1)", "scheme"), ("file:///etc/passwd", "scheme"), ("file:/etc/passwd", "a file"),
  ]

  private func refusals() throws -> Outcome {
    try program.run(
      ["get", "--json", "--ordered", "-i", "-"], input: Self.texts.map(\.text).joined(separator: "\n"))
  }

  @Test("No name in it is looked up", .needs(.nameServer))
  func noLookUp() throws {
    let names = try OwnNetwork.run {
      let resolver = try NameServer(in: program.folder, searching: "search.test") { _, _ in .address("127.0.0.1") }
      defer { resolver.stop() }
      _ = try refusals()
      return resolver.names
    }
    #expect(names.isEmpty, "\(names)")
  }

  @Test("Each is refused with exit 8 and a message that says what it looks like")
  func looksLike() throws {
    let texts = Self.texts
    let outcome = try refusals()
    #expect(outcome.exitCode == 8, "\(outcome)")
    let errors = try errors(outcome)
    try #require(errors.count == texts.count, "\(outcome)")
    for (error, (text, word)) in zip(errors, texts) {
      #expect(error?["kind"] as? String == "refused" && error?["exit"] as? Int == 8, "\(text): \(error ?? [:])")
      #expect((error?["message"] as? String)?.contains(word) == true, "\(text): \(error ?? [:])")
    }
    #expect(program.folder.files(in: "work").isEmpty)
  }

  @Test("Operands are refused in the same way, with a row each, and the others are fetched")
  func operands() throws {
    let outcome = try program.run([
      "get", "--ordered", "hello", server.url("/a.png"), "cat.jpg", "ftp://example.org/a.png",
    ])
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(outcome.rows.map(\.first) == ["failed", "none", "failed", "failed"])
    #expect(outcome.errorText.contains("a word, not a URL") && outcome.errorText.contains("a file, not a URL"))
    // An empty one is a mistake of the command line.
    #expect(try program.run(["get", ""]).exitCode == 2)
  }

  @Test("Of a file or folder that is there the message says what can be done with it")
  func local() throws {
    try program.folder.write("work/list.txt", server.url("/a.png"))
    try program.folder.write("work/pics/a.png", TestImages.png(width: 4, height: 4))
    let list = try program.run("get", "list.txt")
    #expect(list.exitCode == 8 && list.errorText.contains("-i list.txt reads URLs from it"), "\(list)")
    for text in ["pics", "pics/", "pics/a.png"] {
      let outcome = try program.run("get", text)
      #expect(outcome.exitCode == 8 && outcome.errorText.contains("of that name"), "\(outcome)")
    }
    let shown = try program.run("show", "--picture", "blocks", "pics")
    #expect(shown.exitCode == 7 && shown.errorText.contains("this is a folder"), "\(shown)")
    let misspelt = try program.run("show", "--picture", "blocks", "cta.png")
    #expect(misspelt.exitCode == 7 && misspelt.errorText.contains("there is no file of this name"), "\(misspelt)")
    #expect(server.requests.isEmpty)
  }

  @Test("URLs with spaces, commas, quotes and other URLs in them are fetched as they are")
  func unusual() throws {
    for path in [
      "/my picture.png", "/w_300,h_200/a.png", "/fetch,q_80/https://example.org/a.png", "/a.png;v=2",
      "/a.png,w_3/b.png", "/?u=https://x.test/a.png",
    ] {
      let outcome = try program.run(["get", "-d", "out", "-i", "-"], input: server.url(path))
      #expect(outcome.exitCode == 0, "\(outcome)")
    }
    #expect(server.requests.map(\.path).contains("/my%20picture.png"))
  }

  @Test("A field referer= is sent with the request, without user and password; one without it has none")
  func referer() throws {
    let input = """
      \(server.url("/a.png"))\treferer=https://me:geheim@example.org/page#top
      \(server.url("/b.png"))\tb.png\tid=7\treferer=example.org/other
      \(server.url("/c.png"))\twas=http:404
      """
    let outcome = try program.run(["get", "-d", "out", "--json", "--ordered", "-i", "-"], input: input)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let referers = Dictionary(grouping: server.requests, by: \.path).mapValues { $0[0]["Referer"] }
    #expect(referers["/a.png"] == "https://example.org/page" && referers["/b.png"] == "https://example.org/other")
    #expect(referers["/c.png"] == .some(nil))
    #expect(try JSON.object(outcome.lines[1])["id"] as? String == "7")
    let wrong = try program.run(["get", "-i", "-"], input: "\(server.url("/d.png"))\treferer=ftp://x/")
    #expect(wrong.exitCode == 8 && wrong.errorText.contains("referer="), "\(wrong)")
  }

  @Test("A name is split by bytes: no mark behind a slash leads out of the folder")
  func marks() throws {
    for mark in ["\u{200D}", "\u{FE0F}", "\u{301}"] {
      let outcome = try program.run(
        ["get", "-d", "out/in", "-i", "-"],
        input: "\(server.url("/a.png"))\t../\(mark)a.png\n\(server.url("/a.png"))\tstem=x/../\(mark)a\n")
      #expect(outcome.exitCode == 8 && outcome.errorText.contains("leads out"), "\(outcome)")
    }
    #expect(program.folder.files(in: "work/out").isEmpty)
    // A TAB and a combining mark are one Character, and still separate fields.
    let tab = try program.run(["get", "-d", "out", "-i", "-"], input: "\(server.url("/a.png"))\t\u{301}x.png\n")
    #expect(tab.exitCode == 0 && tab.rows.first?[5].hasSuffix("x.png") == true, "\(tab)")
  }
}
