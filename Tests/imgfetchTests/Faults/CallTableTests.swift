import Glibc
import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("What each system call costs that fails") struct CallTableTests {
  @Test("Its rows hold, and each of their errors was met", .serialized, arguments: SystemCall.allCases)
  // One after the other: each is a process, and forty at once would leave little of the machine
  // to what runs beside them.
  func rows(of call: SystemCall) async throws {
    #expect(CallTable.rows.contains { $0.call == call }, "nothing says what its failure does")
    try await check(call, ofRoot: false)
  }

  @Test(
    "So do those of what root alone does", .needs(.root), .serialized,
    arguments: Set(CallTable.rows.filter(\.isOfRoot).map(\.call)))
  func rowsOfRoot(of call: SystemCall) async throws { try await check(call, ofRoot: true) }

  private func check(_ call: SystemCall, ofRoot isOfRoot: Bool) async throws {
    let rows = CallTable.rows.filter { $0.call == call && $0.isOfRoot == isOfRoot }
    let server = try TestServer()
    for use in Set(rows.map(\.use)) { use.serve(on: server) }
    let stage = FaultedUse.Stage(origin: "http://127.0.0.1:\(server.port)", program: Program.path)
    await #expect(processExitsWith: .success) {
      [name = call.rawValue as String, isOfRoot = isOfRoot as Bool, stage = stage as FaultedUse.Stage] in
      try CurlLibrary.load(.system)
      var prepared: [FaultedUse: TemporaryFolder] = [:]
      for row in CallTable.rows where row.call.rawValue == name && row.isOfRoot == isOfRoot {
        let before = try prepared[row.use] ?? row.use.prepared(stage)
        prepared[row.use] = before
        for code in row.errors {
          let place = try before.copy()
          let run = try row.use.run(stage, in: place, Self.decision(row, code))
          let flaws = try row.use.flaws(of: run, row, code, stage, in: place)
          #expect(flaws.isEmpty, "\(name) \(row.name ?? "") \(row.nth ?? 0) (\(code)), \(row.use): \(flaws)")
          guard row.use.canEndWell, code == row.errors.last else { continue }
          // No leftover is in a later run's way.
          let next = try row.use.run(stage, in: place) { _, _ in nil }
          let others = try row.use.flaws(ofNext: next, after: row.outcome, stage, in: place)
          #expect(others.isEmpty, "after \(name) \(row.name ?? "") \(row.nth ?? 0) (\(code)), \(row.use): \(others)")
        }
      }
    }
  }

  private static func decision(_ row: CallTable.Row, _ code: Errno) -> FaultedRun.Decision {
    let seen = Guarded(0)
    return { call, path in
      guard call == row.call else { return nil }
      if let name = row.name { guard let path, fnmatch(name, path, 0) == 0 else { return nil } }
      let number = seen.withLock { seen in
        seen += 1
        return seen
      }
      return row.nth == nil || row.nth == number ? .fail(code) : nil
    }
  }

  @Test("No error stands twice in a row")
  func complete() {
    for row in CallTable.rows { #expect(Set(row.errors).count == row.errors.count, "\(row.call)") }
  }
}
