import Glibc
import TestSupport
import Testing

/// Output folders that others may write: their pipes, devices and links.
@Suite("Output folders that others may write", .needs(.root)) struct SharedFolderTests {
  let server: TestServer
  let program: Program
  private let image = TestImages.jpeg(width: 20, height: 10)
  /// Another user.
  private let other: uid_t = 65_534

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", image)
    try program.folder.makeFolder("work/out")
  }

  private var file: String { program.work + "/out/a.jpg" }

  private func get(_ arguments: String...) throws -> Outcome {
    try program.run(["get", "--json", "-d", "out"] + arguments + [server.url("/a.jpg")])
  }

  private func place(of outcome: Outcome) throws -> String? {
    try JSON.object(#require(outcome.lines.first))["output"] as? String
  }

  @Test("Another user's pipe is neither written to nor waited for")
  func anothersPipe() throws {
    try Command.makePipe(file)
    #expect(lchown(file, other, other) == 0)
    let outcome = try get()
    #expect(outcome.exitCode == 0, "\(outcome)")
    let output = try #require(try place(of: outcome))
    #expect(output.hasPrefix("out/a-") && Command.contents(of: program.work + "/" + output) == image)
    #expect(try get("--overwrite").exitCode == 7)
  }

  @Test("One's own is written to if it is read, and not waited for")
  func ownPipe() throws {
    try Command.makePipe(file)
    let unread = try get()
    #expect(unread.exitCode == 7 && unread.errorText.contains("this is a pipe, and nothing listens there"), "\(unread)")
    let reader = open(file, O_RDONLY | O_NONBLOCK)
    defer { close(reader) }
    #expect(try get().exitCode == 0)
    var bytes = [UInt8](repeating: 0, count: image.count + 1)
    #expect(read(reader, &bytes, bytes.count) == image.count)
  }

  @Test("A pipe that --output names is written to whosever it is, and its reader is waited for")
  func namedPipe() throws {
    let pipe = program.work + "/pipe"
    try Command.makePipe(pipe)
    #expect(lchown(pipe, other, other) == 0)
    let running = try program.start(["get", "-o", "pipe", server.url("/a.jpg")])
    try server.waitForRequests("/a.jpg", 1)
    #expect(Command.contents(of: pipe) == image)
    #expect(try running.wait().exitCode == 0)
  }

  @Test("Another user's link is never followed, to a device, a file or a folder")
  func anothersLinks() throws {
    try program.folder.write("work/mine", "keep me")
    for target in ["/dev/null", "../mine", "../nowhere"] {
      try Command.replace(path: file, withLinkTo: target)
      #expect(lchown(file, other, other) == 0)
      let outcome = try get("--cache", "reload")
      #expect(outcome.exitCode == 0, "\(outcome)")
      let output = try #require(try place(of: outcome))
      #expect(output.hasPrefix("out/a-") && Command.contents(of: program.work + "/" + output) == image)
    }
    #expect(program.folder.text("work/mine") == "keep me")
    #expect(!program.folder.files(in: "work").contains("nowhere"))
  }

  @Test("A folder of a template or of a line is not entered by another user's link, and is by one's own")
  func folders() throws {
    try program.folder.makeFolder("work/elsewhere")
    let link = program.work + "/out/sub"
    for (owner, code) in [(other, 7), (0, 0)] as [(uid_t, Int32)] {
      try Command.replace(path: link, withLinkTo: "../elsewhere")
      #expect(lchown(link, owner, owner) == 0)
      let outcome = try get("--name", "sub/deep/{name}.{ext}")
      #expect(outcome.exitCode == code, "\(outcome)")
      let line = try program.run(["get", "-d", "out", "-i", "-"], input: server.url("/a.jpg") + "\tsub/b.jpg")
      #expect(line.exitCode == code, "\(line)")
      if code != 0 { #expect(outcome.errorText.contains("a link of another user is on its way"), "\(outcome)") }
      #expect(program.folder.files(in: "work/elsewhere") == (code == 0 ? ["b.jpg", "deep/a.jpg"] : []))
    }
    // The folder itself is the user's word.
    try Command.replace(path: program.work + "/linked", withLinkTo: "elsewhere")
    #expect(lchown(program.work + "/linked", other, other) == 0)
    #expect(try program.run("get", "-d", "linked", server.url("/a.jpg")).exitCode == 0)
    #expect(program.folder.files(in: "work/elsewhere").contains("a.jpg"))
  }
}
