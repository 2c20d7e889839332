import TestSupport
import Testing

/// Arguments, variables and configuration in another encoding are reported as errors and never reinterpreted.
@Suite("Input that is not UTF-8") struct GivenTextTests {
  let program: Program

  init() throws { program = try Program() }

  /// Has a shell make the bytes: `\351` is an é in Latin-1.
  private func run(_ script: String) throws -> Outcome {
    var command = program.command([])
    command.arguments = ["-c", script, Program.path]
    command.path = "/bin/sh"
    return try command.run()
  }

  @Test("An argument exits with 2 and is named by its position, an operand also by its text")
  func arguments() throws {
    let file = try run(#"exec "$0" inspect cat.jpg "$(printf 'caf\351.jpg')""#)
    #expect(file.exitCode == 2)
    #expect(file.errorText.hasPrefix(#"imgfetch: argument 3, 'caf\xe9.jpg', is not UTF-8"#), "\(file)")
    #expect(file.output.isEmpty)
    let url = try run(#"exec "$0" get "$(printf 'http://u:s\351cret@127.0.0.1:1/')""#)
    #expect(url.exitCode == 2)
    #expect(url.errorText.contains("argument 2") && !url.errorText.contains("cret"), "\(url)")
    for option in ["-u", "-o", "--user="] {
      let outcome = try run(#"exec "$0" get \#(option) "$(printf 's\351cret')" http://127.0.0.1:1/"#)
      #expect(outcome.exitCode == 2)
      #expect(outcome.errorText.contains("is not UTF-8") && !outcome.errorText.contains("cret"), "\(outcome)")
    }
  }

  @Test("So does one of this program's variables; others count as unset")
  func variables() throws {
    let ours = try run(#"IMGFETCH_USER_AGENT="$(printf 'caf\351')" exec "$0" cache size"#)
    #expect(ours.exitCode == 2)
    #expect(ours.errorText == "imgfetch: the value of IMGFETCH_USER_AGENT is not UTF-8\n")
    let other = try run(#"OTHER="$(printf 'caf\351')" exec "$0" cache size"#)
    #expect(other.exitCode == 0, "\(other)")
  }

  @Test("So does a line of the configuration, named by its number")
  func configuration() throws {
    let path = try program.folder.write("config", Array("jobs = 3\nuser-agent = caf".utf8) + [0xE9, 10])
    let outcome = try program.run("cache", "size", "--config", path)
    #expect(outcome.exitCode == 2)
    #expect(outcome.errorText.hasPrefix("imgfetch: \(path):2: the line is not UTF-8\n"), "\(outcome)")
  }
}
