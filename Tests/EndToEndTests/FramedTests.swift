import Foundation
import TestSupport
import Testing

/// `get -o - --framed`: images in memory for a program that keeps one `imgfetch get -i -`.
@Suite("Rows with their images' bytes behind them") struct FramedTests {
  /// A row, and the bytes that its field `bytes` tells of.
  private struct Frame {
    let row: [String: Any]
    let bytes: [UInt8]

    var line: Int? { row["line"] as? Int }
  }

  private func frames(_ output: [UInt8]) throws -> [Frame] {
    var frames: [Frame] = []
    var rest = output[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let row = try JSON.object(String(decoding: rest[..<end], as: UTF8.self))
      rest = rest[(end + 1)...]
      let count = row["bytes"] as? Int ?? 0
      try #require(rest.count >= count, "the bytes that \(row) tells of are there")
      frames.append(Frame(row: row, bytes: Array(rest.prefix(count))))
      rest = rest.dropFirst(count)
    }
    #expect(rest.isEmpty)
    return frames
  }

  @Test(
    "Each image follows its row, failures have none, and the summary comes last", arguments: ["age", "off", "memory"])
  func many(_ policy: String) throws {
    let server = try TestServer()
    // One that goes out with its row in one write, and one that does not.
    let images = [
      TestImages.jpeg(width: 20, height: 10),
      TestImages.jpeg(width: 20, height: 10) + [UInt8](repeating: 10, count: 1 << 20),
    ]
    server.serve("/0.jpg", images[0])
    server.serve("/1.jpg", images[1])
    server.serve("/page.jpg", .ok(Array("<html>no image".utf8), type: "text/html"))
    let list = ["/0.jpg", "/1.jpg", "/gone.jpg", "/page.jpg", "/0.jpg"].map { server.url($0) }.joined(separator: "\n")
    let program = try Program()
    for _ in 1...2 {
      let outcome = try program.run(
        ["get", "--cache", policy, "-o", "-", "--framed", "-i", "-"], input: list + "\n")
      let frames = try frames(outcome.output)
      #expect(frames.count == 6, "\(outcome.errorText)")
      #expect(frames.dropLast().allSatisfy { $0.line != nil })
      let bytes = Dictionary(uniqueKeysWithValues: frames.compactMap { frame in frame.line.map { ($0, frame.bytes) } })
      #expect(bytes == [1: images[0], 2: images[1], 3: [], 4: [], 5: images[0]])
      let kinds = frames.compactMap { ($0.row["error"] as? [String: Any])?["kind"] as? String }
      #expect(kinds.sorted() == ["http", "not-image"])
      #expect((frames.last?.row["summary"] as? [String: Any])?["total"] as? Int == 5)
      #expect(outcome.exitCode == 1)
    }
  }

  @Test("An answer comes before the next line is written")
  func asked() throws {
    let server = try TestServer()
    let image = TestImages.png(width: 20, height: 10)
    server.serve("/a.png", image)
    let running = try Program().start(["get", "-o", "-", "--framed", "-i", "-"])
    for path in ["/a.png", "/gone.png", "/a.png"] {
      running.write("\(server.url(path))\tid=\(path)\n")
      // The image's own bytes have line feeds in them.
      try running.waitForOutput("\"id\":\"\(path)\"")
    }
    running.closeInput()
    let frames = try frames(try running.wait().output)
    #expect(frames.dropLast().map { $0.row["id"] as? String } == ["/a.png", "/gone.png", "/a.png"])
    #expect(frames.dropLast().map(\.bytes) == [image, [], image])
  }

  @Test("What is made of an image is what follows its row")
  func transformed() throws {
    let server = try TestServer()
    server.serve("/a.png", TestImages.png(width: 40, height: 20))
    let outcome = try Program().run(
      "get", "-o", "-", "--framed", "--resize", "20x", "--convert", "jpeg", server.url("/a.png"), server.url("/a.png"))
    let frames = try frames(outcome.output)
    #expect(frames.count == 3, "\(outcome.errorText)")
    for frame in frames.dropLast() {
      #expect(frame.row["format"] as? String == "jpeg")
      #expect(frame.row["width"] as? Int == 20)
      #expect(frame.bytes.starts(with: [0xFF, 0xD8]))
    }
  }

  @Test("A reader that goes away ends the run quietly")
  func closed() throws {
    let server = try TestServer()
    let image = TestImages.jpeg(width: 20, height: 10) + [UInt8](repeating: 10, count: 1 << 20)
    server.onOther { _ in .ok(image, type: "image/jpeg") }
    let program = try Program()
    let list = (1...50).map { server.url("/\($0).jpg") }.joined(separator: "\n")
    try program.folder.write("list.txt", list + "\n")
    let script = "\"$0\" get -o - --framed -i \"$1\" | head -c 1000 >/dev/null; echo \"${PIPESTATUS[0]}\""
    var command = program.command(["-c", script, Program.path, program.folder.path("list.txt")])
    command.path = try Command.find("bash")
    let outcome = try command.run()
    #expect(outcome.outputText == "141\n")
    #expect(outcome.errorText.isEmpty, "\(outcome)")
  }

  @Test("Without -o - it is a mistake, as it is beside other forms of rows")
  func mistakes() throws {
    for arguments in [
      [], ["-o", "a.jpg"], ["-o", "-", "--ordered"], ["-o", "-", "-w", "{url}"], ["-o", "-", "-d", "x"],
    ] {
      let outcome = try Program().run(["get", "--framed", "http://127.0.0.1:9/a.jpg"] + arguments)
      #expect(outcome.exitCode == 2, "\(arguments): \(outcome)")
    }
  }
}
