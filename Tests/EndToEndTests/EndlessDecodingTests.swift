import Glibc
import ImgfetchCore
import TestSupport
import Testing

/// Images that take a decoder for ever.
@Suite("Decoding without an end") struct EndlessDecodingTests {
  /// Noise that is computed for each pixel and filtered many times over.
  private static let endless = Array(
    """
    <svg xmlns="http://www.w3.org/2000/svg" width="4000" height="4000"><filter id="f"><feTurbulence \
    baseFrequency=".9" numOctaves="9999"/></filter><rect width="4000" height="4000" filter="url(#f)"/></svg>
    """.utf8)

  @Test("--max-time ends it, and the image failed for that reason")
  func maximumTime() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.svg", Self.endless, type: "image/svg+xml")
    let outcome = try program.run("get", "--convert", "png", "--max-time", "1s", "--json", server.url("/a.svg"))
    #expect(outcome.exitCode == 3, "\(outcome)")
    #expect(outcome.output.isEmpty == false && outcome.outputText.contains("longer than is allowed"), "\(outcome)")
    #expect(program.folder.read("work/a.png") == nil)
  }

  @Test(
    "An image whose decoder crashes, or has no time left, is over a limit: its bytes may be whole",
    arguments: [SIGSEGV, SIGXCPU])
  func endedDecoder(signal: Int32) throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.svg", Self.endless, type: "image/svg+xml")
    let running = try program.start(["get", "--convert", "png", "--json", server.url("/a.svg")])
    kill(try running.decoder(), signal)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 5, "\(outcome)")
    let error = try #require(try JSON.object(outcome.lines.first ?? "")["error"] as? [String: Any], "\(outcome)")
    #expect(error["kind"] as? String == "limit" && error["transient"] as? Bool == false, "\(outcome)")
  }

  @Test("In a data set a crashed decoder is a row; one that had no time left keeps the shard from being made")
  func dataSet() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.svg", Self.endless, type: "image/svg+xml")
    try program.folder.write("work/list", server.url("/a.svg"))
    for (signal, code) in [(SIGXCPU, 3), (SIGSEGV, 0)] as [(Int32, Int32)] {
      let running = try program.start([
        "pack", "-i", "list", "-d", "set", "--convert", "png", "--max-transient", "0", "--json",
      ])
      kill(try running.decoder(), signal)
      let outcome = try running.wait()
      #expect(outcome.exitCode == code, "\(outcome)")
      #expect(program.folder.files(in: "work/set") == (code == 0 ? ["00000.tar"] : []), "\(outcome)")
      if code == 0 { #expect(outcome.outputText.contains("\"kind\":\"limit\""), "\(outcome)") }
    }
  }

  @Test("Ctrl-C ends it at once")
  func interrupt() throws {
    let server = try TestServer()
    let program = try Program()
    server.serve("/a.svg", Self.endless, type: "image/svg+xml")
    let running = try program.start(["get", "--convert", "png", server.url("/a.svg")])
    let clock = SystemClock()
    let began = clock.now()
    while running.children.isEmpty, clock.now() - began < Patience.long { sched_yield() }
    running.send(2)
    let outcome = try running.wait()
    #expect(outcome.exitCode == 130, "\(outcome)")
  }
}

extension Running {
  /// The helper that decodes, once it is shut in and has computed for a while.
  fileprivate func decoder() throws -> Int32 {
    let clock = SystemClock()
    let began = clock.now()
    var first: [Int32: Int] = [:]
    while clock.now() - began < Patience.long {
      for child in children where (Command.text(of: "/proc/\(child)/status") ?? "").contains("Seccomp:\t2") {
        // The name in front may have spaces in it. Then the processor's ticks are the twelfth field.
        let fields = Command.text(of: "/proc/\(child)/stat")?.split(separator: ")").last?.split(separator: " ") ?? []
        guard fields.count > 11, let ticks = Int(fields[11]) else { continue }
        if ticks - first[child, default: ticks] >= 10 { return child }
        first[child] = first[child] ?? ticks
      }
      sched_yield()
    }
    throw CancellationError()
  }
}
