import TestSupport
import Testing

/// `--failed-list`: what failed is the next run's input.
@Suite("The list of failures") struct FailedListTests {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  private func url(_ path: String) -> String { server.url(path) }

  @Test("It may be the list that is read, however long that is, and shrinks to what failed")
  func sameFile() throws {
    // Longer than what is read and written at once, so that one would overtake the other.
    let lines = (0..<8000).map { "\(url("/missing-\($0 % 7).jpg"))\tname-\($0).jpg" }
    let good = "\(url("/a.jpg"))\tgood.jpg"
    let list = try program.folder.write(
      "work/list.txt", (lines.prefix(4000) + [good] + lines.dropFirst(4000)).joined(separator: "\n"))
    let outcome = try program.run("get", "--json", "--retry", "0", "-i", "list.txt", "--failed-list", "list.txt")
    #expect(outcome.exitCode == 4, "\(outcome.errorText.suffix(500))")
    #expect(outcome.lines.count == 8002)
    let left = (Command.text(of: list) ?? "").split(separator: "\n").map(String.init)
    #expect(left.sorted() == lines.sorted())
    #expect(program.folder.files(in: "work") == ["good.jpg", "list.txt"])
  }

  @Test("Its owner alone may read it, also where the list of an earlier run was there for all")
  func mode() throws {
    let list = try program.folder.write("work/again.txt", "earlier\n")
    try Command.setMode(of: list, 0o644)
    #expect(try program.run("get", "--failed-list", "again.txt", url("/missing.jpg")).exitCode == 4)
    #expect(Command.text(of: list) == url("/missing.jpg") + "\n")
    #expect(try Command.mode(of: list) == 0o600)
  }

  @Test("It can be made below /dev/shm, where there are files like anywhere else")
  func sharedMemory() throws {
    let folder = try TemporaryFolder(in: "/dev/shm")
    let outcome = try program.run("get", "--failed-list", folder.path("again.txt"), url("/missing.jpg"))
    #expect(outcome.exitCode == 4, "\(outcome.errorText)")
    #expect(Command.text(of: folder.path("again.txt"))?.contains(url("/missing.jpg")) == true)
  }

  @Test("Nothing failed: it is not made, and one that is there is not touched")
  func nothingFailed() throws {
    #expect(try program.run("get", "--failed-list", "again.txt", url("/a.jpg")).exitCode == 0)
    #expect(program.folder.files(in: "work") == ["a.jpg"])
    let list = try program.folder.write("work/again.txt", "earlier\n")
    let before = try Command.identity(of: list)
    #expect(try program.run("get", "--failed-list", "again.txt", url("/a.jpg")).exitCode == 0)
    #expect(try Command.identity(of: list) == before)
  }

  @Test("Records that NUL ends go into it as such")
  func nullEnded() throws {
    let input = "\(url("/x.jpg"))\ttwo\nlines.jpg\u{0}"
    #expect(try program.run(["get", "-0", "-i", "-", "--failed-list", "again"], input: input).exitCode == 4)
    #expect(Command.text(of: program.work + "/again") == input)
  }

  @Test("A pipe of that name is written to; a folder that is not there is a failure of its own")
  func places() throws {
    let told = try program.run("get", "-q", "--failed-list", "/dev/stdout", url("/missing.jpg"))
    #expect(told.outputText == url("/missing.jpg") + "\n", "\(told)")
    let nowhere = try program.run("get", "--failed-list", "nowhere/again", url("/missing.jpg"))
    #expect(nowhere.exitCode == 1)
    #expect(nowhere.errorText.contains("nowhere/again: the list of failures cannot be written"), "\(nowhere)")
  }
}
