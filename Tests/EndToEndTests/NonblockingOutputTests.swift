import CTestSupport
import Glibc
import TestSupport
import Testing

/// A process that shares the pipe may have made it non-blocking, as Node.js and ssh do. A slow reader must
/// not look like a full disk.
@Suite("Output to a pipe that another process made non-blocking") struct NonblockingOutputTests {
  private let server: TestServer
  private let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// Runs the program with `stream` on a non-blocking pipe, which is not read before the program has begun. Returns the
  /// bytes that came through the pipe.
  private func run(_ stream: String, _ arguments: [String], input: String = "") throws -> (Outcome, [UInt8]) {
    var ends: [Int32] = [-1, -1]
    try #require(test_pipe(&ends) == 0)
    defer { close(ends[0]) }
    try #require(fcntl(ends[1], F_SETFL, fcntl(ends[1], F_GETFL) | O_NONBLOCK) == 0)
    var command = program.command(arguments, input: .bytes(Array(input.utf8)))
    command.arguments = ["-c", "exec \"$0\" \"$@\" \(stream)>&3 3>&-", command.path] + arguments
    command.path = "/bin/sh"
    command.inherited = [ends[1]]
    let running = try command.start()
    close(ends[1])
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 10_000)
    while case let count = read(ends[0], &piece, piece.count), count > 0 || (count < 0 && errno == EINTR) {
      bytes += piece.prefix(max(0, count))
    }
    return (try running.wait(), bytes)
  }

  private var list: String { (1...3000).map { server.url("/\($0).jpg") + "\n" }.joined() }

  @Test("The bytes of an image")
  func image() throws {
    let image = TestImages.jpeg(bytes: 3_000_000)
    server.serve("/a.jpg", image)
    let (outcome, bytes) = try run("", ["get", "-o", "-", server.url("/a.jpg")])
    #expect(outcome.exitCode == 0, "\(outcome)")
    // Not `bytes == image`: how two such arrays differ takes the testing library hours to find out.
    let difference = zip(bytes, image).enumerated().first { $0.element.0 != $0.element.1 }?.offset
    #expect(
      difference == nil && bytes.count == image.count,
      "\(bytes.count) bytes, other ones from \(difference ?? -1) on")
  }

  @Test("Rows")
  func rows() throws {
    let image = TestImages.jpeg(width: 8, height: 8)
    server.onOther { _ in .ok(image, type: "image/jpeg") }
    let (outcome, bytes) = try run("", ["prefetch", "--json", "-i", "-"], input: list)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 3001)
  }

  @Test("Messages")
  func messages() throws {
    server.onOther { _ in .status(404) }
    let (outcome, bytes) = try run("2", ["prefetch", "-q", "-i", "-"], input: list)
    #expect(outcome.exitCode == 4, "\(outcome)")
    // One for each image, and the digest behind them.
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    #expect(
      lines.prefix { $0.hasPrefix("imgfetch: \(server.url("/"))") && $0.hasSuffix("404 Not Found") }.count == 3000)
    #expect((2...9).contains(lines.count - 3000) && lines.last == "", "\(lines.suffix(10))")
  }
}
