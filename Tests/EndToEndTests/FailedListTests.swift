import TestSupport
import Testing

/// `--failed-list`: failed lines become the next run's input.
@Suite("The failed list") struct FailedListTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private func url(_ path: String) -> String { server.url(path) }

  @Test("It may be the list of failures that is read, however long, and shrinks to the failed lines, in their order")
  func sameFile() throws {
    // Longer than a read and a write, so that writing would overtake reading.
    let lines = (0..<8000).map { "\(url("/missing-\($0 % 7).jpg"))\tname-\($0).jpg" }
    let good = "\(url("/a.jpg"))\tgood.jpg"
    let list = try program.folder.write(
      "work/list.txt", ([FailedList.mark] + lines.prefix(4000) + [good] + lines.dropFirst(4000)).joined(separator: "\n")
    )
    let outcome = try program.run("get", "--json", "--retry", "0", "-i", "list.txt", "--failed-list", "list.txt")
    #expect(outcome.exitCode == 4, "\(outcome.errorText.suffix(500))")
    #expect(outcome.lines.count == 8002)
    #expect(FailedList.lines(of: list) == lines)
    #expect(program.folder.files(in: "work") == ["good.jpg", "list.txt"])
    #expect(program.folder.text("work/list.txt")?.contains("\tname-1.jpg\twas=http:404\n") == true)
  }

  @Test("A file that it did not write is neither written over nor removed: the list goes beside it")
  func beside() throws {
    let diary = "dear diary\n"
    let list = try program.folder.write("work/list.txt", "\(url("/missing.jpg"))\n\(url("/a.jpg"))\n")
    try program.folder.write("work/list.txt.1", diary)
    try program.folder.makeFolder("work/list.txt.2")
    for _ in 0..<2 {
      let outcome = try program.run("get", "-i", "list.txt", "--failed-list", "list.txt")
      #expect(outcome.exitCode == 4 && outcome.errorText.contains("the list of failures is list.txt.3"), "\(outcome)")
      #expect(Command.text(of: list) == "\(url("/missing.jpg"))\n\(url("/a.jpg"))\n")
      #expect(program.folder.text("work/list.txt.1") == diary)
      #expect(FailedList.lines(of: program.work + "/list.txt.3") == [url("/missing.jpg")])
    }
    server.serve("/missing.jpg", TestImages.jpeg(width: 9, height: 9))
    #expect(try program.run("get", "-i", "list.txt", "--failed-list", "list.txt").exitCode == 0)
    #expect(program.folder.files(in: "work") == ["a.jpg", "list.txt", "list.txt.1", "missing.jpg"])
  }

  @Test("What happened comes in a field, in place of what an earlier run wrote there")
  func was() throws {
    server.serve("/text.jpg", Array("no image".utf8), type: "text/plain")
    let lines = [url("/text.jpg") + "\tid=7\twas=http:404", url("/missing.jpg"), url("/a.jpg") + "\twas=timeout"]
    #expect(
      try program.run(["get", "-i", "-", "--failed-list", "again"], input: lines.joined(separator: "\n")).exitCode == 1)
    #expect(
      program.folder.text("work/again")
        == "\(FailedList.mark)\n\(url("/text.jpg"))\tid=7\twas=not-image:200\n\(url("/missing.jpg"))\twas=http:404\n")
  }

  private static let namings: [(template: String, options: [String])] = [
    ("{index}", []), ("{line:03}", []), ("x/{index}-{name}", []), ("{index}", ["--fail-fast", "-j", "1"]),
    ("{line:03}", ["--fail-fast", "-j", "1", "--per-host", "1"]),
  ]

  /// At their places in the list of failures, the images would have the names of others, and replace their files.
  @Test(
    "Names by the place in the list hold for the next run, also those of lines that were not tried", arguments: namings)
  func places(template: String, options: [String]) throws {
    let images = (0..<40).map { TestImages.jpeg(width: 20 + $0, height: 10) }
    for (number, image) in images.enumerated() { server.serve("/\(number).jpg", image) }
    let whole = (0..<40).map { url("/\($0).jpg") }.joined(separator: "\n")
    let common = ["get", "-d", "out", "--name", "\(template).{ext}", "--failed-list", "again", "-i"]
    try program.folder.write("work/list", whole)
    server.serve("/1.jpg", .text("gone", status: 404))
    #expect(try program.run(common + ["list"] + options).exitCode == 4)
    server.serve("/1.jpg", images[1])
    let next = try program.run(common + ["again"])
    #expect(next.exitCode == 0 && next.errorText.isEmpty, "\(next)")
    for (number, image) in images.enumerated() {
      let place = template.hasPrefix("{line") ? String(String(1001 + number).dropFirst()) : "\(number + 1)"
      let name = template.hasPrefix("x") ? "x/\(place)-\(number)" : place
      #expect(program.folder.read("work/out/\(name).jpg") == image, "\(name)")
    }
  }

  @Test(
    "Names without an extension, or with that of the template, have none or that in the next run",
    arguments: ["", ".jpg"])
  func endings(ending: String) throws {
    server.serve("/0.png", TestImages.png(width: 5, height: 4))
    let common = ["get", "-d", "out", "--name", "{index}\(ending)", "--failed-list", "again", "-i"]
    try program.folder.write("work/list", [url("/0.png"), url("/1.png")].joined(separator: "\n"))
    #expect(try program.run(common + ["list"]).exitCode == 4)
    server.serve("/1.png", TestImages.png(width: 6, height: 4))
    #expect(try program.run(common + ["again"]).exitCode == 0)
    #expect(program.folder.files(in: "work/out") == ["1\(ending)", "2\(ending)"])
  }

  @Test("Its lines are in the order of the list, whichever failed first")
  func order() throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start([
      "get", "--failed-list", "again", url("/slow.jpg"), url("/1.jpg"), url("/2.jpg"),
    ])
    for _ in 0..<2 { #expect(try running.nextLine()?.contains("failed") == true) }
    running.send(2)
    #expect(try running.wait().exitCode == 130)
    #expect(FailedList.lines(of: program.work + "/again") == [url("/slow.jpg"), url("/1.jpg"), url("/2.jpg")])
  }

  @Test("Only its owner can read it, even if it replaces a public file")
  func mode() throws {
    let list = try program.folder.write("work/again.txt", FailedList.mark + "\n")
    try Command.setMode(of: list, 0o644)
    #expect(try program.run("get", "--failed-list", "again.txt", url("/missing.jpg")).exitCode == 4)
    #expect(FailedList.lines(of: list) == [url("/missing.jpg")])
    #expect(try Command.mode(of: list) == 0o600)
  }

  @Test(
    "A pipe that nothing reads from holds up neither the list nor a report", arguments: ["--failed-list", "--report"])
  func pipe(option: String) throws {
    try Command.makePipe(program.folder.path("work/pipe"))
    let outcome = try program.run("get", option, "pipe", url("/missing.jpg"))
    #expect(outcome.exitCode == (option == "--report" ? 7 : 1), "\(outcome)")
    #expect(outcome.errorText.contains("pipe: the ") && outcome.errorText.contains("; nothing reads from that pipe"))
  }

  @Test("A folder of its name stays, and the list is written beside it, with one message")
  func folder() throws {
    try program.folder.makeFolder("work/again")
    let outcome = try program.run("get", "-q", "--failed-list", "again", url("/missing.jpg"))
    #expect(outcome.exitCode == 4 && !outcome.errorText.contains("cannot be written"), "\(outcome)")
    #expect(program.folder.text("work/again.1")?.contains(url("/missing.jpg")) == true)
  }

  @Test(
    "A list that could not be written is warned of at the beginning, and what came of that is told at the end",
    arguments: ["none/again.txt", "lists/"])
  func impossible(path: String) throws {
    try program.folder.makeFolder("work/lists")
    let failed = try program.run("get", "--failed-list", path, url("/missing.jpg"))
    #expect(failed.exitCode == 1, "\(failed)")
    for verb in ["cannot", "could not"] {
      let told = failed.errorText.split(separator: "\n").count {
        $0.contains("\(path): the list of failures \(verb) be written")
      }
      #expect(told == 1, "\(failed)")
    }
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "--failed-list", path, url("/slow.jpg")])
    try running.waitForError("\(path): the list of failures cannot be written")
    server.release("/slow.jpg")
    #expect(try running.wait().exitCode == 0)
  }

  @Test("A folder is refused as a report's file before anything is downloaded")
  func reportInFolder() throws {
    try program.folder.makeFolder("work/reports")
    let outcome = try program.run("get", "--report", "reports/", url("/missing.jpg"))
    #expect(outcome.exitCode == 7, "\(outcome)")
    #expect(outcome.errorText.contains("reports/: the report cannot be written: Is a directory; name a file in it"))
    #expect(server.requests.isEmpty)
  }

  @Test("The digest names the list that was written, and none that could not be")
  func inDigest() throws {
    try program.folder.write("work/list.txt", "\(url("/missing.jpg"))\n\(url("/missing.jpg?2"))\n")
    func told(_ path: String) throws -> String {
      let outcome = try program.run("get", "--retry", "0", "-i", "list.txt", "--failed-list", path)
      return outcome.errorText.split(separator: "\n").last.map(String.init) ?? ""
    }
    #expect(try told("again.txt") == "again.txt has the lines that failed, for another run")
    #expect(try told("list.txt") == "list.txt.1 has the lines that failed, for another run")
    #expect(try !told("none/again.txt").contains("has the lines"))
  }

  /// Opened by its name, the file would be written from its beginning.
  @Test(
    "On a stream of the program it follows what is there",
    arguments: ["--failed-list /dev/stderr", "--failed-list /dev/fd/2", "--report /dev/stderr"])
  func streams(option: String) throws {
    let script = "echo before >all; \"$1\" get -q $2 \"$3\" 2>>all; echo after >>all"
    var command = Command("/bin/sh", ["-c", script, "sh", Program.path, option, url("/missing.jpg")])
    command.environment = program.command([]).environment
    command.folder = program.work
    _ = try command.run()
    let lines = (Command.text(of: "\(program.work)/all") ?? "").split(separator: "\n")
    #expect(lines.first == "before" && lines.last == "after" && lines.count >= 4, "\(lines)")
    #expect(lines.contains { $0.contains("/missing.jpg") })
  }

  @Test("A hyphen is standard output, for the report, too", arguments: ["--failed-list", "--report"])
  func hyphen(option: String) throws {
    let outcome = try program.run("get", "-q", option, "-", url("/missing.jpg"))
    #expect(outcome.exitCode == 4 && outcome.outputText.contains("/missing.jpg"), "\(outcome)")
    #expect(program.folder.files(in: "work").isEmpty)
  }

  @Test("It can be created below /dev/shm, which contains ordinary files")
  func sharedMemory() throws {
    let folder = try TemporaryFolder(in: "/dev/shm")
    let outcome = try program.run("get", "--failed-list", folder.path("again.txt"), url("/missing.jpg"))
    #expect(outcome.exitCode == 4, "\(outcome.errorText)")
    #expect(Command.text(of: folder.path("again.txt"))?.contains(url("/missing.jpg")) == true)
  }

  @Test("If nothing failed, it is not created, and one of an earlier run is removed")
  func nothingFailed() throws {
    #expect(try program.run("get", "--failed-list", "again.txt", url("/a.jpg")).exitCode == 0)
    #expect(program.folder.files(in: "work") == ["a.jpg"])
    #expect(try program.run("get", "--failed-list", "again.txt", url("/missing.jpg")).exitCode == 4)
    let outcome = try program.run("get", "--failed-list", "again.txt", url("/a.jpg"))
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    #expect(program.folder.files(in: "work") == ["a.jpg"])
  }

  @Test("The user's own file is never removed, and a warning says so", arguments: [false, true])
  func usersOwn(isRead: Bool) throws {
    let list = try program.folder.write("work/list.txt", "# pictures\n\(url("/a.jpg"))\n")
    let before = try Command.identity(of: list)
    let input = isRead ? ["-i", "list.txt"] : [url("/a.jpg")]
    let outcome = try program.run(["get", "--failed-list", "list.txt"] + input)
    #expect(outcome.exitCode == 0)
    #expect(outcome.errorText.hasPrefix("imgfetch: warning: list.txt: "), "\(outcome)")
    #expect(try Command.identity(of: list) == before)
    try program.folder.write("work/empty.txt", "")
    let empty = try program.run("get", "--failed-list", "empty.txt", url("/a.jpg"))
    #expect(empty.error.isEmpty, "\(empty)")
    #expect(program.folder.files(in: "work") == ["a.jpg", "empty.txt", "list.txt"])
  }

  @Test("Nor is a link, a list with another delimiter, or any list while an input is missing")
  func notRemoved() throws {
    let missing = url("/missing.jpg")
    #expect(try program.run(["get", "-0", "-i", "-", "--failed-list", "again"], input: missing).exitCode == 4)
    // Without -0 the whole file is one comment.
    let other = try program.run("get", "-i", "again", "--failed-list", "again")
    #expect(other.exitCode == 0 && other.errorText.contains("warning"), "\(other)")
    #expect(FailedList.lines(of: program.work + "/again", end: "\0") == [missing])
    try Command.replace(path: program.work + "/link", withLinkTo: "again")
    let link = try program.run(["get", "-0", "-i", "-", "--failed-list", "link"], input: url("/a.jpg"))
    #expect(link.exitCode == 0 && link.errorText.contains("warning"), "\(link)")
    #expect(try program.run("get", "-0", "--failed-list", "again", "-i", "nowhere").exitCode == 7)
    #expect(program.folder.files(in: "work") == ["a.jpg", "again", "link"])
  }

  @Test("A list that another run writes in the meantime is neither removed nor replaced", arguments: [false, true])
  func besideAnotherRun(fails: Bool) throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    try program.folder.write("work/again", "\(FailedList.mark)\n\(url("/old.jpg"))\n")
    let mine = [url("/slow.jpg")] + (fails ? [url("/mine.jpg")] : [])
    let running = try program.start(["get", "--failed-list", "again"] + mine)
    try server.waitForConcurrent(1)
    #expect(try program.run("get", "--failed-list", "again", url("/other.jpg")).exitCode == 4)
    server.release("/slow.jpg")
    #expect(try running.wait().exitCode == (fails ? 4 : 0))
    #expect(FailedList.lines(of: program.work + "/again") == [url("/other.jpg")])
    #expect(FailedList.lines(of: program.work + "/again.1") == (fails ? [url("/mine.jpg")] : nil))
  }

  @Test("A script that repeats until the list is gone comes to its end")
  func loop() throws {
    for number in 1...3 {
      let image = TestServer.Response.ok(TestImages.jpeg(width: 8, height: number), type: "image/jpeg")
      server.serve("/\(number).jpg", inTurn: Array(repeating: .status(404), count: number) + [image])
    }
    try program.folder.write("work/list.txt", (1...3).map { url("/\($0).jpg") }.joined(separator: "\n"))
    var command = program.command([])
    command.path = "/bin/sh"
    command.arguments = [
      "-c",
      """
      "$0" get -i list.txt --failed-list again.txt
      while [ -s again.txt ]; do "$0" get -i again.txt --failed-list again.txt; done
      """, Program.path,
    ]
    let outcome = try command.run()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.files(in: "work") == ["1.jpg", "2.jpg", "3.jpg", "list.txt"])
    #expect(server.requests.count == 9)
  }

  @Test("NUL-ended records are written with NUL, after a comment")
  func nullEnded() throws {
    let input = "\(url("/x.jpg"))\ttwo\nlines.jpg\u{0}"
    #expect(try program.run(["get", "-0", "-i", "-", "--failed-list", "again"], input: input).exitCode == 4)
    #expect(
      Command.text(of: program.work + "/again")
        == FailedList.mark + "\u{0}" + input.dropLast() + "\twas=http:404\u{0}")
    server.serve("/x.jpg", TestImages.jpeg(width: 8, height: 8))
    let outcome = try program.run("get", "-0", "-i", "again", "--failed-list", "again")
    #expect(outcome.exitCode == 0 && outcome.lines.count == 1, "\(outcome)")
    #expect(program.folder.files(in: "work") == ["two\nlines.jpg"])
  }

  @Test("A list that several shards read cannot become one shard's failed list")
  func sharedBetweenShards() throws {
    let list = try program.folder.write("work/list.txt", url("/missing.jpg"))
    let outcome = try program.run("get", "-i", "list.txt", "--shard", "1/2", "--failed-list", "list.txt")
    #expect(outcome.exitCode == 2, "\(outcome)")
    #expect(Command.text(of: list) == url("/missing.jpg"))
  }

  @Test("A pipe of that name is written to; a missing folder is an error of its own")
  func places() throws {
    let told = try program.run("get", "-q", "--failed-list", "/dev/stdout", url("/missing.jpg"))
    #expect(told.outputText == url("/missing.jpg") + "\twas=http:404\n", "\(told)")
    let nowhere = try program.run("get", "--failed-list", "nowhere/again", url("/missing.jpg"))
    #expect(nowhere.exitCode == 1)
    #expect(nowhere.errorText.contains("nowhere/again: the list of failures cannot be written"), "\(nowhere)")
  }
}
