import Foundation
import TestSupport
import Testing

/// `Scripts/fleet/parallel`, with GNU parallel itself, here and over an ssh that is a stand-in.
/// `Scripts/test-fleet` has the other engines.
@Suite("A data set by GNU parallel") struct FleetTests {
  private static let script =
    String(#filePath.dropLast("/Tests/EndToEndTests/Scripts/FleetTests.swift".count)) + "/Scripts/fleet/parallel"

  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    for at in 0..<5 { server.serve("/\(at).jpg", TestImages.jpeg(width: 20 + at, height: 10)) }
    let lines = (0..<60).map { server.url("/\($0 % 6).jpg", host: "h\($0 % 4).example") + "\tid=\($0)" }
    try program.folder.write("work/list.txt", lines.joined(separator: "\n"))
  }

  /// - Parameter ssh: the stand-in for ssh, so that no test calls it.
  private func run(_ arguments: [String], ssh: String, _ pack: String...) throws -> Outcome {
    let stand = try program.folder.write("bin/ssh", "#!/bin/sh\n\(ssh)\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: stand)
    let port = server.url("").split(separator: ":").last ?? ""
    // Every host is this machine.
    let hosts = (0..<4).flatMap { ["--resolve", "h\($0).example:\(port):127.0.0.1"] }
    var command = Command(Self.script, arguments + ["-n", "3", "-p", Program.path, "--"] + pack + hosts)
    command.folder = program.folder.path("work")
    command.environment = [
      "PATH": program.folder.path("bin") + ":/usr/bin:/bin", "HOME": program.folder.path("home"), "SHELL": "/bin/sh",
      "XDG_CACHE_HOME": program.folder.path("home/.cache"), "TMPDIR": program.folder.path("work"),
    ]
    return try command.run()
  }

  private func check(_ outcome: Outcome, _ folder: String) throws {
    #expect(outcome.exitCode == 0, "\(outcome)")
    // Images and failed lines, over all shards, of which each part has some.
    let counts = outcome.rows.map { ((Int($0[2]) ?? 0), (Int($0[3]) ?? 0)) }
    #expect(counts.reduce(0) { $0 + $1.0 } == 50 && counts.reduce(0) { $0 + $1.1 } == 10, "\(outcome)")
    let files = program.folder.files(in: "work/\(folder)")
    #expect(files.count == outcome.rows.count && files.allSatisfy { $0.hasSuffix("-00000.tar") }, "\(files)")
  }

  @Test("Here: each part is a job, and what is there is passed over the next time")
  func here() throws {
    for word in ["made", "kept"] {
      let outcome = try run(["-j", "2"], ssh: "exit 99", "-i", "list.txt", "--cache", "off", "-d", "set")
      try check(outcome, "set")
      #expect(outcome.rows.allSatisfy { $0[0] == word }, "\(outcome)")
    }
  }

  @Test("On other machines: a job whose machine has gone is begun anew")
  func elsewhere() throws {
    // It is told the machine, -- and the command, which it runs here. The first time, the machine is gone.
    let outcome = try run(
      ["-S", "one,two", "-j", "1"],
      ssh: #"shift 2; mkdir "$TMPDIR/gone" 2>/dev/null && exit 255; exec sh -c "$*""#,
      "-i", "list.txt", "--cache", "off", "-d", "set")
    try check(outcome, "set")
  }
}
