import TestSupport
import Testing

/// A line of high priority gets its image soon, even if another line wanted it first.
@Suite("Priorities of lines that share a download") struct LentPriorityTests {
  @Test("A line with high priority has a download go first that waits for its turn")
  func lending() throws {
    let (server, program) = (try TestServer(), try Program())
    let (gate, arrival, otherGate, otherArrival) = (Gate(), Gate(), Gate(), Gate())
    server.on("/held.jpg") { _ in
      arrival.open()
      return .ok(TestImages.jpeg(width: 8, height: 8), type: "image/jpeg").held(by: gate)
    }
    server.on("/b.jpg") { _ in
      otherArrival.open()
      return .ok(TestImages.jpeg(width: 7, height: 8), type: "image/jpeg").held(by: otherGate)
    }
    for (number, name) in ["c", "d", "e", "f", "g", "h"].enumerated() {
      server.serve("/\(name).jpg", TestImages.jpeg(width: 9, height: 9, seed: UInt64(number)))
    }
    let running = try program.start(["get", "-v", "-j1", "-d", "out", "-i", "-"])
    running.write(server.url("/held.jpg\n"))
    // It has the one place from now on.
    arrival.wait()
    running.write(["b", "c", "d"].map { server.url("/\($0).jpg\n") }.joined())
    running.write(server.url("/d.jpg") + "\tpriority=high\nftp://nowhere.test/last.jpg\n")
    // The last line is answered when it is read, and those before it have been looked up.
    try running.waitForError("nowhere.test")
    for name in ["b", "c", "d"] { try running.waitForError("/\(name).jpg: not in the cache") }
    gate.open()
    // The first one may have the place before the network's thread hears of the priority, which it does meanwhile.
    otherArrival.wait()
    running.write(["e", "f", "g", "h"].map { server.url("/\($0).jpg\n") }.joined())
    for name in ["e", "f", "g", "h"] { try running.waitForError("/\(name).jpg: not in the cache") }
    otherGate.open()
    running.closeInput()
    let outcome = try running.wait()
    let others = server.requests.map(\.path).filter { $0 != "/b.jpg" }
    #expect(others.prefix(3) == ["/held.jpg", "/d.jpg", "/c.jpg"], "\(outcome.errorText)")
    #expect(outcome.lines.count >= 5)
  }
}
