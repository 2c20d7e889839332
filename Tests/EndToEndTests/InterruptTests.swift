import Glibc
import TestSupport
import Testing

@Suite("Interrupts") struct InterruptTests {
  @Test("A signal ends a run in order, with the summary and the signal's exit code", arguments: [1, 2, 15] as [Int32])
  func summary(signal: Int32) throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    server.serve("/fast.jpg", TestImages.jpeg(width: 20, height: 10))
    let running = try program.start(["get", "--json", server.url("/fast.jpg"), server.url("/slow.jpg")])
    #expect(try running.nextLine()?.contains("/fast.jpg") == true)
    try server.waitForRequests("/slow.jpg", 1)
    running.send(signal)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 128 + signal, "\(outcome)")
    #expect(outcome.lines.count == 3, "\(outcome)")
    #expect(outcome.lines.last?.contains("\"failed\":1") == true)
    #expect(program.folder.files(in: "work") == ["fast.jpg"])
  }

  @Test("A closed terminal leaves the report, the list of failures and the parts")
  func hungUp() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve(
      "/slow.jpg",
      .ok(TestImages.jpeg(bytes: 900_000), type: "image/jpeg").with("ETag", "\"1\"").with("Accept-Ranges", "bytes")
        .stallAfter(600_000))
    server.serve("/fast.jpg", TestImages.jpeg(width: 20, height: 10))
    let urls = ["/fast.jpg", "/slow.jpg"].map { server.url($0) }
    let running = try program.start(["get", "-v", "--report", "rows", "--failed-list", "again"] + urls)
    #expect(try running.nextLine()?.contains("/fast.jpg") == true)
    try server.waitForBytesSent(600_000)
    // Some of them have been read, with the header.
    try running.waitForError("/slow.jpg: answered 200")
    running.send(SIGHUP)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 129, "\(outcome)")
    #expect(outcome.errorText.contains("2 images: 1 downloaded, 1 broken off"), "\(outcome)")
    #expect(program.folder.text("work/rows")?.contains("\"summary\"") == true)
    #expect(program.folder.text("work/again")?.contains(urls[1]) == true)
    #expect(program.folder.files(in: "home/.cache").contains { $0.hasSuffix(".part") })
  }

  @Test("Under nohup a closed terminal does not matter")
  func ignored() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    var command = program.command([])
    command.path = "/bin/sh"
    command.arguments = [
      "-c", "trap '' HUP; exec \"$0\" get \"$@\"", Program.path, server.url("/slow.jpg"), server.url("/x"),
    ]
    let running = try command.start()
    try server.waitForRequests("/slow.jpg", 1)
    running.send(SIGHUP)
    server.release("/slow.jpg")
    #expect(try running.wait().exitCode == 4)
    #expect(program.folder.files(in: "work") == ["slow.jpg"])
  }

  @Test("A second signal right after the first one is the same: the run still ends in order")
  func twice() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "--json", "--report", "rows", server.url("/slow.jpg")])
    try server.waitForRequests("/slow.jpg", 1)
    // As `timeout -s INT` sends it: to the program and to its group.
    running.send(SIGINT)
    running.send(SIGINT)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130, "\(outcome)")
    #expect(outcome.lines.last?.hasPrefix("{\"summary\":") == true, "\(outcome)")
    #expect(program.folder.files(in: "work") == ["rows"])
  }

  @Test(
    "A reader that has stopped reading does not hold up the end, and the files of the run are written",
    arguments: [
      (1, ["--report", "rows"]), (1, ["--json", "--report", "rows"]), (1, ["--ordered", "--report", "rows"]),
      (1, ["-q", "--report", "-"]), (2, ["--report", "rows"]),
    ])
  func unread(stream: Int, options: [String]) throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    try Command.makePipe(program.folder.path("work/pipe"))
    var command = program.command([])
    command.path = "/bin/sh"
    let fill = "exec 3<>pipe; dd if=/dev/zero of=pipe oflag=nonblock bs=4096 count=300 2>/dev/null"
    command.arguments = ["-c", "\(fill); exec \"$0\" get \"$@\" \(stream)>&3", Program.path]
    command.arguments += options + ["--retry", "0", "--failed-list", "again"]
    command.arguments += [server.url("/slow.jpg"), server.url("/missing.jpg")]
    let running = try command.start()
    try server.waitForRequests("/slow.jpg", 1)
    try server.waitForRequests("/missing.jpg", 1)
    running.send(SIGTERM)
    #expect(try running.wait().exitCode == 143)
    #expect(program.folder.text("work/again")?.contains("/slow.jpg") == true)
    if options.contains("rows") { #expect(program.folder.text("work/rows")?.contains("\"summary\"") == true) }
  }

  @Test("On pipes the summary is printed to standard error, too", arguments: [["-d", "."], ["-w", "{url}\\n"]])
  func summaryInWords(form: [String]) throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    server.serve("/fast.jpg", TestImages.jpeg(width: 20, height: 10))
    let running = try program.start(["get"] + form + [server.url("/fast.jpg"), server.url("/slow.jpg")])
    #expect(try running.nextLine()?.contains("/fast.jpg") == true)
    try server.waitForRequests("/slow.jpg", 1)
    running.send(2)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130)
    #expect(outcome.errorText.hasPrefix("2 images: "), "\(outcome)")
  }

  @Test("A run that waits for one image, or for the rest of a list, can be interrupted, too")
  func waiting() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let one = try program.start(["get", server.url("/slow.jpg")])
    try server.waitForRequests("/slow.jpg", 1)
    one.send(2)
    #expect(try one.wait().exitCode == 130)
    let list = try program.start(["get", "-i", "-"])
    list.write("\(server.url("/slow.jpg?2"))\n")
    try server.waitForRequests("/slow.jpg?2", 1)
    list.send(15)
    #expect(try list.wait().exitCode == 143)
    #expect(program.folder.files(in: "work").isEmpty)
  }

  /// The image is in the cache, so nothing else of the run takes time.
  @Test("A run that waits for the reader of its output can be interrupted, too")
  func reader() throws {
    let server = try TestServer()
    let program = try Program()
    // More than a pipe holds.
    server.serve("/a.jpg", .ok(TestImages.jpeg(bytes: 300_000), type: "image/jpeg"))
    #expect(try program.run("prefetch", server.url("/a.jpg")).exitCode == 0)
    let path = program.folder.path("work/pipe")
    try #require(mkfifo(path, 0o600) == 0)
    // For both ends: it can be opened at once, and nothing is read from it.
    let pipe = open(path, O_RDWR)
    defer { close(pipe) }
    let running = try program.start(["get", "-q", "-o", "pipe", server.url("/a.jpg")])
    var waiting = pollfd(fd: pipe, events: Int16(POLLIN), revents: 0)
    #expect(poll(&waiting, 1, -1) == 1)
    running.send(15)
    #expect(try running.wait().exitCode == 143)
  }
}
