import TestSupport
import Testing

@Suite("Checksums") struct ChecksumTests {
  private let server: TestServer
  private let program: Program
  private let image = TestImages.jpeg(bytes: 200_000)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", image)
  }

  private func sum(_ bytes: [UInt8]) throws -> String {
    let path = try program.folder.write("sum", bytes)
    let outcome = try Command(try Command.find("sha256sum"), [path]).run()
    return String(outcome.outputText.prefix(64))
  }

  @Test("--checksum prints the SHA-256 of the delivered bytes, from the network and from disk")
  func reported() throws {
    let expected = try sum(image)
    for _ in 0..<2 {
      let outcome = try program.run("get", "--json", "--checksum", server.url("/a.jpg"))
      let row = try JSON.object(try #require(outcome.lines.first))
      #expect(row["sha256"] as? String == expected, "\(outcome)")
    }
    #expect(try program.run("get", "-w", "{sha256}", server.url("/a.jpg")).outputText == expected)
    let made = try program.run("get", "--json", "--checksum", "-d", "out", "--convert", "png", server.url("/a.jpg"))
    let row = try JSON.object(try #require(made.lines.first))
    if row["error"] is JSON.Null {
      let file = try #require(program.folder.files(in: "work/out").first)
      #expect(row["sha256"] as? String == (try sum(program.folder.read("work/out/\(file)") ?? [])))
    }
  }

  @Test("A line's checksum is verified, and other bytes are not written")
  func checked() throws {
    let right = try sum(image)
    let wrong = String(repeating: "0", count: 64)
    let good = try program.run(["get", "-i", "-"], input: "\(server.url("/a.jpg"))\t\tsha256=\(right.uppercased())\n")
    #expect(good.exitCode == 0, "\(good)")
    let bad = try program.run(
      ["get", "--json", "-d", "bad", "-i", "-"], input: "\(server.url("/a.jpg?2"))\t\tsha256=\(wrong)\n")
    #expect(bad.exitCode == 5, "\(bad)")
    #expect(bad.outputText.contains("\"kind\":\"checksum\"") && bad.errorText.contains(right), "\(bad)")
    #expect(program.folder.files(in: "work/bad").isEmpty)
    // The answer's status is part of the reason, from the network and from the cache, and of the list of failures.
    for more in [["--cache", "off"], ["--offline"]] {
      let told = try program.run(
        ["get", "-d", "bad", "-i", "-", "--failed-list", "again"] + more,
        input: "\(server.url("/a.jpg"))\t\tsha256=\(wrong)\n")
      #expect(told.rows.first?.prefix(2) == ["failed", "checksum:200"], "\(told)")
      #expect(program.folder.text("work/again")?.contains("\twas=checksum:200\n") == true, "\(told)")
    }
  }

  @Test("A mirror is asked where the URL has another image, and its image is cached for the URL")
  func mirrored() throws {
    server.serve("/old.jpg", TestImages.jpeg(bytes: 100_000, seed: 2))
    let line = "\(server.url("/old.jpg"))\t\tsha256=\(try sum(image))\tmirror=\(server.url("/a.jpg"))\n"
    for kind in ["none", "disk"] {
      let outcome = try program.run(["get", "-i", "-"], input: line)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.rows.first?.first == kind)
      #expect(program.folder.read("work/old.jpg") == image)
    }
    #expect(server.count("/old.jpg") == 1 && server.count("/a.jpg") == 1)
  }

  @Test("A stored image with another checksum is a miss: the origin is asked")
  func stored() throws {
    let new = TestImages.jpeg(bytes: 100_000, seed: 2)
    server.serve("/b.jpg", inTurn: [.ok(image, type: "image/jpeg"), .ok(new, type: "image/jpeg")])
    #expect(try program.run("get", server.url("/b.jpg")).exitCode == 0)
    let line = "\(server.url("/b.jpg"))\t\tsha256=\(try sum(new))\n"
    for kind in ["none", "disk"] {
      let outcome = try program.run(["get", "-i", "-"], input: line)
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(outcome.rows.first?.first == kind)
    }
    #expect(server.count("/b.jpg") == 2)
    #expect(program.folder.read("work/b.jpg") == new)
    let offline = try program.run(
      ["get", "--offline", "-i", "-"], input: "\(server.url("/b.jpg"))\t\tsha256=\(try sum(image))\n")
    #expect(offline.exitCode == 5, "\(offline)")
  }

  @Test("Under --cache http, a stored image is dropped if the one with the checksum must not be stored")
  func storedByHTTP() throws {
    let new = TestImages.jpeg(bytes: 100_000, seed: 2)
    let answers = [(image, "max-age=3600"), (new, "no-store"), (new, "no-store")]
    server.serve("/b.jpg", inTurn: answers.map { .ok($0, type: "image/jpeg").with("Cache-Control", $1) })
    let url = server.url("/b.jpg")
    for line in [url, "\(url)\t\tsha256=\(try sum(new))", url] {
      let outcome = try program.run(["get", "--cache", "http", "-i", "-"], input: line + "\n")
      #expect(outcome.exitCode == 0 && outcome.rows.first?.first == "none", "\(outcome)")
    }
    #expect(program.folder.read("work/b.jpg") == new)
  }

  @Test("Two requests for one image may have different checksums")
  func shared() throws {
    let wrong = String(repeating: "f", count: 64)
    let list =
      "\(server.url("/a.jpg"))\tone.jpg\tsha256=\(try sum(image))\n\(server.url("/a.jpg"))\ttwo.jpg\tsha256=\(wrong)\n"
    let outcome = try program.run(["get", "-i", "-"], input: list)
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(program.folder.files(in: "work") == ["one.jpg"])
  }
}
