import TestSupport
import Testing

/// Images with every pixel that break a rule of their format: over the network and out of the cache,
/// with and without `--strict`.
@Suite("Flawed images and --strict") struct FlawedOutputTests {
  let server: TestServer
  let program: Program
  /// Rubbish between two segments.
  let flawed: [UInt8]

  init() throws {
    server = try TestServer()
    program = try Program()
    let image = TestImages.jpeg(width: 40, height: 30)
    let table = try #require(image.indices.first { image[$0...].starts(with: [0xFF, 0xDB]) })
    flawed = Array(image[..<table]) + Array("rubbish".utf8) + image[table...]
    server.serve("/flawed.jpg", flawed)
    server.serve("/whole.jpg", TestImages.jpeg(width: 40, height: 30, seed: 2))
  }

  @Test("They are accepted and told, by rows, templates, -v and from the cache")
  func told() throws {
    for kind in ["none", "disk"] {
      let outcome = try program.run("get", "--json", "-v", server.url("/flawed.jpg"))
      let row = try JSON.object(try #require(outcome.lines.first))
      #expect(outcome.exitCode == 0 && row["flaws"] as? [String] == ["stray-bytes"], "\(outcome)")
      #expect(row["cache"] as? String == kind)
      #expect(outcome.errorText.contains("flawed: it has bytes between its segments"), "\(outcome.errorText)")
    }
    #expect(try program.run("get", "-w", "{flaws}", server.url("/flawed.jpg")).outputText == "stray-bytes")
    let whole = try program.run("get", "--json", server.url("/whole.jpg"))
    #expect(whole.outputText.contains("\"flaws\"") == false)
    let inspected = try program.run("inspect", "--json", "flawed.jpg")
    let object = try JSON.object(try #require(inspected.lines.first))
    #expect(object["flaws"] as? [String] == ["stray-bytes"] && object["whole"] as? Bool == true)
    #expect(try program.run("inspect", "flawed.jpg").rows.first?.first == "flawed")
  }

  @Test("--strict refuses them over the network, and nothing is kept")
  func strict() throws {
    let outcome = try program.run("get", "--strict", "--json", "-d", "out", server.url("/flawed.jpg"))
    #expect(outcome.exitCode == 5 && outcome.outputText.contains("the image is flawed"), "\(outcome)")
    #expect(program.folder.files(in: "work/out").isEmpty)
    #expect(try program.run("get", "--offline", server.url("/flawed.jpg")).exitCode == 6)
    #expect(try program.run("get", "--strict", server.url("/whole.jpg")).exitCode == 0)
    #expect(try program.run("inspect", "--strict", "whole.jpg").exitCode == 0)
  }

  @Test("--strict holds on hits: the origin is asked again, and may have mended it")
  func hits() throws {
    #expect(try program.run("get", server.url("/flawed.jpg")).exitCode == 0)
    let offline = try program.run("get", "--strict", "--offline", "-o", "x", server.url("/flawed.jpg"))
    #expect(offline.exitCode == 6, "\(offline)")
    let asked = try program.run("get", "--strict", "-o", "x", server.url("/flawed.jpg"))
    #expect(asked.exitCode == 5, "\(asked)")
    #expect(server.count("/flawed.jpg") == 2 && program.folder.read("work/x") == nil)
    server.serve("/flawed.jpg", TestImages.jpeg(width: 40, height: 30))
    #expect(try program.run("get", "--strict", "-o", "x", server.url("/flawed.jpg")).exitCode == 0)
    #expect(try program.run("inspect", "--strict", "flawed.jpg").exitCode == 5)
  }

  @Test("A missing end mark is a flaw only where the transfer's end is certain")
  func noEndMark() throws {
    let image = Array(TestImages.png(width: 40, height: 30).dropLast(12))
    server.serve("/certain.png", image)
    server.serve("/uncertain.png", .raw(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n".utf8) + image))
    let certain = try program.run("get", "--json", server.url("/certain.png"))
    #expect(certain.exitCode == 0 && certain.outputText.contains("\"flaws\":[\"no-end-mark\"]"), "\(certain)")
    #expect(try program.run("get", "--retry", "0", server.url("/uncertain.png")).exitCode != 0)
    #expect(try program.run("get", "--strict", "--cache", "off", server.url("/certain.png")).exitCode == 5)
  }

  @Test("What is no image is none, whatever it is called")
  func foreign() throws {
    let bodies: [[UInt8]] = [
      [], TestImages.html(), Array(#"{"error":"gone","url":"https://example.org/a.png"}"#.utf8),
      Array(#"<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>"#.utf8), Array("not here".utf8),
      Array("<html><body><svg xmlns='http://www.w3.org/2000/svg'/></body></html>".utf8),
    ]
    for (number, body) in bodies.enumerated() {
      for name in ["png", "svg"] {
        server.serve("/\(number).\(name)", body, type: name == "png" ? "image/png" : "image/svg+xml")
        let outcome = try program.run("get", "--json", "-d", "out", server.url("/\(number).\(name)"))
        #expect(outcome.exitCode == 5 && outcome.outputText.contains("\"kind\":\"not-image\""), "\(outcome)")
      }
    }
    #expect(program.folder.files(in: "work/out").isEmpty)
  }
}
