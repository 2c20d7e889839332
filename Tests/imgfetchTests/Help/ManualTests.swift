import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

@Suite struct ManualTests {
  /// The repository's root, derived from this file's path.
  private static let repository = String(#filePath.dropLast("/Tests/imgfetchTests/Help/ManualTests.swift".count))

  @Test(arguments: ManualPage.allCases)
  func pageIsTheOneThatTheTableMakes(_ page: ManualPage) {
    #expect(
      text(ofFile: Self.repository + "/man/" + page.rawValue) == Manual.text(page),
      "man/\(page.rawValue) is not up to date: run Scripts/manual")
  }

  @Test(arguments: ManualPage.allCases)
  func pageIsCleanMdoc(_ page: ManualPage) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(page.rawValue, Manual.text(page))
    let outcome = try TestSupport.Command(
      TestSupport.Command.find("mandoc"), ["-T", "lint", "-W", "warning", path]
    ).run()
    #expect(outcome.exitCode == 0 && outcome.output.isEmpty, "\(outcome)")
  }

  @Test(arguments: Flag.all)
  func everyOptionHasItsEntry(_ flag: Flag) {
    let name = (flag.isOnByDefault ? "no-" : "") + flag.long
    let entry = "\"\\-" + name.split(separator: "-").joined(separator: "\\-") + "\""
    for (page, commands) in Self.pages where !flag.commands.isDisjoint(with: commands) {
      let lines = Manual.text(page).split(separator: "\n").filter { $0.hasPrefix(".It Fl ") && $0.contains(entry) }
      #expect(lines.count == 1, "\(page.rawValue): \(flag.long)")
    }
    let variable = Manual.text(.config).contains("Ev \(flag.variable)\n")
    #expect(variable == (flag.sources == .anywhere), "\(flag.long)")
  }

  private static let pages: [(ManualPage, CommandSet)] = [
    (.get, .answering), (.show, .show), (.pack, .pack), (.cache, .cache), (.inspect, .inspect),
  ]

  @Test(arguments: [ManualPage.imgfetch, .get, .show, .pack, .cache, .inspect])
  func pageHasTheSectionsThatAreLookedFor(_ page: ManualPage) {
    let text = Manual.text(page)
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
      #expect(text.contains(".Sh \(section)\n"), "\(section)")
    }
    for (code, _) in ExitCodes.meanings { #expect(text.contains(".It \"\(code)\"\n"), "\(code)") }
  }

  @Test func theFieldsOfTemplatesAreThoseOfJSON() {
    let names = (ReportFields.object + ReportFields.extra).map(\.name).filter { $0 != "headers" }
    #expect(Templates.reportFields == names + ImageDetail.fingerprints.map(\.name) + ReportFields.templates.map(\.name))
  }

  @Test func theFieldsOfJSONAreThoseOfTheManual() {
    let others = ["sha256"] + ImageDetail.fingerprints.map(\.name) + ReportFields.templates.map(\.name)
    #expect(ResultField.allCases.map(\.rawValue) == ReportFields.object.map(\.name) + others)
  }

  @Test func whatMeansSomethingToMdocIsEscaped() {
    #expect(Roff.text(".dot 'quote \\back") == "\\&.dot 'quote \\eback\n")
    #expect(Roff.text("One. Two --json.") == "One.\nTwo \\-\\-json.\n")
    #expect(Roff.argument("a\"b-c") == "\"a\\(dqb\\-c\"")
    #expect(Roff.display(".a\n-b").contains("\n\\&.a\n\\-b\n"))
  }

  private func text(ofFile path: String) -> String? { TestSupport.Command.text(of: path) }
}
