import Glibc
import TestSupport
import Testing

/// `--report`: the rows in a file.
@Suite("--report") struct ReportFileTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private var image: String { server.url("/a.jpg") }
  private var missing: String { server.url("/missing.jpg") }

  private func report(_ name: String = "rows") throws -> [[String: Any]] {
    try (Command.text(of: "\(program.work)/\(name)") ?? "").split(separator: "\n").map { try JSON.object(String($0)) }
  }

  @Test("A report that is replaced keeps its mode, while it is written, too")
  func mode() throws {
    let path = try program.folder.write("work/rows", "{}\n")
    try Command.setMode(of: path, 0o600)
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "--report", "rows", server.url("/slow.jpg")])
    try server.waitForRequests("/slow.jpg", 1)
    #expect(try Command.mode(of: path + ".part") == 0o600)
    running.send(2)
    #expect(try running.wait().exitCode == 130)
    #expect(try Command.mode(of: path) == 0o600)
    #expect(try report().count == 2)
  }

  @Test(
    "It contains the rows of --json, whatever standard output shows",
    arguments: [
      "", "--json", "-q", "-w {url}\\n", "--print new", "-o -",
    ])
  func rows(form: String) throws {
    let isOne = form == "-o -"
    let urls = isOne ? [image] : [image, missing, image]
    let options = ["get", "--ordered", "--retry", "0", "--report", "rows"]
    let outcome = try program.run(options + form.split(separator: " ").map(String.init) + urls)
    #expect(outcome.exitCode == (isOne ? 0 : 4), "\(outcome)")
    let rows = try report()
    #expect(rows.dropLast().map { $0["url"] as? String } == urls)
    let summary = try #require(rows.last?["summary"] as? [String: Any])
    #expect(summary["total"] as? Int == urls.count)
    #expect(summary["complete"] as? Bool == true)
    if form == "--json" { #expect(Command.text(of: program.work + "/rows") == outcome.outputText) }
  }

  @Test("It gets its name at the end, also of an interrupted run, and replaces an existing file")
  func interrupted() throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    try program.folder.write("work/rows", "earlier")
    let running = try program.start(["get", "--report", "rows", image, server.url("/slow.jpg")])
    _ = try running.nextLine()
    try server.waitForRequests("/slow.jpg", 1)
    #expect(Command.text(of: program.work + "/rows") == "earlier")
    running.send(2)
    #expect(try running.wait().exitCode == 130)
    let rows = try report()
    #expect(rows.count == 3)
    #expect((rows.last?["summary"] as? [String: Any])?["complete"] as? Bool == false)
    #expect(program.folder.files(in: "work").sorted() == ["a.jpg", "rows"])
  }

  @Test("A run that is killed leaves its rows in FILE.part, and the next run replaces them")
  func killed() throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "--report", "rows", "-i", "-"])
    running.write("\(image)\n\(missing)\n\(server.url("/slow.jpg"))\n")
    for _ in 0..<2 { _ = try running.nextLine() }
    running.send(SIGKILL)
    _ = try running.wait()
    #expect(try Set(report("rows.part").map { $0["url"] as? String }) == [image, missing])
    #expect(Command.text(of: "\(program.work)/rows") == nil)
    #expect(try program.run("get", "--report", "rows", image).exitCode == 0)
    #expect(try report().count == 2)
    #expect(program.folder.files(in: "work").sorted() == ["a.jpg", "rows"])
  }

  @Test("Of two runs with one report each has rows of its own until its end")
  func twoAtOnce() throws {
    let running = try (0..<2).map { _ in try program.start(["get", "--report", "rows", "-i", "-"]) }
    for run in running {
      run.write(image + "\n")
      _ = try run.nextLine()
    }
    #expect(program.folder.files(in: "work").sorted() == ["a.jpg", "rows.part", "rows.part.1"])
    for run in running {
      run.closeInput()
      #expect(try run.wait().exitCode == 0)
    }
    #expect(try report().count == 2)
    #expect(program.folder.files(in: "work").sorted() == ["a.jpg", "rows"])
  }

  @Test(
    "A file of the user's own with that name, a folder or a link, is left alone", arguments: ["file", "folder", "link"])
  func usersOwn(kind: String) throws {
    switch kind {
    case "folder": try program.folder.makeFolder("work/rows.part")
    case "link":
      try program.folder.write("work/diary", "mine")
      try Command.replace(path: "\(program.work)/rows.part", withLinkTo: "diary")
    default: try program.folder.write("work/rows.part", "mine")
    }
    #expect(try program.run("get", "--report", "rows", image).exitCode == 0)
    #expect(try report().count == 2)
    if kind != "folder" { #expect(Command.text(of: "\(program.work)/rows.part") == "mine") }
  }

  @Test("If it cannot be created, nothing is fetched")
  func unwritable() throws {
    let outcome = try program.run("get", "--report", "nowhere/rows", image)
    #expect(outcome.exitCode == 7, "\(outcome)")
    #expect(outcome.errorText.contains("nowhere/rows: the report cannot be written: No such file"), "\(outcome)")
    #expect(server.count("/a.jpg") == 0)
  }

  @Test("It may contain checksums, and others can read it")
  func checksums() throws {
    #expect(try program.run("get", "-q", "--checksum", "--report", "rows", image).exitCode == 0)
    #expect((try report().first?["sha256"] as? String)?.count == 64)
    #expect(try Command.mode(of: program.work + "/rows") & 0o444 == 0o444)
  }

  @Test("An empty file of the user's own stays; what a run left that was killed before its first row does not")
  func empty() throws {
    try program.folder.write("work/rows.part", "")
    #expect(try program.run("get", "--report", "rows", image).exitCode == 0)
    #expect(program.folder.files(in: "work").sorted() == ["a.jpg", "rows", "rows.part"])
    try program.folder.remove("work/rows.part")
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "--report", "rows", server.url("/slow.jpg")])
    try server.waitForRequests("/slow.jpg", 1)
    running.send(SIGKILL)
    _ = try running.wait()
    #expect(program.folder.read("work/rows.part") == [])
    #expect(try program.run("get", "--report", "rows", image).exitCode == 0)
    #expect(program.folder.files(in: "work").sorted() == ["a.jpg", "rows"])
    #expect(!Command.hasAttribute("user.imgfetch.report", at: program.work + "/rows"))
  }
}
