import TestSupport
import Testing

/// `--placeholder`: written in place of images that failed.
@Suite("Placeholders") struct PlaceholderTests {
  let server: TestServer
  let program: Program
  private let none = TestImages.png(width: 1, height: 1)
  private let image = TestImages.jpeg(width: 20, height: 10)

  init() throws {
    server = try TestServer()
    program = try Program()
    try program.folder.write("none.png", none)
  }

  private func get(_ arguments: String...) throws -> Outcome {
    try program.run(["get", "--retry", "0", "--placeholder", program.folder.path("none.png")] + arguments)
  }

  @Test("A placeholder is written if no file exists, and the exit code shows the failure")
  func nothingThere() throws {
    let outcome = try get(server.url("/a.jpg"))
    #expect(outcome.exitCode == 4)
    #expect(program.folder.read("work/a.png") == none && program.folder.files(in: "work") == ["a.png"])
  }

  /// The next run would find it in the image's place.
  @Test("None is written for an image that was broken off")
  func brokenOff() throws {
    server.serve("/slow.jpg", .ok(TestImages.jpeg(bytes: 10_000), type: "image/jpeg").stallAfter(5000))
    let running = try program.start(["get", "--placeholder", program.folder.path("none.png"), server.url("/slow.jpg")])
    try server.waitForRequests("/slow.jpg", 1)
    running.send(2)
    #expect(try running.wait().exitCode == 130)
    #expect(program.folder.files(in: "work").isEmpty)
  }

  @Test("It does not replace a good file, whatever its extension", arguments: ["a.jpg", "a.jpeg", "a.webp"])
  func goodFile(_ name: String) throws {
    try program.folder.write("work/\(name)", image)
    let outcome = try get(server.url("/a.jpg"))
    #expect(outcome.exitCode == 4)
    #expect(program.folder.files(in: "work") == [name])
    #expect(program.folder.read("work/\(name)") == image)
  }

  @Test("Nor a file with the user's own name, and --overwrite does not change that")
  func givenName() throws {
    try program.folder.write("work/x.png", image)
    #expect(try get("--overwrite", "-o", "x.png", server.url("/a.jpg")).exitCode == 4)
    #expect(program.folder.read("work/x.png") == image)
  }

  @Test("The image replaces it silently as soon as it can be fetched")
  func later() throws {
    server.serve("/a.jpg", inTurn: [.status(500), .ok(image, type: "image/jpeg")])
    #expect(try get(server.url("/a.jpg")).exitCode == 4)
    let outcome = try get(server.url("/a.jpg"))
    #expect(outcome.exitCode == 0 && outcome.error.isEmpty, "\(outcome)")
    #expect(program.folder.read("work/a.jpg") == image && program.folder.files(in: "work") == ["a.jpg"])
  }

  @Test("It is no image to --no-clobber, and a name from a line has its extension, too")
  func noClobber() throws {
    for (name, placeholder, file) in [
      ("", "a.png", "a.jpg"), ("\tx.jpg", "x.png", "x.jpg"), ("\tx.png", "x.png", "x.png"),
    ] {
      let server = try TestServer()
      server.serve("/a.jpg", inTurn: [.status(500), .status(500), .ok(image, type: "image/jpeg")])
      let program = try Program()
      try program.folder.write("none.png", none)
      func run() throws -> Outcome {
        try program.run(
          [
            "get", "--json", "--retry", "0", "--cache", "off", "--no-clobber", "--placeholder",
            program.folder.path("none.png"), "-i", "-",
          ], input: server.url("/a.jpg") + name)
      }
      for _ in 0..<2 {
        let outcome = try run()
        #expect(outcome.exitCode == 4 && program.folder.files(in: "work") == [placeholder], "\(outcome)")
        #expect(Command.hasAttribute("user.imgfetch.key", at: program.work + "/" + placeholder))
      }
      let outcome = try run()
      #expect(outcome.exitCode == 0 && program.folder.files(in: "work") == [file], "\(outcome)")
      #expect(try JSON.object(outcome.lines[0])["written"] as? String == "new")
      #expect(program.folder.read("work/" + file) == image)
      #expect(try JSON.object(run().lines[0])["written"] as? String == "kept")
    }
  }

  @Test("Another image's file does not count: the placeholder is written beside it")
  func anothers() throws {
    server.serve("/1/a.jpg", image)
    #expect(try get(server.url("/1/a.jpg")).exitCode == 0)
    #expect(try get(server.url("/2/a.jpg")).exitCode == 4)
    #expect(program.folder.read("work/a.jpg") == image)
    #expect(program.folder.files(in: "work").count == 2)
  }

  @Test("What cannot be read as a file ends the run before it begins", arguments: ["pipe", "folder", "nothing"])
  func unfit(kind: String) throws {
    let path = program.folder.path("unfit")
    switch kind {
    case "pipe": try Command.makePipe(path)
    case "folder": try program.folder.makeFolder("unfit")
    default: break
    }
    let outcome = try program.run("get", "--placeholder", path, "--report", "rows", server.url("/a.jpg"))
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("the placeholder cannot be read"), "\(outcome)")
    #expect(server.requests.isEmpty && program.folder.files(in: "work").isEmpty)
  }

  @Test("A second one of another format is not written beside the first")
  func another() throws {
    let gif = TestImages.gif(width: 1, height: 1)
    try program.folder.write("none.gif", gif)
    #expect(try get(server.url("/a.jpg")).exitCode == 4)
    let outcome = try program.run(
      "get", "--retry", "0", "--placeholder", program.folder.path("none.gif"), server.url("/a.jpg"))
    #expect(outcome.exitCode == 4)
    #expect(program.folder.files(in: "work") == ["a.png"] && program.folder.read("work/a.png") == none)
  }
}
