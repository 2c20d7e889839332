import TestSupport
import Testing

/// Inputs of a new user, a careless list or an unfriendly server.
@Suite("Unusual inputs") struct UglyInputTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    let image = TestImages.png(width: 20, height: 10)
    server.onOther { _ in .ok(image, type: "image/png") }
  }

  @Test(
    "A name from a URL is safe, whatever the URL",
    arguments: [
      ("/..%2f..%2fetc%2fpasswd", "etcpasswd.png"), ("/a/%2e%2e/x.png", "x.png"), ("/%2e%2e", "image.png"),
      ("/...", "image.png"), ("/", "image.png"), ("/-rf", "rf.png"), ("/.profile", "profile.png"),
      ("/a%00b.png", "ab.png"), ("/a%1b%5b31mred.png", "a[31mred.png"), ("/a%0ab.png", "ab.png"),
      ("/a%E2%80%AEgnp.exe", "agnp.exe.png"), ("/a%e2%80%8bb.png", "ab.png"), ("/%ff%fe.png", "png.png"),
      ("/C:%5cnul.png", "C:nul.png"), ("/~root.png", "~root.png"), ("/$(touch%20x).png", "$(touch x).png"),
    ])
  func names(path: String, name: String) throws {
    let outcome = try program.run("get", server.url(path))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.files(in: "work") == [name])
    #expect(outcome.rows.first?[5] == name)
  }

  @Test("A name of 400 characters is cut to 200 bytes, between characters, and keeps its extension")
  func longNames() throws {
    let names = [String(repeating: "n", count: 400), String(repeating: "%E2%98%83", count: 400)]
    let outcome = try program.run(["get"] + names.map { server.url("/\($0).png") })
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(
      program.folder.files(in: "work") == [
        String(repeating: "n", count: 196) + ".png", String(repeating: "☃", count: 65) + ".png",
      ])
    let list = try program.run(["get", "-i", "-"], input: server.url("/a") + "\t" + names[0])
    #expect(list.exitCode == 7 && list.errorText.contains("choose a shorter name"), "\(list)")
  }

  @Test("An empty list is a run without images", arguments: ["", "\n\n", "# nothing\n", "\u{FEFF}"])
  func empty(list: String) throws {
    let outcome = try program.run(["get", "--json", "-i", "-"], input: list)
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    #expect(outcome.lines.count == 1 && outcome.outputText.contains(#","total":0,"#))
    #expect(try program.run(["get", "-i", "-"], input: list).output.isEmpty)
  }

  @Test("A missing list, or a folder, is exit 7; the others are fetched")
  func noList() throws {
    let list = try program.folder.write("list", server.url("/a.png"))
    for name in [program.folder.path, "nowhere"] {
      let outcome = try program.run("get", "-i", name, "-i", list)
      #expect(outcome.exitCode == 7 && outcome.rows.count == 1, "\(outcome)")
      #expect(outcome.errorText.hasPrefix("imgfetch: \(name): the list cannot be read: "), "\(outcome)")
    }
  }

  @Test("An unwritable output is exit 7, with advice")
  func noPlace() throws {
    try program.folder.write("work/file", "x")
    try program.folder.makeFolder("work/a.png")
    for (arguments, place, advice) in [
      (["-d", "file"], "file/a.png", "a part of its path is a file"),
      (["-d", "file/sub"], "file/sub/a.png", "a part of its path is a file"),
      (["-o", "file/x.png"], "file/x.png", "a part of its path is a file"),
      (["-o", "a.png"], "a.png", "a folder has that name"),
      (["-d", "/proc/nothing"], "/proc/nothing/a.png", "its folder does not exist"),
    ] {
      let outcome = try program.run(["get"] + arguments + [server.url("/a.png")])
      #expect(outcome.exitCode == 7, "\(outcome)")
      #expect(outcome.errorText.hasPrefix("imgfetch: \(place): cannot be written: "), "\(outcome)")
      #expect(outcome.errorText.contains(advice), "\(outcome)")
      #expect(outcome.rows.first?.first == "failed")
    }
  }

  @Test("With closed streams the run fails where it needs one, and otherwise continues")
  func closedStreams() throws {
    func run(_ redirections: String, _ arguments: String) throws -> Outcome {
      var command = program.command([])
      command.path = "/bin/sh"
      command.arguments = ["-c", "exec \"$0\" \(arguments) \(redirections)", Program.path, server.url("/a.png")]
      return try command.run()
    }
    #expect(try run("<&-", "get \"$1\"").exitCode == 0)
    #expect(try run("<&-", "get -i -").exitCode == 7)
    #expect(try run("2>&-", "get \"$1\"").exitCode == 0)
    let mute = try run(">&-", "get \"$1\"")
    #expect(mute.exitCode == 7 && mute.errorText.contains("standard output: "), "\(mute)")
    #expect(try run(">&-", "get -q \"$1\"").exitCode == 0)
    #expect(try run("<&- >&- 2>&-", "get -q \"$1\"").exitCode == 0)
    #expect(program.folder.files(in: "work") == ["a.png"])
    #expect(try run(">/dev/full", "inspect a.png").exitCode == 7)
    #expect(try run(">/dev/full", "help").exitCode == 7)
  }

  @Test("With an empty environment it fetches, and says once that nothing is cached")
  func bare() throws {
    var command = program.command(["get", server.url("/a.png")])
    command.environment = [:]
    let outcome = try command.run()
    #expect(outcome.exitCode == 0 && outcome.rows.count == 1, "\(outcome)")
    #expect(outcome.errorText.split(separator: "\n").count == 1, "\(outcome)")
    command.arguments.insert("-q", at: 1)
    let quiet = try command.run()
    #expect(quiet.exitCode == 0 && quiet.output.isEmpty, "\(quiet)")
    // A missing cache is a warning that even -q prints.
    #expect(quiet.error == outcome.error, "\(quiet)")
  }

  @Test("A server's text cannot move the cursor or break a line")
  func hostileText() throws {
    server.serve("/a.png", .status(404).reason("\u{1B}]0;owned\u{7} \u{202E}dnuof"))
    server.serve("/b.png", .redirect(to: "/c\u{1B}[2J.png"))
    for arguments in [["-vv"], ["--json", "--json-headers"], []] {
      let outcome = try program.run(
        ["get", "--cache", "off"] + arguments + [server.url("/a.png"), server.url("/b.png")])
      let said = outcome.outputText + outcome.errorText
      #expect(!said.contains("\u{1B}") && !said.contains("\u{7}") && !said.contains("\u{202E}"), "\(outcome)")
    }
  }
}
