import ImgfetchCore
import TestSupport
import Testing

/// `--list-format` and `--url-column`: tables as lists, for each command that takes a list.
@Suite("Formats of lists") struct ListFormatTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.onOther { request in .ok(TestImages.png(width: 8 + request.path.utf8.count, height: 8), type: "image/png") }
  }

  private func get(_ list: String, _ format: String, _ more: String...) throws -> Outcome {
    try program.run(
      ["get", "-d", "out", "--json", "--ordered", "--list-format", format, "-i", "-"] + more, input: list)
  }

  @Test(
    "Tables with commas, semicolons, TABs, quotes, a byte order mark and CR LF are read by get",
    arguments: [
      ("csv", "url,id\nU1,x\nU2,y\n"), ("csv", "id;URL\r\nx;U1\r\ny;U2\r\n"),
      ("csv", "\u{FEFF}\"Url\"\t\"id\"\nU1\tx\nU2\ty"),
      ("csv", "id,\"a, b; c\",url\nx,\"line\nbreak\",U1\n\"y\",\"say \"\"x\"\"\",\"U2\"\n"),
      ("tsv", "id\turl\nx\tU1\ny\tU2\n"),
      ("csv", "id;price;text, long, with commas;url\nx;1,50;a;U1\ny;2,50;b;U2\n"),
      ("csv", "\n url ,id\nU1,x\nU2,y\n\n"), ("csv", "URL;ID\nU1;x\nU2;y\n"),
      ("tsv", "ID\tid\turl\nz\tx\tU1\nz\ty\tU2\n"),
      ("jsonl", "{\"URL\":\"U1\",\"ID\":\"x\"}\n{\"ID\":\"z\",\"id\":\"y\",\"url\":\"U2\"}\n"),
      ("jsonl", "{\"url\":\"U1\",\"id\":\"x\"}\r\n\n{\"id\":\"y\",\"URL\":\"U2\"}\n"),
      ("csv", "id,image\nx,U1\ny,U2\n"), ("tsv", "id\ttext\tpicture\nz\tnone\t\nx\thttp\tU1\ny\t\tU2\n"),
      ("jsonl", "{\"id\":\"x\",\"image\":\"U1\",\"n\":1}\n{\"id\":\"y\",\"image\":\"U2\",\"page\":\"http://h/\"}\n"),
    ])
  func tables(format: String, list: String) throws {
    let text = list.replacing("U1", with: server.url("/1.png")).replacing("U2", with: server.url("/2.png"))
    let outcome = try get(text, format)
    let rows = try outcome.lines.dropLast().map(JSON.object).filter { $0["error"] is JSON.Null }
    #expect(rows.map { $0["id"] as? String } == ["x", "y"], "\(outcome)")
    #expect(program.folder.files(in: "work/out").sorted() == ["1.png", "2.png"])
    #expect(server.requests.count == 2)
  }

  @Test("--url-column names the column, in any case; what is not there is told with what is")
  func column() throws {
    let list = "page,Image,url\nhttp://h/,\(server.url("/1.png")),http://h/no\n"
    #expect(try get(list, "csv", "--url-column", "image").exitCode == 0)
    #expect(server.requests.map(\.path) == ["/1.png"])
    let objects = "{\"url\":\"http://h/\",\"Image\":\"\(server.url("/2.png"))\"}\n"
    #expect(try get(objects, "jsonl", "--url-column", "image").exitCode == 0)
    let missing = try get(list, "csv", "--url-column", "picture")
    #expect(missing.exitCode == 7 && missing.errorText.contains("it names page, Image, url"), "\(missing)")
    let none = try get(objects, "jsonl", "--url-column", "picture")
    #expect(none.exitCode == 8 && none.errorText.contains("has no picture"), "\(none)")
    #expect(try program.run("get", "--url-column", "x", "-i", "-").exitCode == 2)
    #expect(server.requests.count == 2)
  }

  @Test("Where several columns hold URLs, or the first line holds one, nothing is guessed")
  func ambiguous() throws {
    let two = try get("page,image\nhttp://h/,\(server.url("/1.png"))\n", "csv")
    #expect(two.exitCode == 7 && two.errorText.contains("page, image; --url-column"), "\(two)")
    let none = try get("\(server.url("/1.png")),cat\n\(server.url("/2.png")),dog\n", "csv")
    #expect(none.exitCode == 7 && none.errorText.contains("was to name the columns"), "\(none)")
    #expect(server.requests.isEmpty)
  }

  @Test("prefetch and pack read the same lists")
  func otherCommands() throws {
    let list = "id;Bild;n\na;\(server.url("/1.png"));1\n"
    try program.folder.write("work/list.csv", list)
    #expect(try program.run("prefetch", "--list-format", "csv", "-i", "list.csv").exitCode == 0)
    let pack = try program.run("pack", "--list-format", "csv", "--rows", "-i", "list.csv", "-d", "set", "--json")
    #expect(pack.exitCode == 0, "\(pack)")
    let row = try JSON.object(pack.lines[0])
    #expect(row["id"] as? String == "a" && (row["columns"] as? [String: Any])?["n"] as? String == "1", "\(pack)")
  }

  @Test("The list of failures of a table is a table again, and a later run reads it")
  func failures() throws {
    server.serve("/gone.png", inTurn: [.status(404), .ok(TestImages.png(width: 4, height: 4), type: "image/png")])
    for (format, list) in [
      ("csv", "id;url\n\"a;\nb\";\(server.url("/gone.png"))\nc;\(server.url("/1.png"))\n"),
      (
        "jsonl",
        "{\"id\":\"a;\\nb\",\"url\":\"\(server.url("/gone2.png"))\"}\n{\"id\":\"c\",\"url\":\"\(server.url("/1.png"))\"}\n"
      ),
    ] {
      server.serve("/gone2.png", inTurn: [.status(404), .ok(TestImages.png(width: 4, height: 4), type: "image/png")])
      try program.folder.write("work/list", list)
      let options = ["get", "--json", "-d", "out", "--list-format", format, "--failed-list", "again"]
      let first = try program.run(options + ["-i", "list"])
      #expect(first.exitCode == 4, "\(first)")
      let second = try program.run(options + ["-i", "again"])
      #expect(second.exitCode == 0 && second.lines.count == 2, "\(second)")
      #expect(try JSON.object(second.lines[0])["id"] as? String == "a;\nb")
      #expect(!program.folder.files(in: "work").contains("again"))
    }
  }

  @Test(
    "It has operands, images of sources and records of other tables, too, as records of the first table",
    arguments: ["csv", "tsv", "jsonl"])
  func mixedFailures(format: String) throws {
    let names = ["operand", "one", "two", "page"]
    for name in names {
      server.serve(
        "/\(name).png", inTurn: [.status(404), .ok(TestImages.png(width: 4, height: 4), type: "image/png")])
    }
    let (one, two) = (server.url("/one.png"), server.url("/two.png"))
    switch format {
    case "jsonl":
      try program.folder.write("work/1", "{\"id\":\"a\",\"picture\":\"\(one)\"}\n")
      try program.folder.write("work/2", "{\"image\":\"\(two)\"}\n")
    default:
      let separator = format == "csv" ? "," : "\t"
      try program.folder.write("work/1", "id\(separator)url\na\(separator)\(one)\n")
      try program.folder.write("work/2", "image\(separator)x\n\(two)\(separator)\"1,2\"\n")
    }
    try program.folder.write("work/page.html", "<img src=\"\(server.url("/page.png"))\">")
    let options = ["get", "--json", "--ordered", "--retry", "0", "-d", "out", "--list-format", format]
    let first = try program.run(
      options + ["--failed-list", "again", "a word", server.url("/operand.png"), "-i", "1", "-i", "2"]
        + ["--from", "page.html"])
    #expect(first.exitCode == 1 && !first.errorText.contains("could not be written"), "\(first)")
    let second = try program.run(options + ["-i", "again"])
    #expect(second.exitCode == 8, "\(second)")
    let rows = try second.lines.dropLast().map { try JSON.object($0) }
    // Where each object names its own members, nothing says so early which of them is the URL.
    let word = format == "jsonl" ? "" : "a word"
    #expect(rows.map { $0["url"] as? String } == [word] + names.map { server.url("/\($0).png") })
    #expect(rows.map { $0["id"] as? String } == [nil, nil, "a", nil, nil])
    #expect(program.folder.files(in: "work/out") == names.map { $0 + ".png" }.sorted())
  }

  @Test("Where there is no table, it has one of its own", arguments: ["csv", "tsv", "jsonl"])
  func operandFailures(format: String) throws {
    let url = server.url("/gone.png?a=1,2")
    server.serve("/gone.png", .status(404))
    let options = ["get", "--json", "--list-format", format, "--failed-list", "again"]
    #expect(try program.run(options + [url]).exitCode == 4)
    let second = try program.run(options + ["-i", "again"])
    #expect(second.exitCode == 4, "\(second)")
    #expect(try JSON.object(second.lines[0])["url"] as? String == url)
  }

  @Test("Thousands of columns with like names cost no more than their bytes")
  func manyColumns() throws {
    // Each comparison of two of them by Characters is linear in the marks.
    let names = (0..<60_000).map { "\u{65}\u{301}\u{300}\($0)" }
    let list =
      names.joined(separator: ",") + ",url\n" + String(repeating: ",", count: names.count) + server.url("/1.png") + "\n"
    var outcome: Outcome?
    let took = try ContinuousClock().measure {
      outcome = try program.run(["prefetch", "--list-format", "csv", "-i", "-"], input: list)
    }
    #expect(outcome?.exitCode == 0)
    #expect(took < .seconds(Program.isSanitized ? 200 : 20))
  }

  @Test(
    "A list that is compressed with gzip is read by its bytes: as a file, a stream and at a URL",
    arguments: ["lines", "csv"])
  func gzip(format: String) throws {
    let urls = (0..<3_000).map { server.url("/\($0 % 20).png") }
    let text = (format == "csv" ? "url\n" : "") + urls.joined(separator: "\n") + "\n"
    // Two members, as appending to a compressed list makes them.
    let half = text.utf8.count / 2
    let packed = try Self.gzip(Array(text.utf8.prefix(half))) + Self.gzip(Array(text.utf8.dropFirst(half)))
    try program.folder.write("work/list", packed)
    let options = ["prefetch", "--list-format", format, "--print", "new", "--json", "-i"]
    server.serve("/list", packed, type: "application/gzip")
    for (list, input) in [("list", []), ("-", packed), (server.url("/list"), [])] {
      let outcome = try program.command(options + [list], input: .bytes(input)).run()
      #expect(outcome.exitCode == 0, "\(outcome)")
      let last = try JSON.object(outcome.lines.last ?? "")
      let summary = try #require(last["summary"] as? [String: Any])
      #expect(summary["total"] as? Int == 3_000 && summary["complete"] as? Bool == true, "\(list)")
    }
    try program.folder.write("work/cut", Array(packed.dropLast(9)))
    let cut = try program.run(options + ["cut"])
    #expect(cut.exitCode == 7 && cut.errorText.contains("gzip"), "\(cut.errorText)")
    try program.folder.write("work/filled", packed + [UInt8](repeating: 0, count: 700))
    #expect(try program.run(options + ["filled"]).exitCode == 0)
    for rest in [Array(text.utf8), [0x1F], [UInt8](repeating: 0, count: 70_000) + [1]] {
      try program.folder.write("work/joined", packed + rest)
      let joined = try program.run(options + ["joined"])
      #expect(joined.exitCode == 7 && joined.errorText.contains("follows its gzip data"), "\(joined.errorText)")
    }
  }

  @Test(
    "Other compressions, archives and encodings are told as what they are",
    arguments: [
      ([0x28, 0xB5, 0x2F, 0xFD], "zstd"), (Array("PK\u{3}\u{4}".utf8), "zip"), ([0xFF, 0xFE, 0x68, 0], "UTF-16"),
    ])
  func otherBytes(bytes: [UInt8], word: String) throws {
    try program.folder.write("work/list", bytes + Array("xyz\nhello\n".utf8))
    let outcome = try program.run("get", "-i", "list")
    #expect(outcome.exitCode == 7 && outcome.errorText.contains(word) && outcome.rows.isEmpty, "\(outcome)")
  }

  private static func gzip(_ bytes: [UInt8]) throws -> [UInt8] {
    var command = try Command(Command.find("gzip"), ["-c"])
    command.input = .bytes(bytes)
    return try command.run().output
  }
}
