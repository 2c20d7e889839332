import TestSupport
import Testing

/// The lines that an interrupted run has not tried: no line of a list is lost.
@Suite("Untried lines") struct UntriedLinesTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
  }

  private func slow(_ numbers: Range<Int>) -> [String] { numbers.map { server.url("/slow.jpg?\($0)") } }

  private func text(_ lines: [String], end: String = "\n") -> String { lines.map { $0 + end }.joined() }

  private func again(end: Character = "\n") -> [String]? {
    FailedList.lines(of: program.work + "/again.txt", end: end)
  }

  @Test(
    "After a signal, the failed list contains the rest of every list, and the summary has its number",
    arguments: [2, 15] as [Int32])
  func interrupted(signal: Int32) throws {
    try program.folder.write("work/one.txt", "# remark\n\n" + text(slow(0..<1500)))
    try program.folder.write("work/two.txt", text(slow(1500..<1600) + [server.url("/a.jpg") + "\tname\tzzz"]))
    let running = try program.start([
      "get", "--failed-list", "again.txt", server.url("/a.jpg"), "-i", "one.txt", "-i", "nowhere", "-i", "two.txt",
    ])
    #expect(try running.nextLine()?.contains("/a.jpg") == true)
    try server.waitForConcurrent(6)
    running.send(signal)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 128 + signal, "\(outcome)")
    // In the order of the lists.
    #expect(again() == slow(0..<1600) + [server.url("/a.jpg") + "\tname\tzzz"])
    let untried = 1601 - (outcome.lines.count - 1)
    #expect(untried > 1000)
    #expect(outcome.errorText.contains("; not complete: 1,603 lines read, "), "\(outcome)")
    #expect(outcome.errorText.contains(" \(untried / 1000),\(untried % 1000) not tried\n"), "\(outcome)")
    #expect(outcome.errorText.contains("nowhere: the list cannot be read"), "\(outcome)")
  }

  @Test("After --fail-fast, too", arguments: ["\n", "\0"])
  func failFast(end: String) throws {
    let lines = [server.url("/missing.jpg")] + slow(0..<900)
    try program.folder.write("work/list.txt", text(lines, end: end))
    let outcome = try program.run(
      ["get", "--fail-fast", "-i", "list.txt", "--failed-list", "again.txt"] + (end == "\0" ? ["-0"] : []))
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(again(end: Character(end))?.sorted() == lines.sorted())
    #expect(outcome.errorText.contains(" not tried\n"), "\(outcome)")
  }

  @Test(
    "With one job nothing is requested after the first failure, whatever finds it out",
    arguments: ["/missing.jpg", "/page.jpg", "/moved.jpg"])
  func failFastOneByOne(failing: String) throws {
    let image = TestImages.jpeg(width: 20, height: 10)
    server.serve("/page.jpg", Array("<html><p>No such image</html>".utf8))
    server.serve("/moved.jpg", .redirect(to: "/missing.jpg"))
    for number in 1...4 { server.serve("/good\(number).jpg", image) }
    let urls = ["/good1.jpg", "/good2.jpg", failing, "/good3.jpg", "/good4.jpg"].map { server.url($0) }
    for round in 0..<8 {
      let outcome = try program.run(
        ["get", "--fail-fast", "-j", "1", "--retry", "0", "--cache", "off", "-d", "out\(round)"] + urls)
      #expect(outcome.exitCode == (failing == "/page.jpg" ? 5 : 4), "\(outcome)")
      #expect(Command.names(in: "\(program.work)/out\(round)").sorted() == ["good1.jpg", "good2.jpg"])
    }
    #expect(server.count("/good3.jpg") == 0 && server.count("/good4.jpg") == 0)
  }

  @Test("One job goes on through redirects, retries, mirrors and confirmations, though it holds its place")
  func failFastGoesOn() throws {
    let image = TestImages.jpeg(width: 20, height: 10)
    server.serve("/moved.jpg", .redirect(to: "/a.jpg"))
    server.serve("/good.jpg", image)
    let list = text([
      server.url("/moved.jpg"), server.url("/missing.jpg") + "\tname\tmirror=" + server.url("/good.jpg"),
      server.url("/good.jpg"), server.url("/moved.jpg") + "\tother", server.url("/a.jpg"),
    ])
    for policy in ["age", "refresh", "reload", "http", "off", "memory"] {
      let outcome = try program.run(
        ["get", "--fail-fast", "-j", "1", "--cache", policy, "-d", policy, "-i", "-"], input: list)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(
        Command.names(in: "\(program.work)/\(policy)").sorted()
          == ["a.jpg", "good.jpg", "moved.jpg", "name.jpg", "other.jpg"])
    }
  }

  @Test("Untried operands are in it as well")
  func operands() throws {
    let urls = slow(0..<600)
    let outcome = try program.run(
      ["get", "--fail-fast", "--failed-list", "again.txt", server.url("/missing.jpg")] + urls)
    #expect(again()?.sorted() == ([server.url("/missing.jpg")] + urls).sorted(), "\(outcome)")
  }

  @Test("Lines of other shards are not")
  func shards() throws {
    let lines = slow(0..<800) + (0..<50).map { "http://h/\($0)\tn\tzzz" }
    try program.folder.write("work/list.txt", text(lines))
    var all: [String] = []
    for shard in 1...2 {
      let running = try program.start([
        "get", "--ordered", "-i", "list.txt", "--shard", "\(shard)/2", "--failed-list", "\(shard).txt",
      ])
      try server.waitForConcurrent(6)
      running.send(2)
      #expect(try running.wait().exitCode == 130)
      let part = try #require(FailedList.lines(of: program.work + "/\(shard).txt"))
      #expect(part.count > 300)
      all += part
    }
    #expect(all.sorted() == lines.sorted())
  }

  @Test("Lines that arrive through a pipe within a second are in it")
  func pipe() throws {
    let running = try program.start(["get", "-i", "-", "--failed-list", "again.txt"])
    running.write(text(slow(0..<2)))
    try server.waitForRequests("/slow.jpg", 2)
    running.send(2)
    // The signal was seen before the other lines come, or they would be tried as well.
    for _ in 0..<2 { #expect(try running.nextLine()?.contains("/slow.jpg") == true) }
    running.write(text(slow(2..<40)))
    running.closeInput()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130, "\(outcome)")
    #expect(again()?.sorted() == slow(0..<40).sorted())
    let untried = 40 - outcome.lines.count
    #expect(outcome.errorText.contains("; not complete: 40 lines read, \(untried) not tried\n"), "\(outcome)")
  }

  @Test("An endless pipe is not waited for, and the summary says that there was more")
  func openPipe() throws {
    let running = try program.start(["get", "--fail-fast", "-i", "-", "--failed-list", "again.txt"])
    running.write(text([server.url("/missing.jpg")]))
    let outcome = try running.wait()
    #expect(outcome.exitCode == 4, "\(outcome)")
    #expect(again() == [server.url("/missing.jpg")])
    #expect(outcome.errorText.contains("; not complete: 1 line read, and more was to come\n"), "\(outcome)")
  }

  @Test("A named pipe without a writer does not delay the end")
  func namedPipe() throws {
    try Command.makePipe(program.work + "/pipe")
    try program.folder.write("work/list.txt", text([server.url("/a.jpg")]))
    let running = try program.start([
      "get", server.url("/slow.jpg?1"), "-i", "pipe", "-i", "list.txt", "--failed-list", "again.txt",
    ])
    try server.waitForRequests("/slow.jpg?1", 1)
    running.send(15)
    #expect(try running.wait().exitCode == 143)
    #expect(again()?.sorted() == [server.url("/a.jpg"), server.url("/slow.jpg?1")])
  }

  @Test("A second signal ends the run at once, and an existing list stays as it was")
  func secondSignal() throws {
    let list = try program.folder.write("work/again.txt", "earlier\n")
    let running = try program.start(["get", "-i", "-", "--failed-list", "again.txt"])
    running.write(text(slow(0..<1)))
    try server.waitForRequests("/slow.jpg", 1)
    running.send(2)
    // In the first tenth of a second it counts as the first one.
    while running.peakMemory != nil { running.send(15) }
    #expect(try running.wait().exitCode == 143)
    #expect(Command.text(of: list) == "earlier\n")
  }

  @Test("The input list may be the failed list in this case, too, if it is one")
  func sameFile() throws {
    let lines = slow(0..<2000)
    let list = try program.folder.write("work/list.txt", text([FailedList.mark, server.url("/a.jpg")] + lines))
    let running = try program.start(["get", "-i", "list.txt", "--failed-list", "list.txt"])
    #expect(try running.nextLine()?.contains("/a.jpg") == true)
    try server.waitForConcurrent(6)
    running.send(2)
    #expect(try running.wait().exitCode == 130)
    #expect(FailedList.lines(of: list) == lines)
  }
}
