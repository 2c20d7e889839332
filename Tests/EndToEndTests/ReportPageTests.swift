import TestSupport
import Testing

/// `report --html`: a page to look at and to send on.
@Suite("Reports as pages") struct ReportPageTests {
  let program: Program

  init() throws { program = try Program() }

  private func page(_ rows: String, _ options: String...) throws -> String {
    try program.folder.write("work/rows.jsonl", rows)
    let outcome = try program.run(["report", "-q", "--html", "page.html", "rows.jsonl"] + options)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return try #require(Command.text(of: "\(program.work)/page.html"))
  }

  private static func row(_ url: String, _ rest: String) -> String {
    let time = "2026-11-26T10:00:0\(rest.utf8.count % 10)Z"
    let facts = #""cache":"none","format":"jpeg","width":20,"height":10"#
    return #"{"url":"\#(url)","time":"\#(time)",\#(facts),\#(rest),"line":1,"error":null}"# + "\n"
  }

  @Test("It asks for nothing, its policy forbids all but its style and data, and its pictures are sketches")
  func policy() throws {
    let page = try page(
      Self.row(
        "https://a.example/cat.jpg", #""bytes":1000,"fingerprints":{"thumbhash":"1QcSHQRnh493V4dIh4eXh1h4kJUI"}"#)
        + Self.row("https://a.example/dog.jpg", #""bytes":2000"#))
    #expect(page.hasPrefix("<!DOCTYPE html>\n<html lang=\"en\">"))
    #expect(page.contains("content=\"default-src 'none'; style-src 'sha256-"))
    #expect(page.contains("src=\"data:image/png;base64,iVBORw0KGgo"))
    #expect(!page.contains("<script") && !page.contains(" style=") && !page.contains("src=\"http"))
    #expect(page.contains(">cat.jpg") || page.contains("https://a.example/cat.jpg"))
  }

  @Test("A page without pictures comes with the option that has some")
  func withoutPictures() throws {
    try program.folder.write("work/rows.jsonl", Self.row("https://a.example/dog.jpg", #""bytes":2000"#))
    let outcome = try program.run("report", "--html", "page.html", "rows.jsonl")
    #expect(outcome.exitCode == 0 && outcome.errorText.contains("--pictures"), "\(outcome)")
  }

  @Test("Hostile texts in every field stand there as text")
  func hostile() throws {
    let evil = #"\"'><script>alert(1)</script>\u202e\u0000"#
    let long = String(repeating: "x<", count: 1 << 19)
    let page = try page(
      """
      {"url":"javascript:\(evil)","key":"\(evil)","cache":"\(evil)","written":"\(evil)","format":"\(evil)","bytes":5,"output":"\(evil)",\
      "consent":{"verdict":"\(evil)"},"fingerprints":{"thumbhash":"\(evil)"},"error":null}
      {"url":"https://\(evil)/a.jpg","error":{"kind":"\(evil)","message":"\(long)"}}
      {"url":"https://h.example/\(evil)","error":{"kind":"damaged","message":"\(evil)"}}

      """)
    #expect(!page.contains("<script") && !page.contains("href=\"javascript"))
    #expect(!page.unicodeScalars.contains("\u{202E}") && !page.unicodeScalars.contains("\u{0}"))
    #expect(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"))
    #expect(page.utf8.count < 200_000)
  }

  @Test("Pictures are made from the files that rows name, as many as are wanted, within 2 MB")
  func pictures() throws {
    try program.folder.write("work/a.png", TestImages.png(width: 300, height: 200))
    let rows = (1...400).map { Self.row("https://a.example/\($0).png", #""bytes":\#($0),"output":"a.png""#) }.joined()
    let page = try page(rows, "--pictures", "1")
    #expect(page.contains("src=\"data:image/jpeg;base64,/9j/") || page.contains("src=\"data:image/png;base64,"))
    #expect(page.utf8.count < 2_000_000)
  }

  @Test("On standard output it is alone, and it is not written over rows by any of their names")
  func streamsAndRows() throws {
    try program.folder.write("work/rows.jsonl", Self.row("https://a.example/1.png", #""bytes":10"#))
    let page = try program.run("report", "--html", "-", "rows.jsonl")
    #expect(page.exitCode == 0 && page.outputText.hasSuffix("</html>\n"), "\(page)")
    for other in [["--json"], ["--list", "failed"], ["--duplicates"]] {
      #expect(try program.run(["report", "--html", "-", "rows.jsonl"] + other).exitCode == 2, "\(other)")
    }
    for options in [["rows.jsonl"], ["-", "--against", "rows.jsonl"]] {
      let outcome = try program.run(["report", "-q", "--html", "./rows.jsonl"] + options)
      #expect(outcome.exitCode == 2 && outcome.errorText.contains("written over the rows"), "\(outcome)")
    }
  }

  @Test(
    "It is not written over a shard of the folder that has the rows",
    arguments: ["set/00000.tar", "set/../set/00001.tar"])
  func shardOfTheSet(page: String) throws {
    try program.folder.write("work/set/00000.tar", "kept")
    let outcome = try program.run("report", "--html", page, "./set")
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("written over the rows \(page)"), "\(outcome)")
    #expect(program.folder.files(in: "work/set") == ["00000.tar"])
    #expect(program.folder.text("work/set/00000.tar") == "kept")
  }

  @Test("Pictures are made from the shards that have the rows, those of duplicates, too")
  func picturesOfShards() throws {
    let server = try TestServer()
    for name in ["a", "b", "c"] { server.serve("/\(name).png", TestImages.png(width: 300, height: 200)) }
    let list = ["/a.png", "/b.png", "/none.png", "/c.png"].map { server.url($0) + "\n" }.joined()
    let packed = try program.run(
      ["pack", "--checksum", "--per-shard", "2", "--retry", "0", "-d", "set", "-i", "-"], input: list)
    #expect(packed.exitCode == 0, "\(packed)")
    for (rows, pictures) in [("set", 1), ("set", 3), ("set/00000.tar", 2)] {
      let outcome = try program.run("report", "-q", "--html", "page.html", "--pictures", "\(pictures)", rows)
      let page = try #require(Command.text(of: "\(program.work)/page.html"), "\(outcome)")
      #expect(page.contains("The same by bytes, group 1") && page.contains("src=\"data:image/"), "\(rows): \(page)")
      #expect(page.contains("no picture") == (pictures == 1), "\(rows), \(pictures): \(page)")
      // Shares of the bar are those of the table, although these rows do not tell of caches.
      #expect(page.contains("failed: 1, 25.0 %") == (rows == "set"), "\(rows): \(page)")
    }
  }
}
