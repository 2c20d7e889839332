import TestSupport
import Testing

/// Output folders that are not as usual: a run does what it can, and a message says what is the matter.
@Suite("Odd output folders") struct OddFolderTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  @Test("Where no mode can be changed, as on a mounted USB stick, a file is replaced all the same", .needs(.fuse))
  func constantModes() throws {
    let images = (0..<2).map { TestImages.jpeg(bytes: 20_000, seed: UInt64($0)) }
    server.serve("/a.jpg", inTurn: images.map { .ok($0, type: "image/jpeg") })
    let folder = try FUSEFolder(["--chmod-deny"])
    for image in images {
      let outcome = try program.run("get", "--cache", "off", "-o", "\(folder.mount)/a.jpg", server.url("/a.jpg"))
      #expect(outcome.exitCode == 0, "\(outcome)")
      #expect(Command.contents(of: "\(folder.mount)/a.jpg") == image)
    }
  }

  @Test("In a working directory that was removed, the reason is that, and not a missing right")
  func removedFolder() throws {
    server.serve("/a.png", TestImages.png(width: 8, height: 8), type: "image/png")
    var command = program.command(["get", server.url("/a.png")])
    let script = #"mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@""#
    command.arguments = ["-c", script, Program.path] + command.arguments
    command.path = try Command.find("sh")
    let outcome = try command.run()
    #expect(outcome.exitCode == 7 && outcome.errorText.contains("its folder does not exist"), "\(outcome)")
    #expect(!outcome.errorText.contains("not permitted"), "\(outcome)")
  }
}
