import TestSupport
import Testing

/// Options come from the command line, the environment and a file, in that order.
@Suite("Sources of options") struct SettingsTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private func configure(_ text: String, at path: String = "home/.config/imgfetch/config") throws -> String {
    try program.folder.write(path, text)
  }

  private func agent(_ arguments: [String] = [], _ environment: [String: String] = [:]) throws -> String? {
    let outcome = try program.run(
      ["get", "-q", "--cache", "off"] + arguments + [server.url("/a.jpg")], environment: environment)
    #expect(outcome.exitCode == 0, "\(outcome)")
    return server.requests.last?["User-Agent"]
  }

  @Test("The command line wins over the environment, and that over the file")
  func precedence() throws {
    _ = try configure("user-agent = file\n")
    #expect(try agent() == "file")
    #expect(try agent([], ["IMGFETCH_USER_AGENT": "variable"]) == "variable")
    #expect(try agent(["-A", "typed"], ["IMGFETCH_USER_AGENT": "variable"]) == "typed")
    #expect(try agent(["--no-user-agent"])?.hasPrefix("imgfetch/") == true)
  }

  @Test("--config reads another file or none; the working directory is never read")
  func files() throws {
    _ = try configure("user-agent = file\n")
    let other = try configure("user-agent = other\n", at: "other")
    for name in ["work/config", "work/.imgfetch", "work/imgfetch/config", "work/.config/imgfetch/config"] {
      _ = try configure("user-agent = trap\n", at: name)
    }
    #expect(try agent(["--config", other]) == "other")
    #expect(try agent([], ["IMGFETCH_CONFIG": other]) == "other")
    #expect(try agent(["--no-config"])?.hasPrefix("imgfetch/") == true)
    #expect(try agent([], ["IMGFETCH_CONFIG": ""])?.hasPrefix("imgfetch/") == true)
    #expect(try agent([], ["IMGFETCH_NO_CONFIG": "1"])?.hasPrefix("imgfetch/") == true)
    #expect(try agent([], ["IMGFETCH_NO_CONFIG": "yes", "IMGFETCH_CONFIG": other])?.hasPrefix("imgfetch/") == true)
    #expect(try agent([], ["IMGFETCH_NO_CONFIG": "0"]) == "file")
    #expect(try agent(["--config", other], ["IMGFETCH_NO_CONFIG": "1"]) == "other")
    #expect(try agent([], ["XDG_CONFIG_HOME": ".config"]) == "file")
    // A home folder is one only if its path is absolute.
    let aside = try program.run(
      ["get", "-d", "out", server.url("/a.jpg")],
      environment: ["HOME": ".", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": ""])
    #expect(aside.exitCode == 0 && aside.errorText.contains("there is no cache"), "\(aside)")
    #expect(program.folder.read("work/.cache/imgfetch/README") == nil)
    #expect(server.requests.last?["User-Agent"]?.hasPrefix("imgfetch/") == true)
    let missing = try program.run("get", "--config", "nowhere", server.url("/a.jpg"))
    #expect(missing.exitCode == 2 && missing.errorText.contains("nowhere"), "\(missing)")
  }

  @Test("A pipe is a file of settings, too, and one to which nothing writes is exit 2")
  func pipes() throws {
    let script = #"exec "$0" get --config <(echo "user-agent = piped") "$1""#
    var shell = Command("/bin/bash", ["-c", script, Program.path, server.url("/a.jpg")])
    shell.environment = program.command([]).environment
    shell.folder = program.work
    #expect(try shell.run().exitCode == 0 && server.requests.last?["User-Agent"] == "piped")
    for path in ["work/pipe", "home/.config/imgfetch/config"] {
      _ = try configure("", at: path + "-aside")
      try Command.makePipe(program.folder.path(path))
    }
    let before = server.requests.count
    for arguments in [["--config", "pipe"], []] {
      let outcome = try program.run(["get"] + arguments + [server.url("/a.jpg")])
      #expect(
        outcome.exitCode == 2 && outcome.errorText.contains("this is a pipe, and no program writes"), "\(outcome)")
    }
    #expect(server.requests.count == before)
  }

  @Test(
    "An error in the file is exit 2 with its line, before anything is done",
    arguments: [
      ("jbos = 3", "there is no option 'jbos'; did you mean jobs?"),
      ("jobs", "'jobs' is not of the form 'name = value'"), ("jobs = many", "jobs cannot be 'many'"),
      ("json = perhaps", "json cannot be 'perhaps'"), ("resize = 10x10", "'resize' is for the command line only"),
      ("= 3", "there is no name before the '='"),
    ])
  func mistakes(line: String, message: String) throws {
    let path = try configure("# fine\n\nretry = 1\n\(line)\n")
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 2 && server.requests.isEmpty)
    #expect(outcome.errorText.hasPrefix("imgfetch: \(path):4: ") && outcome.errorText.contains(message), "\(outcome)")
    // A user who looks for help finds it.
    #expect(try program.run("get", "--help").exitCode == 0)
    #expect(try program.run("--version").exitCode == 0)
  }

  @Test("An option that may stand by itself is set like a switch, too", arguments: ["yes", "half", "no"])
  func impliedValue(value: String) throws {
    try program.folder.write("work/list", server.url("/a.jpg") + "\n" + server.url("/b.jpg") + "\n")
    server.serve("/b.jpg", TestImages.jpeg(width: 9, height: 9))
    let run = ["get", "-q", "-d", "out", "-i", "list"]
    let set = ["IMGFETCH_PRUNE": value == "yes" ? "1" : value]
    #expect(try program.run(run, environment: set).exitCode == 0)
    try program.folder.write("work/list", server.url("/a.jpg") + "\n")
    _ = try configure("prune = \(value)\n")
    let outcome = try program.run(run)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.files(in: "work/out") == (value == "no" ? ["a.jpg", "b.jpg"] : ["a.jpg"]))
  }

  @Test("A variable of no option is a warning, one with a wrong value an error")
  func variables() throws {
    let unknown = try program.run(["get", server.url("/a.jpg")], environment: ["IMGFETCH_JBOS": "3"])
    #expect(unknown.exitCode == 0 && unknown.rows.count == 1)
    #expect(
      unknown.errorText
        == "imgfetch: warning: the environment variable IMGFETCH_JBOS sets no option; did you mean IMGFETCH_JOBS?\n")
    let quiet = try program.run(["get", "-q", server.url("/a.jpg")], environment: ["IMGFETCH_JBOS": "3"])
    #expect(quiet.exitCode == 0 && quiet.error.isEmpty, "\(quiet)")
    let wrong = try program.run(["get", server.url("/a.jpg")], environment: ["IMGFETCH_JOBS": "many"])
    #expect(wrong.exitCode == 2 && wrong.errorText.hasPrefix("imgfetch: IMGFETCH_JOBS cannot be 'many'"), "\(wrong)")
    let switched = try program.run(
      ["get", server.url("/a.jpg")], environment: ["IMGFETCH_JSON": "yes", "IMGFETCH_NO_CLOBBER": "1"])
    #expect(switched.lines.count == 2 && switched.outputText.hasPrefix("{\"url\""), "\(switched)")
    // A typed negation undoes a switch that is set elsewhere.
    let undone = try program.run(["get", "--no-json", server.url("/a.jpg")], environment: ["IMGFETCH_JSON": "1"])
    #expect(undone.rows.first?.count == 7, "\(undone)")
  }

  @Test("help options prints each value and its source")
  func told() throws {
    let path = try configure("jobs = 8\nretry = 5\ndeny-host = a.example\n")
    let outcome = try program.run(
      ["help", "options"], environment: ["IMGFETCH_RETRY": "3", "IMGFETCH_DENY_HOST": "b.example"])
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty)
    func row(_ name: String) -> [String] {
      outcome.lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").map(String.init) ?? []
    }
    #expect(row("jobs") == ["jobs", "8", "100", "\(path):1"])
    #expect(row("retry") == ["retry", "3", "2", "IMGFETCH_RETRY"])
    #expect(row("per-host").last == "default")
    #expect(row("deny-host").suffix(2) == ["\(path):3,", "IMGFETCH_DENY_HOST"])
    #expect(row("offline") == ["offline", "no", "no", "default"])
  }

  @Test("A configuration that only another user may look for ends the run, with the ways out", .needs(.root))
  func homeOfAnother() throws {
    let folder = try program.folder.makeFolder("another")
    try Command.setMode(of: folder, 0)
    defer { try? Command.setMode(of: folder, 0o700) }
    var command = program.command(["get", server.url("/a.jpg")], environment: ["XDG_CONFIG_HOME": folder])
    // Root may look into every folder by these.
    let rights = "-dac_override,-dac_read_search"
    command.arguments = ["--bounding-set", rights, "--inh-caps", rights, Program.path] + command.arguments
    command.path = try Command.find("setpriv")
    let outcome = try command.run()
    #expect(outcome.exitCode == 2, "\(outcome)")
    #expect(outcome.errorText.contains("set HOME or XDG_CONFIG_HOME, or add --no-config"), "\(outcome)")
  }

  @Test("help options says which file is read, and which policy --offline is")
  func toldOfVariables() throws {
    let path = try configure("jobs = 8\n", at: "other")
    let outcome = try program.run(
      ["help", "options"], environment: ["IMGFETCH_CONFIG": path, "IMGFETCH_CACHE": "only"])
    func row(_ name: String) -> [String] {
      outcome.lines.first { $0.hasPrefix(name + " ") }?.split(separator: " ").map(String.init) ?? []
    }
    #expect(row("config").last == "IMGFETCH_CONFIG", "\(outcome)")
    #expect(row("offline") == ["offline", "yes", "no", "IMGFETCH_CACHE"], "\(outcome)")
    let none = try program.run(["help", "options"], environment: ["IMGFETCH_NO_CONFIG": "1"])
    let last = none.lines.first { $0.hasPrefix("config ") }?.split(separator: " ")
    #expect(last?.dropFirst().first == "none" && last?.last == "IMGFETCH_NO_CONFIG", "\(none)")
    let wrong = try program.run(["cache", "size"], environment: ["IMGFETCH_NO_CONFIG": "maybe"])
    #expect(wrong.exitCode == 2 && wrong.errorText.contains("IMGFETCH_NO_CONFIG cannot be 'maybe'"), "\(wrong)")
  }
}
