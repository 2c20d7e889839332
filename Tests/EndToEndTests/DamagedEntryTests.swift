import TestSupport
import Testing

@Suite("A damaged cache costs a download, never an image") struct DamagedEntryTests {
  private let image = TestImages.jpeg(bytes: 2000)

  private func prepared() throws -> (TestServer, Program, entry: String) {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", image)
    _ = try program.run("get", server.url("/a.jpg"))
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    return (server, program, path)
  }

  private func expectFetchedAgain(_ server: TestServer, _ program: Program) throws {
    try program.folder.remove("work/a.jpg")
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.rows.first?.first == "none")
    #expect(program.folder.read("work/a.jpg") == image)
    #expect(server.count("/a.jpg") == 2)
  }

  @Test("A changed byte at any position", arguments: [0, 1000, 1999, 2050, -1, -64, -40])
  func changed(at offset: Int) throws {
    let (server, program, path) = try prepared()
    var bytes = try #require(Command.contents(of: path))
    bytes[offset < 0 ? bytes.count + offset : offset] ^= 1
    try Command.overwrite(path, with: bytes)
    try expectFetchedAgain(server, program)
  }

  @Test("A truncation at any position", arguments: [0, 1, 1000, 2000, 2001, -1, -64])
  func cut(at offset: Int) throws {
    let (server, program, path) = try prepared()
    let bytes = try #require(Command.contents(of: path))
    try Command.overwrite(path, with: Array(bytes.prefix(offset < 0 ? bytes.count + offset : offset)))
    try expectFetchedAgain(server, program)
  }

  @Test("Garbage, and a link to elsewhere")
  func garbage() throws {
    let (server, program, path) = try prepared()
    try Command.overwrite(path, with: Array("what is this?".utf8))
    try expectFetchedAgain(server, program)
    let (other, second, link) = try prepared()
    try Command.replace(path: link, withLinkTo: "/etc/hostname")
    try expectFetchedAgain(other, second)
  }

  @Test("A large entry damaged in its middle is not delivered but fetched again")
  func large() throws {
    let server = try TestServer()
    let program = try Program()
    let large = TestImages.jpeg(bytes: 2_000_000)
    server.serve("/a.jpg", large)
    _ = try program.run("get", server.url("/a.jpg"))
    let path = try #require(try program.run("cache", "path", server.url("/a.jpg")).lines.first)
    var bytes = try #require(Command.contents(of: path))
    bytes[1_000_000] ^= 1
    try Command.overwrite(path, with: bytes)
    try program.folder.remove("work/a.jpg")
    let outcome = try program.run("get", server.url("/a.jpg"))
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.rows.first?.first == "none")
    #expect(program.folder.read("work/a.jpg") == large)
  }
}
