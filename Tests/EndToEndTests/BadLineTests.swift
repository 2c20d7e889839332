import ImgfetchCore
import TestSupport
import Testing

/// An invalid line fails like a URL that cannot be fetched: in its place, and the others are fetched.
@Suite("Invalid lines") struct BadLineTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    server.serve("/b.jpg", TestImages.jpeg(width: 30, height: 10))
  }

  private static let mistakes: [(line: String, url: String, reason: String)] = [
    ("http://exa mple/a.jpg", "http://exa mple/a.jpg", "host name"),
    ("https://?x", "https://?x", "no host"),
    ("http://h:99999/a.jpg", "http://h:99999/a.jpg", "port"),
    ("ftp://h/a.jpg", "ftp://h/a.jpg", "ftp"),
    ("http://h/a.jpg\tn\tsha256=12", "http://h/a.jpg", "64 hex digits"),
    ("http://h/a.jpg\tn\tpriority=urgent", "http://h/a.jpg", "high or low"),
    ("http://h/a.jpg\tn\tcolour=red", "http://h/a.jpg", "no field"),
    ("http://h/a.jpg\tn\tmirror=ftp://h/b.jpg", "http://h/a.jpg", "mirror"),
    ("http://h/a.jpg\t../n", "http://h/a.jpg", "leads out"),
    ("http://h/a.jpg\t.", "http://h/a.jpg", "is a folder's"),
    ("http://h/a.jpg\tsub/.", "http://h/a.jpg", "is a folder's"),
    ("http://h/a.jpg\tstem=.", "http://h/a.jpg", "is a folder's"),
    ("\tn", "", "URL is missing"),
  ]

  @Test("Each gets its object in order, is counted, and is reported with its position", arguments: mistakes.indices)
  func object(_ index: Int) throws {
    let (line, url, reason) = Self.mistakes[index]
    let input = "\(server.url("/a.jpg"))\n# remark\n\(line)\n\(server.url("/b.jpg"))\n"
    let outcome = try program.run(["get", "--json", "--ordered", "-i", "-"], input: input)
    #expect(outcome.exitCode == 8, "\(outcome)")
    let objects = try outcome.lines.map(JSON.object)
    try #require(objects.count == 4)
    #expect(objects.prefix(3).map { $0["url"] as? String } == [server.url("/a.jpg"), url, server.url("/b.jpg")])
    let error = try #require(objects[1]["error"] as? [String: Any])
    #expect(error["kind"] as? String == "refused")
    #expect(error["exit"] as? Int == 8)
    #expect(error["transient"] as? Bool == false)
    #expect((error["message"] as? String)?.hasPrefix("standard input:3: ") == true, "\(error)")
    #expect((error["message"] as? String)?.contains(reason) == true, "\(error)")
    let summary = try #require(objects[3]["summary"] as? [String: Any])
    #expect(summary["total"] as? Int == 3)
    #expect(summary["failed"] as? Int == 1)
    #expect(program.folder.files(in: "work").sorted() == ["a.jpg", "b.jpg"])
  }

  @Test("They have rows, with a dash for a missing URL; the failed list has them as given")
  func rows() throws {
    var input = Array("http://h/a\tn\tsha256=1\r\n\tname\n".utf8)
    input += Array("http://h/caf".utf8) + [0xE9, 10]
    input += Array("\(server.url("/a.jpg"))\n".utf8)
    let outcome = try program.command(
      ["get", "--ordered", "-i", "-", "--failed-list", "again.txt"], input: .bytes(input)
    ).run()
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(outcome.rows.map(\.first) == ["failed", "failed", "failed", "none"])
    #expect(outcome.rows.map(\.last) == ["http://h/a", "-", "http://h/caf", server.url("/a.jpg")])
    for line in 1...3 { #expect(outcome.errorText.contains("standard input:\(line): ")) }
    let was = "\twas=refused\n"
    let text = "\(FailedList.mark)\nhttp://h/a\tn\tsha256=1\(was)\tname\(was)http://h/caf"
    let expected = Array(text.utf8) + [0xE9] + Array(was.utf8)
    #expect(Command.contents(of: program.work + "/again.txt") == expected)
  }

  @Test("Of an endless line only its position is kept")
  func withoutEnd() throws {
    let input = String(repeating: "x", count: 2 << 20) + "\n" + server.url("/a.jpg") + "\n"
    let outcome = try program.run(
      ["get", "--ordered", "-i", "-", "--failed-list", "again.txt"], input: input)
    #expect(outcome.exitCode == 8, "\(outcome)")
    #expect(outcome.rows.map(\.first) == ["failed", "none"])
    #expect(
      FailedList.lines(of: program.work + "/again.txt") == ["# standard input:1: the line is longer than 1 MiB"])
  }

  @Test("In line-by-line use, each line is answered before the next one is written")
  func coprocess() throws {
    let running = try program.start(["get", "-i", "-", "--json"])
    for (line, isGood) in [("http://h/x\tn\tsha256=1", false), (server.url("/a.jpg"), true), ("ftp://h/", false)] {
      running.write(line + "\n")
      let object = try JSON.object(try #require(try running.nextLine()))
      #expect((object["error"] is JSON.Null) == isGood, "\(object)")
    }
    running.closeInput()
    #expect(try running.wait().exitCode == 8)
  }

  @Test(
    "They count in {index}, exactly one shard answers for each, and one can be the first failure that stops a run")
  func place() throws {
    let input = "http://h/x\tn\tzzz\n\(server.url("/a.jpg"))\n"
    _ = try program.run(["get", "-i", "-", "--name", "{index}.{ext}"], input: input)
    #expect(program.folder.files(in: "work") == ["2.jpg"])
    let shards = try (1...3).map { try program.run(["get", "-i", "-", "--shard", "\($0)/3"], input: input) }
    #expect(shards.map(\.lines.count).reduce(0, +) == 2)
    let stopped = try program.run(["get", "--fail-fast", "-i", "-"], input: input)
    #expect(stopped.rows.map(\.first) == ["failed"], "\(stopped)")
  }

  @Test("Passwords in invalid lines are not printed")
  func secrets() throws {
    let input = [
      "http://u:geheim@h/\tn\tzzz", "http://h/\tn\thttp://u:geheim@h/", "http://h/\tn\tmiror=http://u:geheim@h/",
      "http://h/\tn\tmirror=ftp://u:geheim@h/", "http://u:geheim@h:x/",
    ]
    let outcome = try program.run(["get", "--json", "-i", "-"], input: input.joined(separator: "\n"))
    #expect(outcome.lines.count == 6)
    #expect(!outcome.outputText.contains("geheim") && !outcome.errorText.contains("geheim"), "\(outcome)")
  }
}
