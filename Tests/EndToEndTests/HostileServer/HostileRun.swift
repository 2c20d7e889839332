import TestSupport
import Testing

/// The program with a malicious server: its report of one URL, and its memory use.
struct HostileRun {
  let server: TestServer
  let program: Program

  init() throws {
    server = try TestServer()
    program = try Program()
  }

  /// The result of one answer.
  struct Verdict: CustomStringConvertible {
    /// The kind of the error in the report, or nil if the image was fetched.
    let kind: String?
    let message: String
    /// The exit code that `error` names, which is also the program's.
    let exit: Int32
    /// The peak memory until the result was printed; 0 under a sanitizer, which keeps freed memory
    /// by the hundred megabytes.
    let memory: Int
    let outcome: Outcome

    var description: String { "\(kind ?? "an image"), \(memory / 1024) KB: \(message)\n\(outcome)" }
  }

  /// Fetches one URL with a program that is fed line by line, so that it still runs when the result is printed: only
  /// then can its memory be read.
  func get(_ path: String, _ arguments: String...) throws -> Verdict {
    let url = path.hasPrefix("/") ? server.url(path) : path
    let running = try program.start(["get", "--json", "--retry", "0", "-i", "-"] + arguments)
    running.write(url + "\n")
    let row = try JSON.object(try #require(try running.nextLine()))
    let memory = Program.isSanitized ? 0 : running.peakMemory ?? 0
    running.closeInput()
    let outcome = try running.wait()
    let error = row["error"] as? [String: Any]
    let verdict = Verdict(
      kind: error?["kind"] as? String, message: error?["message"] as? String ?? "",
      exit: try #require(outcome.exitCode, "\(outcome)"), memory: memory, outcome: outcome)
    #expect(verdict.exit == error?["exit"] as? Int32 ?? Int32(error?["exit"] as? Int ?? 0), "\(verdict)")
    return verdict
  }

  /// Nothing was delivered, and nothing is kept.
  func expectNothing(sourceLocation: SourceLocation = #_sourceLocation) throws {
    #expect(program.folder.files(in: "work").isEmpty, sourceLocation: sourceLocation)
    #expect(try program.run("cache", "size", "--exact").rows.first?.last == "0", sourceLocation: sourceLocation)
  }
}
