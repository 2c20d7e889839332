import Glibc
import ImgfetchCore
import TestSupport
import Testing

/// Output folders that are not as usual: a run does what it can, and a message says what is the matter.
@Suite("Odd output folders") struct OddFolderTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for seed in 0..<2 {
      server.serve("/\(seed).jpg", TestImages.jpeg(bytes: 9_000, seed: UInt64(seed)), type: "image/jpeg")
    }
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

  @Test("A file that is replaced keeps its access control list, so that its group gets no rights that it had not")
  func accessList() throws {
    let name = "system.posix_acl_access"
    // The owner and user 4242 may read and write it, the group and others nothing.
    let list: [UInt8] = [
      2, 0, 0, 0, 1, 0, 6, 0, 255, 255, 255, 255, 2, 0, 6, 0, 0x92, 0x10, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255,
      16, 0, 6, 0, 255, 255, 255, 255, 32, 0, 0, 0, 255, 255, 255, 255,
    ]
    let file = "\(program.work)/a.jpg"
    #expect(try program.run("get", "-o", file, server.url("/0.jpg")).exitCode == 0)
    try Descriptor.open(file, .read).setAttribute(name, to: list)
    #expect(try Command.mode(of: file) == 0o660)
    #expect(try program.run("get", "-o", file, server.url("/1.jpg")).exitCode == 0)
    #expect(Command.contents(of: file) == TestImages.jpeg(bytes: 9_000, seed: 1))
    let kept = try Descriptor.open(file, .read).attribute(name)
    #expect(kept == list)
    #expect(try Command.mode(of: file) == 0o660)
  }

  private func group(of file: String) throws -> gid_t { try Descriptor.status(ofFile: file).group }

  @Test("So it keeps its group, with its rights", .needs(.root))
  func sameGroup() throws {
    let file = "\(program.work)/a.jpg"
    #expect(try program.run("get", "-o", file, server.url("/0.jpg")).exitCode == 0)
    try #require(chown(file, uid_t.max, 4242) == 0)
    try Command.setMode(of: file, 0o640)
    #expect(try program.run("get", "-o", file, server.url("/1.jpg")).exitCode == 0)
    #expect(Command.contents(of: file) == TestImages.jpeg(bytes: 9_000, seed: 1))
    #expect(try group(of: file) == 4242)
    #expect(try Command.mode(of: file) == 0o640)
  }

  @Test("So does a report", .needs(.root))
  func groupOfReport() throws {
    let file = try program.folder.write("work/rows", "{}\n")
    try #require(chown(file, uid_t.max, 4242) == 0)
    try Command.setMode(of: file, 0o640)
    #expect(try program.run("get", "--report", "rows", server.url("/0.jpg")).exitCode == 0)
    #expect(Command.text(of: file)?.contains("summary") == true)
    #expect(try group(of: file) == 4242)
    #expect(try Command.mode(of: file) == 0o640)
  }

  @Test("Where the group cannot be kept, its rights go to no other group", .needs(.root))
  func lostGroup() throws {
    let file = try program.folder.write("work/a.jpg", TestImages.jpeg(bytes: 9_000, seed: 0))
    try #require(chown(file, uid_t.max, 4242) == 0)
    try Command.setMode(of: file, 0o664)
    // As one who is no member of that group.
    var command = program.command(["get", "--cache", "off", "-o", file, server.url("/1.jpg")])
    command.arguments = ["--bounding-set", "-chown", "--inh-caps", "-chown", Program.path] + command.arguments
    command.path = try Command.find("setpriv")
    let outcome = try command.run()
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(Command.contents(of: file) == TestImages.jpeg(bytes: 9_000, seed: 1))
    #expect(try group(of: file) != 4242)
    #expect(try Command.mode(of: file) == 0o644)
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

  @Test(
    "An output folder that is removed during a run is made again, with the folders of a template",
    arguments: ["{name}.{ext}", "{host}/{name}.{ext}", "{host}/{index}/{name}.{ext}"])
  func removedDuringARun(template: String) throws {
    let running = try program.start(["get", "-i", "-", "--json", "-d", "made", "--name", template])
    for seed in 0..<2 {
      running.write(server.url("/\(seed).jpg") + "\n")
      let row = try JSON.object(try #require(try running.nextLine()))
      #expect(row["error"] is JSON.Null, "\(row)")
      let file = try #require(row["output"] as? String)
      #expect(Command.contents(of: program.work + "/" + file) == TestImages.jpeg(bytes: 9_000, seed: UInt64(seed)))
      try program.folder.remove("work/made")
    }
    running.closeInput()
    #expect(try running.wait().exitCode == 0)
  }
}
