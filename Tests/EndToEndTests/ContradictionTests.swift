import TestSupport
import Testing

/// Options that exclude each other.
@Suite("Options that contradict each other") struct ContradictionTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
    server.serve("/a.jpg", TestImages.jpeg(width: 20, height: 10))
  }

  @Test(
    "Together they exit with 2, and nothing is requested",
    arguments: [
      ["--offline", "--cache", "reload"], ["--cache", "http", "--offline"], ["-k", "--cacert", "/dev/null"],
      ["--cache", "off", "--read-only-cache", "/nowhere"], ["--cache", "memory", "--skip-failed", "1h"],
      ["--cache-derived", "--cache", "off"],
    ])
  func together(options: [String]) throws {
    let outcome = try program.run(["get"] + options + [server.url("/a.jpg")])
    #expect(outcome.exitCode == 2, "\(outcome)")
    for option in options where option.hasPrefix("-") { #expect(outcome.errorText.contains(option), "\(outcome)") }
    #expect(server.requests.isEmpty)
  }

  @Test("A typed option wins over one in the environment")
  func stronger() throws {
    let url = server.url("/a.jpg")
    let online = try program.run(["get", "--cache", "reload", url], environment: ["IMGFETCH_OFFLINE": "1"])
    #expect(online.exitCode == 0, "\(online)")
    let offline = try program.run(["get", "--offline", url + "?2"], environment: ["IMGFETCH_CACHE": "reload"])
    #expect(offline.exitCode == 6, "\(offline)")
    let both = try program.run(
      ["get", url], environment: ["IMGFETCH_CACHE": "reload", "IMGFETCH_OFFLINE": "1"])
    #expect(both.exitCode == 2 && both.errorText.contains("IMGFETCH_OFFLINE"), "\(both)")
    #expect(try program.run("get", "--offline", "--cache", "only", url).exitCode == 0)
    #expect(server.count("/a.jpg") == 1)
  }
}
