import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Names that differ in their case") struct CaseFoldingTests {
  @Test("They are two names on the usual file systems, whether the folder is there or not")
  func usual() throws {
    let folder = try TemporaryFolder()
    for path in ["", ".", "/", "/nowhere/at/all", "nowhere/", folder.path, folder.path("none/a/b/")] {
      #expect(!CaseFolding.isDone(in: path, mayWrite: true), "\(path)")
    }
    #expect(folder.files().isEmpty)
  }

  @Test func otherCases() {
    #expect(CaseFolding.otherCase(of: "Ab-9_ä.PNG") == "aB-9_ä.png")
    #expect(CaseFolding.otherCase(of: "1@[`{~") == "1@[`{~")
  }
}
