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

  @Test
  func pythonModuleHasTheOptionsOfTheTable() {
    #expect(
      text(ofFile: Self.repository + "/Sources/Python/imgfetch/_options.py") == PythonOptions.text,
      "Sources/Python/imgfetch/_options.py is not up to date: run Scripts/manual")
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
  }

  @Test("The page of the configuration names the options that are for the command line only", arguments: Flag.all)
  func whatCannotBeSetIsNamed(_ flag: Flag) {
    let name = (flag.isOnByDefault ? "no-" : "") + flag.long
    let spelling = "\\-\\-" + name.split(separator: "-").joined(separator: "\\-")
    let words = Manual.text(.config).split { $0 == " " || $0 == "\n" }
    let isNamed = words.contains { $0 == spelling + "," || $0 == spelling + "." }
    #expect(isNamed == (flag.sources == .commandLine), "\(flag.long)")
  }

  @Test("An option is explained in full on the page of its subject", arguments: Flag.all)
  func everyOptionIsExplained(_ flag: Flag) {
    let home = ManualPage.explaining(flag)
    #expect(Manual.text(home).contains(Roff.paragraphs(flag.details).prefix(60)), "\(home.rawValue): \(flag.long)")
  }

  @Test("No page is longer than a reader can bear", arguments: ManualPage.allCases)
  func pagesAreShort(_ page: ManualPage) {
    #expect(Manual.text(page).utf8.count { $0 == 10 } <= 900, "\(page.rawValue)")
  }

  @Test("An option's text begins with what the option does", arguments: Flag.all)
  func textBeginsWithAVerb(_ flag: Flag) throws {
    let first = try #require(flag.details.split(separator: " ").first).filter(\.isLetter)
    #expect(first.first?.isUppercase == true && first.hasSuffix("s"), "--\(flag.long): \(first) …")
    #expect(!flag.details.contains("The default is"), "the table adds the default: --\(flag.long)")
  }

  @Test("Pages are named once, and their references lead to pages that exist", arguments: ManualPage.allCases)
  func references(_ page: ManualPage) {
    let names = Set(ManualPage.allCases.map(\.rawValue))
    #expect(names.count == ManualPage.allCases.count)
    let others = ["curl.1", "jq.1", "parallel.1", "sbatch.1", "tar.1"]
    for line in Manual.text(page).split(separator: "\n") where line.hasPrefix(".Xr ") {
      let words = line.split(separator: " ")
      let name = "\(words[1]).\(words[2])"
      #expect(names.contains(name) || others.contains(name), "\(page.rawValue): \(name)")
    }
  }

  @Test("No page refers to itself", arguments: ManualPage.allCases)
  func selfReference(_ page: ManualPage) {
    let own = "\(page.reference.name)(\(page.reference.section))"
    let words = Manual.text(page).split { $0 == " " || $0 == "\n" }
    #expect(!words.contains { $0 == own || $0.hasPrefix(own + ".") }, "\(page.rawValue)")
  }

  private static let pages: [(ManualPage, CommandSet)] = [
    (.get, .answering), (.show, .show), (.pack, .pack), (.find, .find), (.report, .report), (.cache, .cache),
    (.inspect, .inspect),
  ]

  @Test("The set of cache commands has each of them, and no other")
  func cacheCommands() {
    #expect(CommandSet.cache.commands == Command.allCases.filter { $0.cacheWord != nil })
  }

  @Test("Each cache command has a paragraph on its page", arguments: Command.allCases.compactMap(\.cacheWord))
  func cacheParagraphs(_ word: String) throws {
    let lines = Manual.text(.cache).split(separator: "\n")
    let item = try #require(lines.firstIndex { $0.hasPrefix(".It Cm \(word)") })
    #expect(lines[item + 1].first != ".", "\(lines[item + 1])")
  }

  @Test(arguments: [ManualPage.imgfetch, .get, .show, .pack, .find, .report, .cache, .inspect])
  func pageHasTheSectionsThatAreLookedFor(_ page: ManualPage) {
    let text = Manual.text(page)
    for section in ["NAME", "SYNOPSIS", "DESCRIPTION", "ENVIRONMENT", "FILES", "EXIT STATUS", "EXAMPLES", "SEE ALSO"] {
      #expect(text.contains(".Sh \(section)\n"), "\(section)")
    }
    let listed = ExitCodes.meanings.filter { text.contains(".It \"\($0.code)\"\n") }
    #expect(listed.count == ExitCodes.meanings.count || text.contains("Any other code is one of imgfetch(1)."))
    #expect(listed.first?.code == "0")
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
