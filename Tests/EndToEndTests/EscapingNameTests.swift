import TestSupport
import Testing

/// Names that hide a separator behind characters that combine with it: the kernel reads bytes.
@Suite("Names that try to leave the output folder") struct EscapingNameTests {
  let server: TestServer
  let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", image)
    try program.folder.makeFolder("work/out")
  }

  /// A joiner, a variation selector and a combining mark make one Character of themselves and a slash before them.
  private static let joining = ["\u{200D}", "\u{FE0F}", "\u{301}"]

  @Test("A line's name is refused when it climbs or begins at the root", arguments: joining)
  func refused(_ mark: String) throws {
    for name in [
      "../\(mark)evil.jpg", "/\(mark)evil.jpg", "a/../\(mark)../\(mark)evil.jpg", "../\(mark)",
      "x/\(mark)/../../evil.jpg",
    ] {
      for field in ["", "stem="] {
        let input = "\(server.url("/a.jpg"))\t\(field)\(name)\n"
        let outcome = try program.run(["get", "-d", "out", "-i", "-"], input: input)
        #expect(outcome.exitCode == 8, "\(name.debugDescription): \(outcome)")
        #expect(program.folder.files(in: "work").isEmpty)
      }
    }
    #expect(server.requests.isEmpty)
  }

  @Test("A name with such a character inside is made in its folder", arguments: joining)
  func inside(_ mark: String) throws {
    let outcome = try program.run(
      ["get", "-d", "out", "-i", "-"], input: "\(server.url("/a.jpg"))\tsub/\(mark)x.jpg\n")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(Command.contents(of: program.work + "/out/sub/\(mark)x.jpg") == image)
  }

  @Test(
    "A URL's path may begin with a combining mark, a joiner or a selector",
    arguments: ["%CC%81", "%E2%80%8D", "%EF%B8%8F"])
  func paths(_ escape: String) throws {
    server.serve("/\(escape)/\(escape)x/a.jpg", image)
    for (number, template) in ["{host}/{path}", "{host}/{path}/{name}.{ext}", "{path}/{name}"].enumerated() {
      let outcome = try program.run(
        "get", "-d", "out/\(number)", "--name", template, server.url("/\(escape)/\(escape)x/a.jpg"))
      #expect(outcome.exitCode == 0, "\(template): \(outcome)")
      let path = outcome.rows.first?[5] ?? ""
      #expect(path.hasPrefix("out/") && !path.contains(".."), "\(path)")
    }
  }

  @Test("In a place, too")
  func place() throws {
    for mark in Self.joining {
      let outcome = try program.run(
        ["get", "-d", server.url("/dav"), "-i", "-"], input: "\(server.url("/a.jpg"))\t../\(mark)x.jpg\n")
      #expect(outcome.exitCode == 8, "\(outcome)")
    }
    #expect(server.requests.isEmpty)
  }
}
