import TestSupport
import Testing

/// `pack`: which columns of a table mean what, and which records are taken.
@Suite("Columns of data sets") struct PackColumnTests {
  let server: TestServer
  let program: Program
  let jpeg = TestImages.jpeg(width: 40, height: 30)

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in 0..<6 { server.serve("/\(at).jpg", jpeg) }
  }

  private func pack(_ table: String, _ format: String, _ arguments: String...) throws -> Outcome {
    try program.folder.write("work/table", table)
    return try program.run(["pack", "-i", "table", "--list-format", format, "-d", "set"] + arguments)
  }

  private func member(_ name: String) throws -> String {
    try Command(Command.find("tar"), ["-xOf", program.folder.path("work/set/00000.tar"), name]).run().outputText
  }

  private func digest(_ tool: String) throws -> String {
    try program.folder.write("work/image", jpeg)
    let said = try Command(Command.find(tool), [program.folder.path("work/image")]).run().outputText
    return String(said.prefix { $0 != " " })
  }

  @Test("Another column of URLs makes another data set: exit 2, and nothing is asked for")
  func otherColumn() throws {
    let table = "a,b\n\(server.url("/0.jpg")),\(server.url("/1.jpg"))\n"
    #expect(try pack(table, "csv", "--url-column", "a").exitCode == 0)
    let other = try pack(table, "csv", "--url-column", "b")
    #expect(other.exitCode == 2 && server.count("/1.jpg") == 0, "\(other)")
    #expect(try pack(table, "csv", "--url-column", "a").rows.first?.first == "kept")
  }

  @Test("Fields that are missing at the end of a record are null, with one warning; one too many makes it invalid")
  func fewFields() throws {
    let urls = (0..<4).map { server.url("/\($0).jpg") }
    let table = "url,n,caption\n\(urls[0]),7,c\n\(urls[1])\n\(urls[2]),8\n\(urls[3]),9,c,d\n"
    let outcome = try pack(table, "csv", "--caption-column", "caption", "--max-invalid", "50%")
    #expect(outcome.exitCode == 0 && outcome.rows.first?[2...3] == ["3", "1"], "\(outcome)")
    #expect(outcome.errorText.components(separatedBy: "has fewer fields than the first line").count == 2, "\(outcome)")
    #expect(outcome.errorText.contains("table:3: "), "\(outcome)")
    #expect(try member("000000000001.txt").isEmpty && member("000000000001.json").contains(#""columns":{"n":null}"#))
    #expect(try member("000000000002.json").contains(#""caption":null"#))
    #expect(try member("__imgfetch__/failed").contains(#""kind":"refused""#))
    let got = try program.run("get", "-d", "out", "--list-format", "csv", "-i", "table")
    #expect(got.exitCode == 8 && got.errorText.contains("table:3: the record has fewer fields"), "\(got)")
    #expect(program.folder.files(in: "work/out") == ["0.jpg", "1.jpg", "2.jpg"])
  }

  @Test("The same records under another header are another list", arguments: [[], ["--shard-by", "host"]])
  func otherHeader(options: [String]) throws {
    let record = "\(server.url("/0.jpg")),\(server.url("/1.jpg"))\n"
    let pack = ["pack", "-i", "table", "--list-format", "csv", "-d", "set"] + options
    try program.folder.write("work/table", "url,other\n" + record)
    #expect(try program.run(pack).exitCode == 0)
    #expect(try program.run(pack).rows.first?.first == "kept")
    try program.folder.write("work/table", "other,url\n" + record)
    let other = try program.run(pack)
    #expect(other.exitCode == 2 && server.count("/1.jpg") == 0, "\(other)")
  }

  @Test("Columns of other names are captions and ids, and the rest goes along with its types")
  func roles() throws {
    let table = "TEXT,url,uid,n\n\"a, b\",\(server.url("/0.jpg")),x1,07\n,\(server.url("/1.jpg")),x2,1.50\n"
    let outcome = try pack(table, "csv", "--caption-column", "TEXT", "--id-column", "uid")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try member("000000000000.txt") == "a, b" && member("000000000001.txt").isEmpty)
    #expect(try member("000000000000.json").contains(#""caption":"a, b","id":"x1","columns":{"n":"07"}"#))
    let objects = #"{"url":"\#(server.url("/0.jpg"))","TEXT":"c","n":07.5e1}"#.replacing("07.5", with: "7.5")
    try program.folder.remove("work/set/00000.tar")
    #expect(
      try pack(objects + "\n{\"url\":\"\(server.url("/1.jpg"))\"}\n", "jsonl", "--caption-column", "TEXT").exitCode == 0
    )
    #expect(try member("000000000000.json").contains(#""caption":"c","columns":{"n":7.5e1}"#))
    #expect(try member("000000000001.txt").isEmpty)
  }

  @Test(
    "A table without a column that is asked for is an error",
    arguments: ["--caption-column", "--id-column", "--hash-column", "--where"])
  func missing(option: String) throws {
    let outcome = try pack("url,a\n\(server.url("/0.jpg")),x\n", "csv", option, option == "--where" ? "b < 5" : "b")
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("column b"), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test(
    "Objects of which none has a column that is asked for are no shard, and one that has it as null is enough",
    arguments: ["--caption-column", "--id-column", "--hash-column", "--where"])
  func missingOfAll(option: String) throws {
    let value = option == "--where" ? "b = null" : "b"
    let rows = (0..<5).map { #"{"url":"\#(server.url("/\($0).jpg"))"}"# + "\n" }
    let outcome = try pack(rows.joined(), "jsonl", option, value, "--per-shard", "2")
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("column b"), "\(outcome)")
    #expect(program.folder.files(in: "work/set").isEmpty)
    let last = rows[0].replacing("}", with: #","b":null}"#)
    let told = try pack(rows.joined() + last, "jsonl", option, value)
    #expect(told.exitCode == 0 && told.rows.first?.prefix(3) == ["made", "00000", "6"], "\(told)")
    // The first shard has it, the second has not.
    try program.folder.remove("work/set/00000.tar")
    let table = last + rows.joined()
    #expect(try pack(table, "jsonl", option, value, "--per-shard", "3").exitCode == 0)
    try program.folder.remove("work/set/00001.tar")
    let resumed = try pack(table, "jsonl", option, value, "--per-shard", "3")
    #expect(resumed.exitCode == 0 && resumed.rows.map { $0[0] }.sorted() == ["kept", "made"], "\(resumed)")
  }

  @Test("A list without records lacks no column", arguments: ["", "\n"])
  func missingOfNone(last: String) throws {
    let rows = (0..<3).map { #"{"url":"\#(server.url("/\($0).jpg"))","b":"\#($0)"}"# + "\n" }
    try program.folder.write("work/last", last)
    let outcome = try pack(rows.joined(), "jsonl", "--caption-column", "b", "-i", "last")
    #expect(outcome.exitCode == 0 && outcome.rows.first?.prefix(3) == ["made", "00000", "3"], "\(outcome)")
  }

  @Test("Sums of a table are checked, of either kind")
  func sums() throws {
    let (sha, md5) = (try digest("sha256sum"), try digest("md5sum"))
    let rows = [sha, md5.uppercased(), String(sha.reversed()), String(md5.reversed()), "", "12"]
    let table = "url,sum\n" + rows.enumerated().map { "\(server.url("/\($0.offset).jpg")),\($0.element)\n" }.joined()
    let outcome = try pack(table, "csv", "--hash-column", "sum", "--checksum", "--resize", "8x8")
    #expect(outcome.exitCode == 0 && outcome.rows.first?.prefix(4) == ["made", "00000", "3", "3"], "\(outcome)")
    let failed = try member("__imgfetch__/failed").split(separator: "\n")
    #expect(failed.map { $0.contains(#""kind":"checksum""#) } == [true, true, false], "\(failed)")
    let row = try member("000000000000.json")
    #expect(row.contains(#""source_sha256":"\#(sha)""#) && row.contains(#""expected_sha256":"\#(sha)""#), "\(row)")
    #expect(try member("000000000001.json").contains(#""expected_md5":"\#(md5)""#))
  }

  @Test("A column of sums goes along as it was given, beside the sum that was checked", arguments: ["csv", "jsonl"])
  func givenSums(format: String) throws {
    let md5 = try digest("md5sum")
    let sum = md5.uppercased()
    let (first, second) = (server.url("/0.jpg"), server.url("/1.jpg"))
    let objects = [
      #"{"url":"\#(first)","sum":"\#(sum)","a":"x"}"#, #"{"url":"\#(second)","sum":null,"a":"x"}"#,
    ]
    let cells = "url,sum,a\n\(first),\(sum),x\n\(second),,x\n"
    let table = format == "csv" ? cells : objects.joined(separator: "\n")
    #expect(try pack(table, format, "--hash-column", "sum").exitCode == 0)
    let checked = try member("000000000000.json")
    #expect(checked.contains(#""columns":{"sum":"\#(sum)","a":"x"}"#), "\(checked)")
    #expect(checked.contains(#""expected_md5":"\#(md5)""#), "\(checked)")
    let free = try member("000000000001.json")
    let none = format == "csv" ? "\"\"" : "null"
    #expect(free.contains(#""columns":{"sum":\#(none),"a":"x"}"#), "\(free)")
    #expect(!free.contains("expected_md5"), "\(free)")
  }

  @Test("Sums are checked in a column that is the id or the caption, too", arguments: ["csv", "jsonl"])
  func sumsAsIDs(format: String) throws {
    let sum = try digest("sha256sum")
    let other = String(sum.reversed())
    let rows = [sum, other].enumerated().map { (server.url("/\($0.offset).jpg"), $0.element) }
    let table =
      format == "csv"
      ? "url,sum\n" + rows.map { "\($0.0),\($0.1)\n" }.joined()
      : rows.map { #"{"url":"\#($0.0)","sum":"\#($0.1)"}"# + "\n" }.joined()
    for (option, field) in [("--id-column", "id"), ("--caption-column", "caption")] {
      let outcome = try pack(table, format, "--hash-column", "sum", option, "sum")
      #expect(outcome.exitCode == 0 && outcome.rows.first?.prefix(4) == ["made", "00000", "1", "1"], "\(outcome)")
      #expect(try member("000000000000.json").contains("\"\(field)\":\"\(sum)\""))
      #expect(try member("__imgfetch__/failed").contains(#""kind":"checksum""#))
      try program.folder.remove("work/set/00000.tar")
    }
  }

  @Test(
    "One column cannot be two fields of a row: exit 2",
    arguments: [
      ("--url-column", "--id-column"), ("--url-column", "--caption-column"), ("--id-column", "--caption-column"),
    ]
  )
  func twice(one: String, other: String) throws {
    let outcome = try pack("url,a\n\(server.url("/0.jpg")),x\n", "csv", one, "a", other, "a")
    #expect(outcome.exitCode == 2 && outcome.errorText.contains(one), "\(outcome)")
    #expect(server.requests.isEmpty)
  }

  @Test("An id of null goes along as null, like a caption of null")
  func noID() throws {
    let table = #"{"url":"\#(server.url("/0.jpg"))","id":null,"caption":null}"# + "\n"
    #expect(try pack(table, "jsonl").exitCode == 0)
    let row = try member("000000000000.json")
    #expect(row.contains(#""id":null,"caption":null"#), "\(row)")
  }

  @Test("An empty id goes along like an empty caption", arguments: [("csv", ","), ("tsv", "\t")])
  func emptyID(format: String, separator: String) throws {
    let lines = [["url", "id", "caption"], [server.url("/0.jpg"), "", ""], [server.url("/1.jpg"), "x", "y"]]
    let table = lines.map { $0.joined(separator: separator) + "\n" }.joined()
    #expect(try pack(table, format).exitCode == 0)
    #expect(try member("000000000000.json").contains(#""id":"","caption":"""#))
    #expect(try member("000000000001.json").contains(#""id":"x","caption":"y""#))
  }

  @Test(
    "Conditions pass records over, whose numbers stay theirs, and are told in the job", arguments: ["csv", "jsonl"])
  func conditions(format: String) throws {
    let scores = ["0.1", "0.9", "", "0.5", "0.49", "1e-3"]
    let table =
      format == "csv"
      ? "url,punsafe,lang\n"
        + scores.enumerated().map {
          "\(server.url("/\($0.offset).jpg")),\($0.element),\($0.offset == 4 ? "de" : "en")\n"
        }.joined()
      : scores.enumerated().map { at, score in
        #"{"url":"\#(server.url("/\(at).jpg"))","punsafe":\#(score.isEmpty ? "null" : score),"lang":"\#(at == 4 ? "de" : "en")"}"#
          + "\n"
      }.joined()
    let outcome = try pack(table, format, "--where", "punsafe<0.5", "--where", "lang = en", "--per-shard", "3")
    #expect(
      outcome.exitCode == 0 && Set(outcome.rows.map { $0[1] + " " + $0[2] }) == ["00000 1", "00001 1"], "\(outcome)")
    #expect(server.requests.map(\.path).sorted() == ["/0.jpg", "/5.jpg"])
    #expect(try member("__imgfetch__/job").contains(#""where=lang = 'en' punsafe < 0.5""#))
    let list = try Command(Command.find("tar"), ["-tf", program.folder.path("work/set/00001.tar")]).run()
    #expect(list.lines.contains("000000000005.jpg"), "\(list)")
    let again = try pack(table, format, "--where", "lang = en", "--where", "punsafe < 0.50", "--per-shard", "3")
    #expect(again.exitCode == 0 && again.rows.map { $0[0] } == ["kept", "kept"], "\(again)")
    #expect(try pack(table, format, "--per-shard", "3").exitCode == 2)
  }

  @Test("An empty field of a table of text is null, and meets only = null and = ''", arguments: ["csv", "tsv"])
  func emptyFields(format: String) throws {
    let separator = format == "csv" ? "," : "\t"
    let lines = ["url,p", "\(server.url("/0.jpg")),", "\(server.url("/1.jpg")),x", "\(server.url("/2.jpg")),"]
    try program.folder.write("work/table", lines.map { $0.replacing(",", with: separator) + "\n" }.joined())
    let counts = [("p = null", "2"), ("p != null", "1"), ("p = ''", "2"), ("p != y", "1"), ("p != 5", "1")]
    for (number, (condition, count)) in counts.enumerated() {
      let pack = ["pack", "-i", "table", "--list-format", format, "-d", "set\(number)", "--where", condition]
      let outcome = try program.run(pack)
      #expect(outcome.exitCode == 0 && outcome.rows.first?[2] == count, "\(condition): \(outcome)")
    }
  }

  @Test("Lines have no columns: exit 2")
  func lines() throws {
    let outcome = try pack(server.url("/0.jpg"), "lines", "--where", "a < 5")
    #expect(outcome.exitCode == 2 && outcome.errorText.contains("--list-format"), "\(outcome)")
  }
}
