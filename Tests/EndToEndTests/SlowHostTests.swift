import ImgfetchCore
import TestSupport
import Testing

/// A slow or silent host does not hold up the others.
@Suite("Slow hosts") struct SlowHostTests {
  let slow: TestServer
  let quick: TestServer
  let program: Program
  let gate = Gate()

  init() throws {
    slow = try TestServer()
    quick = try TestServer(host: "127.0.0.2")
    program = try Program()
    let gate = gate
    slow.onOther { request in
      .ok(TestImages.jpeg(width: 8, height: 8, seed: Self.seed(request)), type: "image/jpeg").held(by: gate)
    }
    quick.onOther { .ok(TestImages.jpeg(width: 9, height: 9, seed: Self.seed($0)), type: "image/jpeg") }
  }

  private static func seed(_ request: TestServer.Request) -> UInt64 {
    UInt64(request.path.filter(\.isNumber)) ?? 0
  }

  private func urls(_ server: TestServer, _ numbers: Range<Int>) -> [String] {
    numbers.map { server.url("/\($0).jpg") }
  }

  /// Reads the rows of the other images while the slow host is silent.
  private func rows(of running: Running, _ count: Int) throws -> Set<String> {
    var rows: Set<String> = []
    while rows.count < count, let line = try running.nextLine() {
      if let url = line.split(separator: "\t").last { rows.insert(String(url)) }
    }
    return rows
  }

  @Test("--max-time counts from an image's first request, however long it has waited for its turn")
  func maximumTime() throws {
    defer { gate.open() }
    let outcome = try program.run(
      ["get", "--json", "-j1", "--retry", "0", "--max-time", "100ms"] + urls(slow, 0..<3))
    #expect(outcome.exitCode == 3 && outcome.lines.count == 4, "\(outcome)")
    for line in outcome.lines.dropLast() {
      let row = try JSON.object(line)
      #expect((row["error"] as? [String: Any])?["kind"] as? String == "timeout", "\(line)")
      #expect(row["attempts"] as? Int == 1, "\(line)")
    }
  }

  @Test("A host that is silent for --max-time is given up like one that is silent for --timeout")
  func silentForMaximumTime() throws {
    defer { gate.open() }
    let outcome = try program.run(
      ["get", "-j2", "--retry", "0", "--max-time", "100ms", "-d", "out"] + urls(slow, 0..<60))
    #expect(outcome.exitCode == 3 && outcome.errorText.contains("does not answer (no answer came in"), "\(outcome)")
    #expect(slow.requests.count < 20, "\(slow.requests.count)")
  }

  @Test("--max-time does not count while an image waits for its turn at a mirror, after a name that does not exist")
  func maximumTimeOfMirror() throws {
    defer { gate.open() }
    // A label of this length is no name, and no server is asked for it.
    let host = String(repeating: "a", count: 64) + ".test"
    let lines = (0..<3).map { "http://\(host)/\($0).jpg\t\tmirror=\(slow.url("/\($0).jpg"))" }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
    let outcome = try program.run("get", "-j1", "--retry", "0", "--max-time", "100ms", "-i", "list.txt")
    #expect(outcome.exitCode == 3, "\(outcome)")
    for number in 0..<3 { #expect(slow.count("/\(number).jpg") == 1, "\(outcome)") }
  }

  @Test(
    "While one host does not answer, all others are fetched, whatever the list comes through",
    arguments: ["file", "pipe", "operands"])
  func silent(source: String) throws {
    let lines = urls(slow, 0..<400) + urls(quick, 0..<201)
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
    let running: Running
    switch source {
    case "file": running = try program.start(["get", "-d", "out", "-i", "list.txt"])
    case "pipe":
      running = try program.start(["get", "-d", "out", "-i", "-"])
      running.write(lines.map { $0 + "\n" }.joined())
    default: running = try program.start(["get", "-d", "out"] + lines)
    }
    #expect(try rows(of: running, 201) == Set(urls(quick, 0..<201)))
    #expect(slow.requests.count == 6)
    gate.open()
    running.closeInput()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 0, "\(outcome.errorText)")
    #expect(outcome.lines.count == 601)
    #expect(program.folder.files(in: "work/out").count == 601)
  }

