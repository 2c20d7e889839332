import Foundation
import TestSupport
import Testing

@testable import ImgfetchCore

/// Each system call of a run fails, does half of its work, or ends the process. In every case, the files are right
/// or as they were, the cache opens and is right, nothing is left open or lying about, and the exit code and the
/// message describe the failure.
@Suite("Faults at every call of a run") struct FaultTests {
  @Test(arguments: FaultedOperation.allCases)
  func everyCallThatFails(_ operation: FaultedOperation) async throws {
    let server = try TestServer()
    operation.serve(on: server)
    await #expect(processExitsWith: .success) { [operation, origin = "http://127.0.0.1:\(server.port)" as String] in
      // Once, and not in each of the processes that are forked.
      try CurlLibrary.load(.system)
      let before = try operation.prepared(origin)
      let errors = Fault.allCases.filter { $0.code != nil }
      let isComplete = ProcessInfo.processInfo.environment["TEST_FAULTS"] == "all"
      // Each call fails with one of the errors, in turn (beginning with another one in each operation, as all begin
      // with the same calls); with each of them where there is time for that.
      let walks = isComplete ? errors.map { [$0] } : [errors]
      let first = FaultedOperation.allCases.firstIndex(of: operation) ?? 0
      var runs = 0
      for faults in walks + [[.half], [.end]] {
        runs += try FaultWalk.run(operation, origin, from: before, faults, first: first)
      }
      #expect(runs > 30)
    }
  }

  @Test(
    "The same on file systems that know no flags for renaming, or no links either",
    arguments: [FaultedOperation.store, .renew, .outputs], [FileSystemKind.flagless, .linkless])
  func everyCallThatFailsThere(_ operation: FaultedOperation, _ kind: FileSystemKind) async throws {
    let server = try TestServer()
    operation.serve(on: server)
    await #expect(processExitsWith: .success) {
      [operation, kind, origin = "http://127.0.0.1:\(server.port)" as String] in
      try CurlLibrary.load(.system)
      let before = try operation.prepared(origin)
      var runs = 0
      for faults in [[Fault.inputOutput], [.end]] {
        runs += try FaultWalk.run(operation, origin, from: before, faults, on: kind)
      }
      #expect(runs > 30)
    }
  }
}

/// One of its calls after the other goes wrong in an operation that is done again and again.
enum FaultWalk {
  /// - Parameters:
  ///   - faults: taken in turn, beginning with the one behind `first`.
  ///   - kind: what the file system knows.
  /// - Returns: in how many runs something went wrong.
  static func run(
    _ operation: FaultedOperation, _ origin: String, from before: TemporaryFolder, _ faults: [Fault], first: Int = 0,
    on kind: FileSystemKind = .complete
  ) throws -> Int {
    var ordinal = 0
    while true {
      ordinal += 1
      let fault = faults[(first + ordinal) % faults.count]
      let place = try before.copy()
      let run = try operation.run(origin, in: place, at: ordinal, fault, on: kind)
      let flaws = try operation.flaws(of: run, fault, origin, in: place)
      #expect(flaws.isEmpty, "\(operation), \(kind): \(fault) at \(run.call ?? "none"), number \(ordinal): \(flaws)")
      if run.call == nil { return ordinal - 1 }
      if fault == .end {
        // No leftover is in a later run's way.
        let next = try operation.run(origin, in: place, on: kind)
        let flaws = try operation.flaws(of: next, fault, origin, in: place)
        #expect(
          flaws.isEmpty, "\(operation), \(kind): after the end at \(run.call ?? "none"), number \(ordinal): \(flaws)")
      }
    }
  }
}
