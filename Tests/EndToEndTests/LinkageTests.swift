import Foundation
import TestSupport
import Testing

/// A hit is fast because it loads few libraries.
@Suite("Libraries that the program loads") struct LinkageTests {
  @Test("The released binary needs only libc, libm and the loader", .needs(.releaseBuild))
  func needed() throws {
    let outcome = try Command("/usr/bin/readelf", ["-d", Program.path]).run()
    let needed = outcome.lines.filter { $0.contains("(NEEDED)") }.compactMap {
      $0.split(separator: "[").last?.dropLast()
    }
    #expect(!needed.isEmpty)
    #expect(
      Set(needed).isSubset(of: ["libm.so.6", "libc.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"]), "\(needed)"
    )
  }

  @Test("Without libidn2 a name outside ASCII fails and says what to install, and all other names work")
  func withoutInternationalNames() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    // A library that cannot be loaded, found before the system's. libcurl needs it too, so the image
    // is in the cache already.
    try program.folder.write("few/libidn2.so.0", "")
    let environment = ["LD_LIBRARY_PATH": program.folder.path("few")]
    _ = try program.run("get", server.url("/a.jpg"))
    let outcome = try program.command(
      ["get", "http://b\u{FC}cher.example/a.jpg", server.url("/a.jpg")], environment: environment
    ).run()
    #expect(outcome.errorText.contains("need libidn2 (on Debian and Ubuntu: libidn2-0)"))
    #expect(outcome.lines.contains { $0.hasPrefix("disk") })
    let refused = try program.command(
      ["get", "--deny-host", "b\u{FC}cher.example", server.url("/a.jpg")], environment: environment
    ).run()
    #expect(refused.exitCode == 2)
    #expect(refused.errorText.contains("need libidn2"))
  }

  @Test("It contains neither the concurrency runtime nor regular expressions, which slow down each start")
  func carried() throws {
    let bytes = try Data(contentsOf: URL(filePath: Program.path), options: .alwaysMapped)
    for word in ["SWIFT TASK CONTINUATION MISUSE", "_RegexParser"] {
      #expect(bytes.firstRange(of: Data(word.utf8)) == nil, "\(word)")
    }
  }

  @Test("A hit on disk does not load libcurl; a download does")
  func lateLoading() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
    server.serve("/b.jpg", TestImages.jpeg(width: 20, height: 10))
    _ = try program.run("get", server.url("/a.jpg"))
    let running = try program.start(["get", "-i", "-"])
    running.write("\(server.url("/a.jpg"))\n")
    #expect(try running.nextLine()?.hasPrefix("disk") == true)
    #expect(!(Command.text(of: "/proc/\(running.pid)/maps") ?? "libcurl").contains("libcurl"))
    running.write("\(server.url("/b.jpg"))\n")
    #expect(try running.nextLine()?.hasPrefix("none") == true)
    #expect((Command.text(of: "/proc/\(running.pid)/maps") ?? "").contains("libcurl"))
    running.closeInput()
    #expect(try running.wait().exitCode == 0)
  }
}
