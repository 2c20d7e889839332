import TestSupport
import Testing

@Suite("The program in the tests") struct ProgramTests {
  @Test func isTheBuiltOneAndRunsInAFreshFolder() throws {
    let program = try Program()
    let outcome = try program.run("--version")
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.outputText.hasPrefix("imgfetch "))
    #expect(outcome.error.isEmpty)
    #expect(program.folder.files().isEmpty)
  }
}
