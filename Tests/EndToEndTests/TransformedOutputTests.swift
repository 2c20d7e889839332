import TestSupport
import Testing

/// Transformed images, and images that are decoded completely.
@Suite("Transformed and decoded outputs") struct TransformedOutputTests {
  /// Width, height and format of a file, as printed by `inspect`.
  private func told(_ program: Program, _ file: String) throws -> [String] {
    let outcome = try program.run("inspect", file)
    return Array((outcome.rows.first ?? []).prefix(4))
  }

  @Test("The output is scaled and converted, with the right name and report, and the cache keeps the original")
  func thumbnail() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/photo.jpg", TestImages.jpeg(width: 400, height: 300), type: "image/jpeg")
    let url = server.url("/photo.jpg")
    let outcome = try program.run("get", "--resize", "100x100", "--convert", "webp", url)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let row = try #require(outcome.rows.first)
    #expect(Array(row[0...2]) == ["none", "image/webp", "100x75"])
    #expect(row[5] == "photo.webp")
    #expect(row[3] == "\(program.folder.read("work/photo.webp").map(\.count) ?? 0)")
    #expect(try told(program, "photo.webp") == ["whole", "image/webp", "100x75", "1"])
    let original = try program.run("get", url)
    #expect(original.rows.first.map { Array($0[0...2]) } == ["disk", "image/jpeg", "400x300"])
    #expect(server.count("/photo.jpg") == 1)
  }

  @Test("Of a TIFF with several pages the first one is made, and promises no others", arguments: ["png", "webp"])
  func pages(format: String) throws {
    let program = try Program()
    let server = try TestServer()
    server.serve("/a.tiff", .ok(TestImages.tiff(width: 30, height: 20) { $0.pages = 4 }, type: "image/tiff"))
    let outcome = try program.run("get", "--convert", format, server.url("/a.tiff"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try told(program, "a.\(format)") == ["whole", "image/\(format)", "30x20", "1"])
  }

  @Test("A step that undoes the turn of a TIFF leaves no tag to turn it again", arguments: [[], ["--keep-metadata"]])
  func undoneTurn(options: [String]) throws {
    let program = try Program()
    let server = try TestServer()
    server.serve("/a.tiff", .ok(TestImages.tiff(width: 30, height: 20) { $0.orientation = 2 }, type: "image/tiff"))
    let outcome = try program.run(["get", "--flip", "h", "--json"] + options + [server.url("/a.tiff")])
    #expect(outcome.exitCode == 0, "\(outcome)")
    let first = try #require(outcome.lines.first)
    let output = try #require(try JSON.object(first)["output"] as? String)
    let row = try #require(try program.run("inspect", "--json", output).lines.first)
    let inspected = try JSON.object(row)
    #expect(inspected["orientation"] as? Int == 1, "\(inspected)")
  }

  @Test(
    "A result that is too long for its format is told as that", arguments: [("webp", "16383"), ("jpeg", "65500")])
  func longSides(format: String, most: String) throws {
    let program = try Program()
    let server = try TestServer()
    server.serve("/a.png", TestImages.png(width: 30, height: 20), type: "image/png")
    let options = ["--fit", "fill", "--convert", format, "--json"]
    let long = try program.run(["get", "--resize", "65501x1"] + options + [server.url("/a.png")])
    #expect(long.exitCode == 5 && long.outputText.contains(#""kind":"limit""#), "\(long)")
    #expect(long.outputText.contains("sides of \(most) pixels at most, and it would have 65501x1"), "\(long)")
    let fits = try program.run(["get", "--resize", "\(most)x1"] + options + [server.url("/a.png")])
    #expect(fits.exitCode == 0, "\(fits)")
  }

  @Test("Metadata goes from images that are longer than what can be encoded")
  func longAsItWas() throws {
    let program = try Program()
    let server = try TestServer()
    server.serve("/a.jpg", TestImages.jpeg(width: 65_504, height: 8) { $0.orientation = 1 }, type: "image/jpeg")
    let outcome = try program.run(["get", "--strip", "-o", "a.jpg", server.url("/a.jpg")])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(try told(program, "a.jpg") == ["whole", "image/jpeg", "65504x8", "1"])
  }

  @Test("Steps are applied in the order in which they were typed")
  func order() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.png", TestImages.png(width: 60, height: 30), type: "image/png")
    let url = server.url("/a.png")
    let first = try program.run("get", "--crop", "20x20", "--resize", "10x", "-o", "one.png", url)
    let second = try program.run("get", "--resize", "40x", "--crop", "20x20", "-o", "two.png", url)
    #expect(first.rows.first.map { $0[2] } == "10x10", "\(first)")
    #expect(second.rows.first.map { $0[2] } == "20x20", "\(second)")
  }

  @Test("Standard output carries the result, too")
  func standardOutput() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.gif", TestImages.gif(width: 40, height: 20, frames: 3), type: "image/gif")
    let outcome = try program.run("get", "--convert", "png", "--first-frame", "-o", "-", server.url("/a.gif"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(Array(outcome.output.prefix(8)) == TestImages.pngSignature)
  }

  @Test("An impossible transform is a failure and leaves no file")
  func impossible() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.png", TestImages.png(width: 60, height: 30), type: "image/png")
    let outcome = try program.run("get", "--crop", "10x10+60+0", server.url("/a.png"))
    #expect(outcome.exitCode == 5, "\(outcome)")
    #expect(program.folder.read("work/a.png") == nil)
  }

  /// A JPEG whose data ends early, with an end mark added: its structure is complete.
  private var sewn: [UInt8] {
    let whole = TestImages.jpeg(width: 64, height: 64) { $0.detail = 30 }
    return Array(whole[..<(whole.count * 9 / 10)]) + [0xFF, 0xD9]
  }

  @Test("--verify decode refuses damaged pixels, from the network and from the cache")
  func decoding() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", sewn, type: "image/jpeg")
    let url = server.url("/a.jpg")
    let strict = try program.run("get", "--verify", "decode", url)
    #expect(strict.exitCode == 5, "\(strict)")
    #expect(program.folder.read("work/a.jpg") == nil)
    #expect(try program.run("get", url).exitCode == 0)
    #expect(server.count("/a.jpg") == 2, "what was refused was not cached")
    #expect(try program.run("get", "--verify", "decode", url).exitCode == 5)
    #expect(server.count("/a.jpg") == 3, "what fails is a miss")
  }

  @Test("inspect --verify decode decodes all pixels and prints their checksum")
  func inspecting() throws {
    let program = try Program()
    try program.folder.write("work/whole.png", TestImages.png())
    try program.folder.write("work/sewn.jpg", sewn)
    #expect(try program.run("inspect", "sewn.jpg").exitCode == 0)
    let outcome = try program.run("inspect", "--verify", "decode", "--json", "whole.png", "sewn.jpg")
    #expect(outcome.exitCode == 5, "\(outcome)")
    let objects = try outcome.lines.map { try JSON.object($0) }
    #expect((objects.first?["pixels"] as? String)?.count == 32, "\(outcome)")
    #expect(objects.last?["whole"] as? Bool == false)
    let piped = try program.command(
      ["inspect", "--verify", "decode", "--json", "-"], input: .bytes(TestImages.png())
    ).run()
    #expect(
      try piped.lines.first.map { try JSON.object($0)["pixels"] as? String } == objects.first?["pixels"] as? String)
  }
}