  @Test("Deferred lines keep their names, numbers, checksums, fields and order")
  func meanings() throws {
    func line(_ server: TestServer, _ number: Int) -> String {
      "\(server.url("/\(number).jpg"))\tid=\(server.port)-\(number)"
    }
    // The slow host's lines come first, so they have the plain names.
    let lines =
      ["# remark"] + (0..<400).map { line(slow, $0) } + ["", "http://h/\tn\tzzz"] + (0..<300).map { line(quick, $0) }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
    let running = try program.start(["get", "--json", "--ordered", "-d", "out", "-i", "list.txt"])
    for number in 0..<300 { try quick.waitForRequests("/\(number).jpg", 1) }
    gate.open()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 8, "\(outcome.errorText)")
    let rows = try outcome.lines.dropLast().map(JSON.object)
    #expect(rows.count == 701)
    let expected = Array(2...401) + Array(403...703)
    #expect(rows.map { $0["line"] as? Int } == expected)
    for (at, row) in rows.enumerated() where at != 400 {
      let (server, number) = at < 400 ? (slow, at) : (quick, at - 401)
      #expect(row["id"] as? String == "\(server.port)-\(number)")
      #expect(row["width"] as? Int == (at < 400 ? 8 : 9))
      let output = row["output"] as? String ?? ""
      #expect(
        at < 400 || number >= 400 ? output == "out/\(number).jpg" : output.hasPrefix("out/\(number)-"), "\(output)")
    }
  }

  @Test("{index} and checksums are right for deferred lines")
  func indexAndChecksum() throws {
    let wrong = String(repeating: "0", count: 64)
    let lines = urls(slow, 0..<400).map { "\($0)\tsha256=\(wrong)" } + urls(quick, 0..<20)
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
    let running = try program.start(["get", "-q", "-d", "out", "--name", "{index}.{ext}", "-i", "list.txt"])
    for number in 0..<20 { try quick.waitForRequests("/\(number).jpg", 1) }
    gate.open()
    #expect(try running.wait().exitCode == 5)
    #expect(program.folder.files(in: "work/out").sorted() == (401...420).map { "\($0).jpg" })
  }

  @Test(
    "An interrupted run writes the deferred lines to the failed list, in order",
    arguments: ["file", "pipe"])
  func brokenOff(source: String) throws {
    let lines = urls(slow, 0..<900)
    let input = (lines + urls(quick, 0..<1)).map { $0 + "\n" }.joined()
    try program.folder.write("work/list.txt", input)
    let running = try program.start(
      ["get", "--failed-list", "again.txt", "-i", source == "file" ? "list.txt" : "-"])
    if source == "pipe" { running.write(input) }
    // It was read to its end.
    #expect(try rows(of: running, 1) == Set(urls(quick, 0..<1)))
    running.send(2)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130)
    let again = try #require(FailedList.lines(of: program.work + "/again.txt"))
    #expect(Set(again) == Set(lines) && again.count == 900)
    // Cancelled lines come in any order, among them or before.
    let waiting = Set(lines.suffix(600))
    #expect(again.filter { waiting.contains($0) } == Array(lines.suffix(600)))
    #expect(outcome.errorText.contains(" \(900 - (outcome.lines.count - 1)) not tried"), "\(outcome.errorText)")
  }

  @Test("Lines of a list that changed while they were deferred fail; none is mistaken for another")
  func changed() throws {
    let list = try program.folder.write(
      "work/list.txt", (urls(slow, 0..<400) + urls(quick, 0..<1)).joined(separator: "\n"))
    let running = try program.start(["get", "-i", "list.txt"])
    #expect(try rows(of: running, 1) == Set(urls(quick, 0..<1)))
    try Command.overwrite(list, with: Array(repeating: UInt8(ascii: "#"), count: 1 << 16))
    gate.open()
    let outcome = try running.wait()
    #expect(outcome.exitCode == 7, "\(outcome)")
    #expect(outcome.errorText.contains("list.txt:400: the list was changed while it was read"), "\(outcome)")
    #expect(outcome.lines.count == 401)
    #expect(slow.requests.count == 256)
  }

  @Test("With -j 1 images are fetched in the order of the list, however long and with however many hosts")
  func oneJob() throws {
    gate.open()
    let order = Guarded<[String]>([])
    for server in [slow, quick] {
      server.onOther { request in
        order.withLock { $0.append(request.path) }
        return .ok(TestImages.jpeg(width: 8, height: 8, seed: Self.seed(request)), type: "image/jpeg")
      }
    }
    let lines = urls(slow, 0..<300) + urls(quick, 300..<310)
    let outcome = try program.run(["get", "-q", "-j1", "-d", "out", "-i", "-"], input: lines.joined(separator: "\n"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(order.withLock { $0 } == (0..<310).map { "/\($0).jpg" })
  }
}
