import TestSupport
import Testing

/// Files that are as expensive to walk as their format allows. `Scripts/bench walks` measures the bounds; here a walk
/// that is not linear takes longer than any patience.
@Suite("Worst cases of walks") struct WorstCaseTests {
  @Test("inspect comes to an end soon, whatever a file says", arguments: WorstCase.all)
  func isLinear(worst: WorstCase) throws {
    let program = try Program()
    try program.folder.write("work/file", worst.make(128 << 10))
    let outcome = try program.run("inspect", "--json", "file")
    #expect([0, 5].contains(outcome.exitCode), "\(outcome)")
    #expect(outcome.lines.count == 1, "\(outcome)")
  }
}
