import TestSupport
import Testing

/// `Scripts/kill-shards.py`, for a few kills. `Scripts/test-fleet` has a thousand.
@Suite("Shards and killed attempts") struct PackKillTests {
  private static let script =
    String(#filePath.dropLast("/Tests/EndToEndTests/PackKillTests.swift".count)) + "/Scripts/kill-shards.py"

  @Test("Whenever attempts are killed, the shards are those of an undisturbed run")
  func kills() throws {
    let server = try TestServer()
    for at in 0..<20 { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
    let seed = Seed()
    let outcome = try Command(
      Command.find("python3"),
      [Self.script, Program.path, server.url(""), "--kills", "6", "--seed", "\(seed.number)"]
    ).run()
    #expect(outcome.exitCode == 0, "\(seed): \(outcome)")
  }
}
