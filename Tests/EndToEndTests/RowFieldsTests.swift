import TestSupport
import Testing

/// The fields of rows about the line, the time it took, and the transform.
@Suite("Row fields") struct RowFieldsTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 40, height: 30))
  }

  private var image: String { server.url("/a.jpg") }

  /// The names of an object's fields, in their order.
  private func names(_ line: String) -> [String] {
    var names: [String] = []
    var depth = 0
    var rest = line[...]
    while let byte = rest.first {
      if byte == "\"", let end = rest.dropFirst().firstIndex(of: "\"") {
        let name = rest[rest.index(after: rest.startIndex)..<end]
        rest = rest[rest.index(after: end)...]
        if depth == 1, rest.first == ":" { names.append(String(name)) }
        continue
      }
      if byte == "{" || byte == "[" { depth += 1 }
      if byte == "}" || byte == "]" { depth -= 1 }
      rest.removeFirst()
    }
    return names
  }

  @Test("All fields of the contract are there, in its order")
  func complete() throws {
    let outcome = try program.run(
      ["get", "--json", "--ordered", "-i", "-"], input: "\(image)\n\(server.url("/missing.jpg"))\n")
    let fields = """
      url time final_url key cache written duplicate_of revalidated shared stale status mime format width height frames bytes \
      downloaded elapsed_ms attempts line started_ms queued_ms source output error
      """.split(separator: " ").map(String.init)
    for line in outcome.lines.dropLast() { #expect(names(line) == fields, "\(line)") }
    let summary = try #require(outcome.lines.last)
    let wanted = """
      started version total none memory disk remote complete lines revalidated shared stale failed bytes downloaded elapsed_ms \
      written kinds hosts
      """.split(separator: " ").map(String.init)
    #expect(names(String(summary.dropFirst("{\"summary\":".count).dropLast())) == wanted, "\(summary)")
    let rows = try outcome.lines.dropLast().map(JSON.object)
    for row in rows {
      let time = try #require(row["time"] as? String)
      #expect(time.wholeMatch(of: /20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
    }
  }

  @Test("The summary has the version, the kinds of failures and their hosts")
  func summary() throws {
    let other = try TestServer(host: "127.0.0.2")
    let urls = (0..<3).map { other.url("/\($0).jpg") } + [server.url("/missing.jpg"), image, "nonsense"]
    let outcome = try program.run(["get", "--json"] + urls)
    let summary = try #require(try JSON.object(outcome.lines.last ?? "")["summary"] as? [String: Any])
    #expect(
      summary["version"] as? String
        == (try program.run("--version").rows.first?.first?.split(separator: " ").last).map(String.init))
    #expect(
      summary["kinds"] as? [String: Int] == ["http": 4, "refused": 1]
        || summary["kinds"] as? [String: Int] == ["http": 4, "name": 1])
    let hosts = try #require(summary["hosts"] as? [[String: Any]])
    #expect(hosts[0]["host"] as? String == "127.0.0.2:\(other.port)")
    #expect(hosts[0]["failed"] as? Int == 3 && hosts[0]["total"] as? Int == 3)
    #expect(hosts[1]["host"] as? String == "127.0.0.1:\(server.port)")
    #expect(hosts[1]["failed"] as? Int == 1 && hosts[1]["total"] as? Int == 2)
    #expect((hosts[0]["message"] as? String)?.contains("404") == true)
  }

  @Test("A failed row has the kind of its failure, and its status, in the place of the media type")
  func failures() throws {
    server.serve("/page.jpg", .ok(Array("<html>".utf8), type: "text/html"))
    let outcome = try program.run(
      "get", "--ordered", "--retry", "0", server.url("/missing.jpg"), server.url("/page.jpg"), "http://127.0.0.1:9/x")
    #expect(outcome.rows.map { $0[1] } == ["http:404", "not-image:200", "connect"], "\(outcome)")
    #expect(outcome.rows.allSatisfy { $0.count == 7 && $0[0] == "failed" })
  }

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
