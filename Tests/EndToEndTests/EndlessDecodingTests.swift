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
