import TestSupport
import Testing

/// Large images that no cache keeps are received into the file in which they will be.
@Suite("Images that no cache keeps are written once") struct WrittenOnceTests {
  let server: TestServer
  let program: Program
  private let image = TestImages.jpeg(bytes: 400_000)

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// No body can be kept anywhere but where it will be.
  private func run(_ arguments: [String]) throws -> Outcome {
    try program.run(arguments, environment: ["TMPDIR": "/nonexistent"])
  }

  @Test("No other folder is needed", arguments: [["--cache", "off"], ["--cache", "off", "--name", "{host}/{width}"]])
  func folder(options: [String]) throws {
    server.on("/a.jpg") { [image] _ in .ok(image, type: "image/jpeg") }
    let outcome = try run(["get", "-d", "new/out", server.url("/a.jpg")] + options)
    #expect(outcome.exitCode == 0 && outcome.errorText == "")
    let files = program.folder.files(in: "work/new/out")
    #expect(files.count == 1)
    #expect(program.folder.read("work/new/out/" + (files.first ?? "")) == image)
  }

  @Test("A file of -o is replaced")
  func single() throws {
    server.on("/a.jpg") { [image] _ in .ok(image, type: "image/jpeg") }
    try program.folder.write("work/b.jpg", "older")
    let outcome = try run(["get", "--cache", "off", "-o", "b.jpg", server.url("/a.jpg")])
    #expect(outcome.exitCode == 0 && outcome.errorText == "")
    #expect(program.folder.read("work/b.jpg") == image)
  }

  @Test("Nothing is left of an image that breaks off, or is none")
  func refused() throws {
    server.on("/cut.jpg") { [image] _ in .ok(image, type: "image/jpeg").cutAfter(300_000) }
    var damaged = image
    for place in 200_000..<200_200 { damaged[place] = 0xFF }
    server.on("/bad.jpg") { [damaged] _ in .ok(Array(damaged.prefix(300_000)), type: "image/jpeg") }
    let outcome = try run(
      ["get", "--cache", "off", "--retry", "0", "-d", "out", server.url("/cut.jpg"), server.url("/bad.jpg")])
    #expect(outcome.exitCode == 1)
    #expect(program.folder.files(in: "work/out") == [])
  }

  @Test("Those of a data set are received where they wait for their shard, beside one another")
  func dataSet() throws {
    let images = (0..<6).map { TestImages.jpeg(bytes: 200_000 + 50_001 * $0) }
    var lines: [String] = []
    for (at, image) in images.enumerated() {
      server.on("/\(at).jpg") { request in
        let answer = TestServer.Response.ok(image, type: "image/jpeg")
        // The received part of it stays behind in the spool.
        return at == 2 && request.ordinal == 1 ? answer.cutAfter(120_000) : answer
      }
      lines += [server.url("/\(at).jpg"), server.url("/\(at).jpg")]
    }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
    let arguments = ["pack", "--cache", "off", "-d", "set", "-i", "list.txt", "--per-shard", "7", "--retry", "1"]
    let outcome = try run(arguments + ["--fingerprint", "dhash"])
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(server.count("/2.jpg") == 2)
    // Without a length there is no place for it, so it is copied.
    for (at, image) in images.enumerated() {
      server.on("/\(at).jpg") { _ in .ok(image, type: "image/jpeg").chunked([image.count]) }
    }
    let again = try program.run(arguments + ["-d", "again", "--fingerprint", "dhash"])
    #expect(again.exitCode == 0, "\(again)")
    for shard in ["00000.tar", "00001.tar"] {
      let (one, two) = (program.folder.read("work/set/\(shard)"), program.folder.read("work/again/\(shard)"))
      #expect(one?.isEmpty == false && one == two)
    }
  }

  @Test("Lines with one URL are one request while they wait together, and a file each")
  func duplicates() throws {
    let gate = Gate()
    server.on("/a.jpg") { [image] _ in .ok(image, type: "image/jpeg").held(by: gate) }
    let list = (1...5).map { "\(server.url("/a.jpg"))\t\($0).jpg" }.joined(separator: "\n")
    try program.folder.write("work/list.txt", list)
    let running = try program.start(["get", "--cache", "off", "--progress", "none", "-d", "out", "-i", "list.txt"])
    try server.waitForRequests("/a.jpg", 1)
    gate.open()
    #expect(try running.wait().exitCode == 0)
    #expect(server.count("/a.jpg") == 1)
    #expect(program.folder.files(in: "work/out").count == 5)
    for number in 1...5 { #expect(program.folder.read("work/out/\(number).jpg") == image) }
  }
}
