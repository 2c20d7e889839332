import TestSupport
import Testing

/// Sources that cost as much as their kind allows. A search that is not linear takes longer here than any patience.
@Suite("Worst cases of sources") struct FindWorstCaseTests {
  private static let length = 1 << 20

  /// Lines of 60 KB of one text.
  private static func lines(_ text: String) -> String {
    let line = String(repeating: text, count: 60_000 / text.utf8.count) + "\n"
    return String(repeating: line, count: length / line.utf8.count)
  }

  @Test(
    "Brackets, marks of code and links in one line of Markdown are read in one pass",
    arguments: ["[", "![", "[a](", "[a](<", "![a](<", "![][", "` `` ```", "[![a]"])
  func markdown(_ text: String) throws {
    try ends("page.md", "# a\n\n" + Self.lines(text))
  }

  @Test("Parentheses behind an address are counted once")
  func parentheses() throws {
    try ends("page.txt", "x\n" + Self.lines("http://a" + String(repeating: ")", count: 59_000)))
  }

  @Test("The addresses that a long base makes end somewhere, and that is told")
  func base() throws {
    let base = "http://h/" + String(repeating: "a", count: 60_000) + "/"
    let images = String(repeating: "<img src=a>", count: 3_000)
    let outcome = try ends("page.html", "<!doctype html><base href='\(base)'>" + images, "--max-page", "100K")
    #expect(outcome.errorText.contains("addresses are too long together"), "\(outcome.errorText.suffix(500))")
    let restored = String(repeating: "<y xml:base='a'/>", count: 2_000)
    try ends("feed.xml", "<rss xml:base='\(base)'>" + restored + "</rss>", "--max-page", "100K")
  }

  @discardableResult
  private func ends(_ name: String, _ text: String, _ options: String...) throws -> Outcome {
    let program = try Program()
    try program.folder.write("work/" + name, Array(text.utf8))
    let outcome = try program.run(["find", name] + options)
    #expect([0, 5].contains(outcome.exitCode), "\(outcome.exitCode): \(outcome.errorText.suffix(500))")
    return outcome
  }
}
