import Foundation
import TestSupport
import Testing

/// `Scripts/smoke` decides whether a binary works on a system. So it must pass with this one, and
/// fail with one that does not.
@Suite("The smoke test") struct SmokeTests {
  private static let script =
    String(#filePath.dropLast("/Tests/EndToEndTests/Scripts/SmokeTests.swift".count)) + "/Scripts/smoke"

  private func smoke(_ program: String) throws -> Outcome {
    var command = Command(Self.script, [program])
    // A proxy in the environment must not be asked for servers of its own.
    command.environment = [
      "PATH": "/usr/bin:/bin", "https_proxy": "http://127.0.0.1:1", "http_proxy": "http://127.0.0.1:1",
    ]
    return try command.run()
  }

  @Test("It passes with this program")
  func passes() throws {
    let outcome = try smoke(Program.path)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.lines.last?.hasPrefix("8 of 8 steps passed: imgfetch ") == true)
  }

  @Test(
    "It fails with a program that does something else, and names the step",
    arguments: [
      (#"[ "$1" != --version ] || exec echo "imgfetch unknown""#, "version"),
      (#"[ "$1" != get ] || exit 0"#, "fetch over HTTP"),
      // As if it trusted every certificate.
      (
        #"case "$*" in *refused.png*) set -- "$@" --insecure ;; esac"#,
        "refuse a certificate of an unknown authority"
      ),
      (#"[ "$2" != --offline ] || exit 7"#, "resize and convert in the sandbox"),
    ])
  func fails(_ line: String, _ step: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("imgfetch", "#!/bin/sh\n\(line)\nexec '\(Program.path)' \"$@\"\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    let outcome = try smoke(path)
    #expect(outcome.exitCode == 1)
    #expect(outcome.errorText.hasPrefix("FAILED: \(step): "), "\(outcome)")
  }

  @Test("It says how to make the program where there is none")
  func missing() throws {
    let outcome = try smoke("/nonexistent/imgfetch")
    #expect(outcome.exitCode == 2)
    #expect(outcome.errorText.contains("Scripts/build makes it"))
  }
}
