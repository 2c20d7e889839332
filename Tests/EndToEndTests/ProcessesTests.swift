import Glibc
import TestSupport
import Testing

/// Any number of processes use one cache, and wait for each other only for the same image.
@Suite("Several processes sharing one cache") struct ProcessesTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  private func start(_ number: Int, _ path: String, _ arguments: String...) throws -> Running {
    try program.start(["get", "--json", "-d", "out\(number)"] + arguments + [server.url(path)])
  }

  private func row(_ outcome: Outcome) throws -> [String: Any] {
    try JSON.object(try #require(outcome.lines.first, "\(outcome)"))
  }

  @Test("Four that request one slow image at once: one request, four images, three of them shared")
  func shared() throws {
    let image = TestImages.jpeg(bytes: 600_000)
    server.serve("/a.jpg", .ok(image, type: "image/jpeg").with("ETag", "\"1\"").stallAfter(300_000))
    let first = try start(1, "/a.jpg")
    try server.waitForRequests("/a.jpg", 1)
    let others = try (2...4).map { try start($0, "/a.jpg", "-v") }
    for other in others { try other.waitForError("this one waits") }
    server.release("/a.jpg")
    let outcomes = try ([first] + others).map { try $0.wait() }
    for (index, outcome) in outcomes.enumerated() {
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(program.folder.read("work/out\(index + 1)/a.jpg") == image)
    }
    #expect(server.count("/a.jpg") == 1)
    let rows = try outcomes.map(row)
    #expect(rows.map { $0["shared"] as? Bool } == [false, true, true, true])
    #expect(rows.map { $0["cache"] as? String } == ["none", "disk", "disk", "disk"])
  }

  /// The parts in the cache.
  private var parts: [String] { program.folder.files(in: "home/.cache").filter { $0.hasSuffix(".part") } }

  @Test(
    "Four that revalidate one image at once: one request, four images, three of them shared",
    arguments: [true, false])
  func revalidated(isUnchanged: Bool) throws {
    let image = TestImages.jpeg(bytes: 10_000)
    let later = TestImages.jpeg(width: 30, height: 20)
    let gate = Gate()
    server.on("/a.jpg") { request in
      if request.ordinal == 1 { return .ok(image, type: "image/jpeg").with("ETag", "\"1\"") }
      let answer: TestServer.Response =
        isUnchanged
        ? .status(304).with("ETag", "\"1\"") : .ok(later, type: "image/jpeg").with("ETag", "\"2\"")
      return answer.held(by: gate)
    }
    #expect(try start(0, "/a.jpg").wait().exitCode == 0)
    let first = try start(1, "/a.jpg", "--cache", "refresh")
    try server.waitForRequests("/a.jpg", 2)
    #expect(parts.isEmpty)
    let others = try (2...4).map { try start($0, "/a.jpg", "--cache", "refresh", "-v") }
    for other in others { try other.waitForError("this one waits") }
    gate.open()
    let outcomes = try ([first] + others).map { try $0.wait() }
    for (index, outcome) in outcomes.enumerated() {
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(program.folder.read("work/out\(index + 1)/a.jpg") == (isUnchanged ? image : later))
    }
    #expect(server.count("/a.jpg") == 2)
    let rows = try outcomes.map(row)
    #expect(rows.map { $0["shared"] as? Bool } == [false, true, true, true])
    #expect(rows.map { $0["revalidated"] as? Bool } == [isUnchanged, false, false, false])
    #expect(parts.isEmpty)
  }

  @Test("A stored image that has changed is downloaded once, however long that takes")
  func changed() throws {
    let image = TestImages.jpeg(bytes: 10_000)
    let later = TestImages.jpeg(bytes: 600_000)
    server.on("/a.jpg") { request in
      request.ordinal == 1
        ? .ok(image, type: "image/jpeg").with("ETag", "\"1\"")
        : .ok(later, type: "image/jpeg").with("ETag", "\"2\"").stallAfter(300_000)
    }
    #expect(try start(0, "/a.jpg").wait().exitCode == 0)
    let first = try start(1, "/a.jpg", "--cache", "refresh")
    try server.waitForRequests("/a.jpg", 2)
    let others = try (2...4).map { try start($0, "/a.jpg", "--cache", "refresh", "-v") }
    for other in others { try other.waitForError("this one waits") }
    try waitForPart(atLeast: 200_000)
    server.release("/a.jpg")
    let outcomes = try ([first] + others).map { try $0.wait() }
    for (index, outcome) in outcomes.enumerated() {
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(program.folder.read("work/out\(index + 1)/a.jpg") == later)
    }
    #expect(server.count("/a.jpg") == 2)
    #expect(try outcomes.map(row).map { $0["shared"] as? Bool } == [false, true, true, true])
  }

  @Test("When the origin fails, each waiting process makes its own request, and none waits again")
  func failedQuestion() throws {
    let image = TestImages.jpeg(bytes: 10_000)
    let gates = [Gate(), Gate()]
    server.on("/a.jpg") { request in
      switch request.ordinal {
      case 1: .ok(image, type: "image/jpeg").with("ETag", "\"1\"")
      case 2: .status(404).held(by: gates[0])
      default: .status(404).held(by: gates[1])
      }
    }
    #expect(try start(0, "/a.jpg").wait().exitCode == 0)
    let first = try start(1, "/a.jpg", "--cache", "refresh")
    try server.waitForRequests("/a.jpg", 2)
    let others = try (2...4).map { try start($0, "/a.jpg", "--cache", "refresh", "-v") }
    for other in others { try other.waitForError("this one waits") }
    gates[0].open()
    #expect(try first.wait().exitCode == 4)
    // All three ask while none has its answer.
    try server.waitForRequests("/a.jpg", 5)
    gates[1].open()
    for other in others { #expect(try other.wait().exitCode == 4) }
  }

  @Test("After a process is killed, the next one requests only the missing bytes", arguments: [true, false])
  func killed(waits: Bool) throws {
    let image = TestImages.jpeg(bytes: 1_000_000)
    let resource = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { request in
      request.ordinal == 1 ? resource.answer(request).stallAfter(600_000) : resource.answer(request)
    }
    let first = try start(1, "/a.jpg")
    try waitForPart(atLeast: 500_000)
    let waiter = waits ? try start(2, "/a.jpg", "-v") : nil
    try waiter?.waitForError("this one waits")
    first.send(SIGKILL)
    _ = try first.wait()
    let outcome = try (waiter ?? start(2, "/a.jpg")).wait()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(program.folder.read("work/out2/a.jpg") == image)
    #expect(server.count("/a.jpg") == 2)
    let from = try #require(server.requests.last?["Range"].flatMap { Int($0.dropFirst(6).dropLast()) })
    #expect(from >= 500_000)
    let result = try row(outcome)
    #expect(result["downloaded"] as? Int == image.count - from)
    #expect(result["shared"] as? Bool == false)
  }

  @Test("A slow download gets its resume note after a second, however small it is")
  func slow() throws {
    let image = TestImages.jpeg(bytes: 200_000)
    let resource = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { request in
      request.ordinal == 1 ? resource.answer(request).stallAfter(150_000) : resource.answer(request)
    }
    let first = try start(1, "/a.jpg")
    try waitForPart(atLeast: 1, noted: true)
    first.send(SIGKILL)
    _ = try first.wait()
    #expect(try start(2, "/a.jpg").wait().exitCode == 0)
    #expect(server.requests.last?["Range"] != nil)
    #expect(program.folder.read("work/out2/a.jpg") == image)
  }

  @Test("A failure is not shared: each waiting process makes its own request")
  func failure() throws {
    let image = TestImages.jpeg(bytes: 600_000)
    let gate = Gate()
    server.on("/a.jpg") { request in
      request.ordinal == 1 ? .status(404).held(by: gate) : .ok(image, type: "image/jpeg")
    }
    let first = try start(1, "/a.jpg")
    try server.waitForRequests("/a.jpg", 1)
    let others = try (2...3).map { try start($0, "/a.jpg", "-v") }
    for other in others { try other.waitForError("this one waits") }
    gate.open()
    #expect(try first.wait().exitCode == 4)
    for (index, other) in others.enumerated() {
      let outcome = try other.wait()
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(program.folder.read("work/out\(index + 2)/a.jpg") == image)
    }
  }

  @Test("Waiting takes no slot: the rest of the list is fetched meanwhile")
  func noPlace() throws {
    let image = TestImages.jpeg(bytes: 600_000)
    server.serve("/a.jpg", .ok(image, type: "image/jpeg").stallAfter(300_000))
    server.serve("/b.jpg", TestImages.jpeg(width: 20, height: 10))
    let first = try start(1, "/a.jpg")
    try server.waitForRequests("/a.jpg", 1)
    let second = try start(2, "/a.jpg", "-j1", server.url("/b.jpg"))
    #expect(try second.nextLine()?.contains("/b.jpg") == true)
    server.release("/a.jpg")
    #expect(try first.wait().exitCode == 0)
    #expect(try second.wait().exitCode == 0)
    #expect(server.count("/a.jpg") == 1)
  }

  @Test("If the downloading process is interrupted, a waiting one resumes its part")
  func interrupted() throws {
    let image = TestImages.jpeg(bytes: 1_000_000)
    let resource = Resource(image, etag: "\"1\"")
    server.on("/a.jpg") { request in
      request.ordinal == 1 ? resource.answer(request).stallAfter(600_000) : resource.answer(request)
    }
    let first = try start(1, "/a.jpg")
    try waitForPart(atLeast: 300_000)
    let waiter = try start(2, "/a.jpg", "-v")
    try waiter.waitForError("this one waits")
    first.send(SIGTERM)
    #expect(try first.wait().exitCode == 143)
    #expect(try waiter.wait().exitCode == 0)
    #expect(server.requests.last?["Range"] != nil)
    #expect(program.folder.read("work/out2/a.jpg") == image)
  }

  /// Processes fetch one list again and again while they are killed, and the cache is cleared, at random. No image may
  /// be wrong, no process may wait for ever, and every part that is left can be taken.
  @Test("Processes killed at random", arguments: 1...2)
  func randomWalk(walk: Int) throws {
    let seed = Seed()
    var numbers = seed.random(for: walk)
    let images = (0..<4).map { TestImages.jpeg(bytes: 30_000 + 150_000 * $0, seed: UInt64($0)) }
    for (index, image) in images.enumerated() {
      server.serve("/\(index).jpg", Resource(image, etag: "\"\(index)\""))
    }
    let urls = images.indices.map { server.url("/\($0).jpg") }
    func start(_ number: Int) throws -> Running {
      // Slow enough for a kill in the middle.
      try program.start(
        ["get", "-q", "--limit-rate", "2M", "-d", "out\(number)"] + urls.shuffled(using: &numbers))
    }
    func check(_ folder: String) {
      for (index, image) in images.enumerated() {
        #expect(program.folder.read("work/\(folder)/\(index).jpg") == image, "\(folder), \(index), \(seed)")
      }
    }
    var running = try (0..<6).map { try start($0) }
    for _ in 0..<20 {
      let turn = Int.random(in: running.indices, using: &numbers)
      var mayFail = true
      switch Int.random(in: 0..<4, using: &numbers) {
      case 0: running[turn].send(SIGKILL)
      case 1: running[turn].send(SIGINT)
      case 2:
        #expect(try program.run("cache", "clear").exitCode == 0)
        mayFail = false
      default: mayFail = false
      }
      let outcome = try running[turn].wait()
      if outcome.exitCode == 0 { check("out\(turn)") }
      #expect(
        outcome.exitCode == 0 || (mayFail && (outcome.exitCode == 130 || outcome.signal != nil)), "\(seed), \(outcome)")
      running[turn] = try start(turn)
    }
    for (number, process) in running.enumerated() {
      #expect(try process.wait().exitCode == 0, "\(seed)")
      check("out\(number)")
    }
    #expect(try program.run(["get", "-d", "last"] + urls).exitCode == 0, "\(seed)")
    check("last")
    for name in program.folder.files(in: "home/.cache") where name.hasSuffix(".part") {
      #expect(!Command.isLocked(program.folder.path("home/.cache/\(name)")), "\(name), \(seed)")
    }
  }

  /// Sleeps until the only part in the cache has `size` bytes, and a note if that is required.
  private func waitForPart(atLeast size: Int, noted: Bool = false) throws {
    try program.folder.wait(for: "a part of \(size) bytes") {
      parts.first { name in
        let path = program.folder.path("home/.cache/\(name)")
        let isLong = Command.size(of: path).map { $0 >= size } ?? false
        return isLong && (!noted || Command.hasAttribute("user.imgfetch.resume", at: path))
      }
    }
  }
}
