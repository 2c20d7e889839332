import TestSupport
import Testing

/// What rows say about the line, the time it took, and the transform.
@Suite("Row fields") struct RowFieldsTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 40, height: 30))
  }

  private var image: String { server.url("/a.jpg") }

  @Test("The line's number and its id, also for an invalid line")
  func line() throws {
    let input = """
      # remark
      \(image)\tone.jpg\tid=first

      \(image)
      http://h/\tn\tid=no sense\tzzz
      \(server.url("/missing.jpg"))\tid=<ü>
      """
    let outcome = try program.run(["get", "--json", "--ordered", "-i", "-", image], input: input)
    let rows = try outcome.lines.dropLast().map(JSON.object)
    #expect(rows.map { $0["line"] as? Int } == [nil, 2, 4, 5, 6], "\(outcome)")
    #expect(rows.map { $0["id"] as? String } == [nil, "first", nil, "no sense", "<ü>"])
    #expect(rows.map { $0.keys.contains("id") } == [false, true, false, true, true])
    #expect(rows.allSatisfy { $0.keys.contains("line") })
    let fields = try program.run(
      ["get", "--ordered", "-w", "{line}:{id}\\n", "-i", "-", image], input: input)
    #expect(fields.lines == ["-:-", "2:first", "4:-", "5:no sense", "6:<ü>"])
  }

  @Test("The source of a transform, also if the result is cached")
  func source() throws {
    let bytes = TestImages.jpeg(width: 40, height: 30).count
    for _ in 0..<2 {
      let outcome = try program.run("get", "--json", "--resize", "8x", "--convert", "png", "--cache-derived", image)
      let row = try JSON.object(try #require(outcome.lines.first))
      let source = try #require(row["source"] as? [String: Any], "\(outcome)")
      #expect(source["format"] as? String == "jpeg")
      #expect(source["width"] as? Int == 40)
      #expect(source["height"] as? Int == 30)
      #expect(source["bytes"] as? Int == bytes)
      #expect(row["format"] as? String == "png")
      #expect(row["width"] as? Int == 8)
    }
    // Nothing can be made from it.
    let plain = try program.run("get", "--json", "--resize", "100x", "--fit", "down", image)
    #expect(plain.lines.first?.contains("\"source\":null,") == true, "\(plain)")
  }

  @Test("Start and waiting time, from the network, from disk and from memory")
  func times() throws {
    _ = try program.run("get", image)
    let outcome = try program.run("get", "--json", "--ordered", "-j1", server.url("/a.jpg?2"), image, image)
    let rows = try outcome.lines.map(JSON.object)
    try #require(rows.count == 4, "\(outcome)")
    #expect(rows[0]["cache"] as? String == "none" && rows[1]["cache"] as? String == "disk")
    let whole = try #require((rows[3]["summary"] as? [String: Any])?["elapsed_ms"] as? Double)
    var last = 0.0
    for row in rows.dropLast() {
      let started = try #require(row["started_ms"] as? Double)
      let queued = try #require(row["queued_ms"] as? Double)
      let elapsed = try #require(row["elapsed_ms"] as? Double)
      #expect(started >= last, "lines are read in order: \(outcome)")
      #expect(queued >= 0 && queued <= elapsed, "\(outcome)")
      // Each is rounded down to microseconds.
      #expect(started + elapsed <= whole + 0.002, "\(outcome)")
      last = started
    }
  }
}
