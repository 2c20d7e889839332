import TestSupport
import Testing

/// `pack`: a list of another kind than stated makes no data set, and the flaws of a right one are in its rows.
@Suite("Lists of data sets") struct PackListTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in 0..<9 { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
  }

  private func pack(_ format: String, _ arguments: String...) throws -> Outcome {
    try program.run(["pack", "-i", "list", "-d", "set", "--list-format", format] + arguments)
  }

  private func member(_ name: String, of shard: String = "00000") throws -> String {
    try Command(Command.find("tar"), ["-xOf", program.folder.path("work/set/\(shard).tar"), name]).run().outputText
  }

  @Test(
    "A file of another kind is told by its bytes, and nothing is made of it: exit 7",
    arguments: [
      ("lines", "PAR1\u{15}\u{4}http://x/1.jpg\nPAR1", "Parquet"), ("csv", "PAR1\u{15}\u{4}x,url\nPAR1", "Parquet"),
      ("jsonl", "ARROW1\u{0}\u{0}", "Arrow"), ("lines", "{\"url\":\"URL\"}\n{\"url\":\"URL\"}\n", "JSON"),
      ("csv", "[{\"url\":\"URL\"},\n{\"url\":\"URL\"}]\n", "JSON"),
      ("jsonl", "[{\"url\":\"URL\"},\n{\"url\":\"URL\"}]\n", "array"),
      ("jsonl", "url,caption\nURL,x\n", "csv"), ("lines", "caption,url\nx,URL\n", "csv"),
      ("lines", "url\tcaption\nURL\tx\n", "tsv"),
      ("lines", "url\nURL\n", "csv"), ("lines", "<!DOCTYPE html>\n<a href='URL'>x</a>\n", "HTML"),
      ("tsv", "<?xml version='1.0'?>\n<urlset/>", "XML"), ("lines", "PK\u{3}\u{4}xl/worksheets", "zip"),
      ("lines", "__imgfetch__/job\u{0}\u{0}\n0000644", "shard"),
      ("lines", "URL\u{0}URL\u{0}", "--null"), ("lines", "URL\rURL\rURL", "carriage return"),
      ("jsonl", "{\"url\":\"URL\"}\r{\"url\":\"URL\"}\r", "carriage return"),
      ("csv", "u\u{0}r\u{0}l\u{0}\n\u{0}U\u{0}R\u{0}L\u{0}", "UTF-16"),
      ("csv", "caption,link\nx,y\n", "column"), ("csv", "page,link\nURL,URL\n", "--url-column"),
    ])
  func natures(format: String, text: String, word: String) throws {
    try program.folder.write("work/list", text.replacing("URL", with: server.url("/1.jpg")))
    let outcome = try pack(format)
    #expect(outcome.exitCode == 7 && outcome.errorText.contains(word), "\(outcome)")
    #expect(server.requests.isEmpty && program.folder.files(in: "work/set").isEmpty)
  }

  @Test(
    "Many lines that make no sense are no list: open shards are not made, those that stand stay, and --max-invalid allows more"
  )
  func invalid() throws {
    var lines = (0..<12).map { server.url("/\($0 % 9).jpg") }
    (lines[9], lines[10]) = ("ftp://elsewhere.example/1.jpg", "ftp://elsewhere.example/2.jpg")
    try program.folder.write("work/list", lines.joined(separator: "\n"))
    let outcome = try pack("lines", "--per-shard", "8", "-j", "1")
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("--max-invalid"), "\(outcome)")
    #expect(!program.folder.files(in: "work/set").contains("00001.tar"))
    let allowed = try pack("lines", "--per-shard", "8", "--max-invalid", "20%")
    #expect(allowed.exitCode == 0 && program.folder.files(in: "work/set") == ["00000.tar", "00001.tar"], "\(allowed)")
  }

  @Test(
    "A list whose only line makes no sense is none: a JSON document on one line, or a word",
    arguments: [("jsonl", "{\"data\":[{\"url\":\"http://x.example/1.jpg\"}]}"), ("lines", "word\n")])
  func onlyLine(format: String, text: String) throws {
    try program.folder.write("work/list", text)
    let outcome = try pack(format)
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("no other line"), "\(outcome)")
    #expect(program.folder.files(in: "work/set").isEmpty)
    let allowed = try pack(format, "--max-invalid", "100%")
    #expect(allowed.exitCode == 0 && program.folder.files(in: "work/set") == ["00000.tar"], "\(allowed)")
  }

  @Test("Lines of finished shards are lines read so far: what is good enough for one attempt is for the next, too")
  func resumed() throws {
    var lines = (0..<400).map { server.url("/\($0 % 9).jpg") }
    for at in 390..<393 { lines[at] = "ftp://elsewhere.example/\(at).jpg" }
    try program.folder.write("work/list", lines.joined(separator: "\n"))
    let first = try pack("lines", "--per-shard", "200")
    #expect(first.exitCode == 0, "\(first)")
    let made = program.folder.read("work/set/00001.tar")
    try program.folder.remove("work/set/00001.tar")
    let resumed = try pack("lines", "--per-shard", "200")
    #expect(resumed.exitCode == 0 && resumed.rows.map { $0[0] }.sorted() == ["kept", "made"], "\(resumed)")
    #expect(program.folder.read("work/set/00001.tar") == made)
    try program.folder.remove("work/set/00001.tar")
    let part = try pack("lines", "--per-shard", "200", "--shard", "2/2")
    #expect(part.exitCode == 0 && program.folder.read("work/set/00001.tar") == made, "\(part)")
  }

  @Test(
    "One line that makes no sense is a row with its number, its text without passwords, and what could be read of it")
  func invalidRow() throws {
    let rows = [
      #"{"url":"\#(server.url("/1.jpg"))","id":"a"}"#,
      #"{"id":"b","caption":"c","w":[1,NaN],"url":"http://me:secret@host.example/x.jpg",}"#,
    ]
    try program.folder.write("work/list", rows.joined(separator: "\n"))
    #expect(try pack("jsonl").exitCode == 0)
    let row = try member("__imgfetch__/failed")
    #expect(
      row.hasPrefix(#"{"record":"000000000001""#) && row.contains(#""id":"b","caption":"c","columns":{"w":[1,null]}"#),
      "\(row)")
    #expect(row.contains(#""text":"{\"id\":\"b\""#) && !row.contains("secret"), "\(row)")
    #expect(row.contains(#""url":"http://***@host.example/x.jpg""#), "\(row)")
  }

  @Test(
    "A record that makes no sense keeps the URL that could be read, which --again does not ask for",
    arguments: [
      ("csv", "url,id,md5\nGOOD,6,\nURL,7,zz\n", "md5"), ("csv", "url,id\nGOOD,6\nURL,7,8\n", ""),
      ("jsonl", "{\"url\":\"GOOD\"}\n{\"url\":\"URL\",\"id\":\"7\",\"md5\":\"zz\"}\n", "md5"),
      ("jsonl", "{\"url\":\"GOOD\"}\n{\"url\":\"URL\",\"id\":\"7\",}\n", ""),
      ("lines", "GOOD\nURL\tid=7\tsha256=zz\n", ""),
    ])
  func readableURL(format: String, text: String, hash: String) throws {
    let options = hash.isEmpty ? [] : ["--hash-column", hash]
    try program.folder.write(
      "work/list", text.replacing("GOOD", with: server.url("/1.jpg")).replacing("URL", with: server.url("/2.jpg")))
    let outcome = try program.run(["pack", "-i", "list", "-d", "set", "--list-format", format] + options)
    #expect(outcome.exitCode == 0 && outcome.rows.first?.prefix(4) == ["made", "00000", "1", "1"], "\(outcome)")
    let row = try JSON.object(try member("__imgfetch__/failed"))
    #expect(row["url"] as? String == server.url("/2.jpg") && row["id"] as? String == "7", "\(row)")
    let again = try program.run("pack", "--again", "-d", "set")
    #expect(again.exitCode == 0 && again.output.isEmpty && server.count("/2.jpg") == 0, "\(again)")
  }

  @Test("What Python writes for numbers that are none is null")
  func strangers() throws {
    let url = server.url("/1.jpg")
    let rows = [
      #"{"url":"\#(url)","a":NaN,"b":[-Infinity,{"c":Infinity}],"caption":NaN}"#,
      #"{"url":"\#(url)","a":"NaN","caption":"x"}"#,
      #"{"url":"\#(url)","a":1.5e3,"big":12345678901234567890123}"#,
    ]
    try program.folder.write("work/list", rows.joined(separator: "\n"))
    #expect(try pack("jsonl").exitCode == 0)
    #expect(
      try member("000000000000.json").contains(
        #""caption":null,"columns":{"a":null,"b":[null,{"c":null}]}"#))
    #expect(try member("000000000001.json").contains(#""columns":{"a":"NaN"}"#))
    #expect(try member("000000000002.json").contains(#""columns":{"a":1.5e3,"big":12345678901234567890123}"#))
    // A set with a caption column has a text for each image.
    #expect(try member("000000000000.txt").isEmpty && member("000000000001.txt") == "x")
    let list = try Command(Command.find("tar"), ["-tf", program.folder.path("work/set/00000.tar")]).run()
    #expect(list.lines.filter { $0.hasSuffix(".txt") }.count == 3, "\(list)")
  }

  @Test("Half of a surrogate pair, which most readers of rows refuse, is a replacement character")
  func halfOfAPair() throws {
    let url = server.url("/1.jpg")
    try program.folder.write(
      "work/list",
      #"{"url":"\#(url)","a":"\ud800","b":[{"\udc00c":"x\ud83d"}],"id":"\ud800\ud83d\ude00","caption":"\udfff"}"#
        + "\n")
    #expect(try pack("jsonl").exitCode == 0)
    let row = try member("000000000000.json")
    #expect(row.contains(#""a":"\ufffd","b":[{"\ufffdc":"x\ufffd"}]"#), "\(row)")
    #expect(row.contains(#""id":"\ufffd\ud83d\ude00""#) && row.contains(#""caption":"\ufffd""#), "\(row)")
    #expect(try member("000000000000.txt") == "\u{FFFD}")
  }

  @Test("Of members with one name the last counts, so that a row has each name once")
  func oneName() throws {
    let url = server.url("/1.jpg")
    try program.folder.write(
      "work/list",
      #"{"url":"http://host.example/1.jpg","a":1,"caption":"x","id":"x","\u0061":2,"url":"\#(url)","caption":"y","#
        + #""id":"y","é":1,"e\u0301":2}"# + "\n")
    #expect(try pack("jsonl").exitCode == 0)
    let row = try member("000000000000.json")
    #expect(row.contains(#""url":"\#(url)""#) && !row.contains("host.example") && !row.contains(#""x""#), "\(row)")
    #expect(row.contains(#""columns":{"a":2,"é":1,"e\#u{301}":2}"#), "\(row)")
    #expect(try member("000000000000.txt") == "y")
  }

  @Test("A record that is nested deeper than readers of rows can follow is invalid")
  func nested() throws {
    func record(_ depth: Int) -> String {
      #"{"url":"\#(server.url("/1.jpg"))","a":"# + String(repeating: "[", count: depth)
        + String(repeating: "]", count: depth) + "}\n"
    }
    try program.folder.write("work/list", record(100) + record(101))
    let outcome = try pack("jsonl")
    #expect(outcome.exitCode == 0 && outcome.rows.first?.prefix(4) == ["made", "00000", "1", "1"], "\(outcome)")
    let row = try JSON.object(try member("__imgfetch__/failed"))
    #expect(row["record"] as? String == "000000000001" && row["columns"] == nil, "\(row)")
    try program.folder.write("work/list", record(101) + record(101))
    let refused = try program.run("pack", "-i", "list", "-d", "other", "--list-format", "jsonl")
    #expect(refused.exitCode == 7 && refused.errorText.contains("100 levels"), "\(refused)")
  }

  @Test(
    "A list that cannot be read ends the set: lines of the next one would have its numbers",
    arguments: [nil, [0x1F, 0x8B, 8, 0], Array("PAR1\u{15}\u{4}".utf8)] as [[UInt8]?])
  func severalLists(first: [UInt8]?) throws {
    let urls = (0..<6).map { server.url("/\($0).jpg") }
    if let first { try program.folder.write("work/first", first) }
    try program.folder.write("work/second", urls[3...].joined(separator: "\n"))
    let pack = ["pack", "-i", "first", "-i", "second", "-d", "set", "--per-shard", "2"]
    let broken = try program.run(pack)
    #expect(broken.exitCode == 7 && broken.errorText.contains("first"), "\(broken)")
    #expect(server.requests.isEmpty && program.folder.files(in: "work/set").isEmpty)
    try program.folder.write("work/first", urls[..<3].joined(separator: "\n"))
    let whole = try program.run(pack)
    #expect(whole.exitCode == 0 && whole.rows.map { $0[1] }.sorted() == ["00000", "00001", "00002"], "\(whole)")
  }

  @Test(
    "A list that fails after others leaves the last shard unmade: a message says so, and its object says not-made",
    arguments: [("rest", 7), ("/gone.txt", 4)])
  func lastShard(second: String, code: Int32) throws {
    let urls = (0..<5).map { server.url("/\($0).jpg") }
    try program.folder.write("work/list", urls.joined(separator: "\n"))
    let rest = second.hasPrefix("/") ? server.url(second) : second
    let pack = ["pack", "-i", "list", "-i", rest, "-d", "set", "--per-shard", "2", "--json"]
    let outcome = try program.run(pack)
    #expect(outcome.exitCode == code, "\(outcome)")
    #expect(program.folder.files(in: "work/set") == ["00000.tar", "00001.tar"])
    #expect(outcome.errorText.contains("shard 00002 is not made") && outcome.errorText.contains(rest), "\(outcome)")
    let objects = try outcome.lines.map(JSON.object)
    let last = try #require(objects.first { $0["shard"] as? String == "00002" })
    #expect(last["outcome"] as? String == "not-made" && (last["reason"] as? String)?.contains(rest) == true, "\(last)")
    let summary = try #require(objects.last?["summary"] as? [String: Any])
    #expect(summary["complete"] as? Bool == false && summary["shards"] as? Int == 2, "\(summary)")
    // Without an open shard there is still something missing.
    try program.folder.write("work/list", urls[..<4].joined(separator: "\n"))
    let even = try program.run(pack)
    #expect(even.exitCode == code && even.errorText.contains("the data set is not complete"), "\(even)")
    #expect(try even.lines.compactMap { try JSON.object($0)["shard"] as? String }.sorted() == ["00000", "00001"])
  }

  @Test("A page that may come the next time ends the set: images of the next one would have its numbers")
  func severalSources() throws {
    server.serve("/one.html", .busy(503))
    server.serve("/two.html", .ok(Array("<img src='/2.jpg'><img src='/3.jpg'>".utf8), type: "text/html"))
    let sources = ["/one.html", "/two.html"].flatMap { ["--from", server.url($0)] }
    let pack = ["pack", "-d", "set", "--per-shard", "1", "--retry", "0"] + sources
    let busy = try program.run(pack)
    #expect(busy.exitCode == 4 && program.folder.files(in: "work/set").isEmpty, "\(busy)")
    server.serve("/one.html", .ok(Array("<img src='/1.jpg'>".utf8), type: "text/html"))
    let whole = try program.run(pack)
    #expect(whole.exitCode == 0 && whole.rows.count == 3, "\(whole)")
    #expect(try member("000000000001.json", of: "00001").contains("/2.jpg"))
    // A page that is gone is gone the next time, too.
    let others = ["--from", server.url("/gone.html"), "--from", server.url("/two.html")]
    let gone = try program.run(["pack", "-d", "other", "--per-shard", "1"] + others)
    #expect(gone.exitCode == 4 && program.folder.files(in: "work/other") == ["00000.tar", "00001.tar"], "\(gone)")
  }
}
