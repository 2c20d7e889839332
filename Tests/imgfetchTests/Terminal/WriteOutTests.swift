import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct WriteOutTests {
  private func text(_ template: String, _ row: ResultRow = Rows.good()) -> String {
    Rows.text { WriteOut(template).append(row, to: &$0) }
  }

  @Test func fieldsInBracesAreFilledIn() {
    #expect(text("{cache} {url}\\n") == "none https://example.org/cat.png\n")
    #expect(text("{width}x{height}\\t{bytes}") == "640x480\t4567")
    #expect(text("{elapsed_ms} {shared} {output}") == "12.345 false cat.png")
  }

  @Test func whereTheLineStoodIsKnown() {
    var row = Rows.good()
    row.tag = LineTag(number: 12, id: "a\tb")
    row.startedMilliseconds = 7
    #expect(text("{line} {id} {started_ms} {queued_ms}", row) == "12 a\\tb 7 0.5")
    #expect(text("{line} {id}") == "- -")
  }

  @Test func theHostTheNameAndTheKindOfAFailureHaveFieldsOfTheirOwn() {
    #expect(text("{host} {name} {error_kind}") == "example.org cat -")
    #expect(text("{host} {name} {error_kind}", Rows.failed()) == "example.org dog http")
    #expect(text("{host}", Rows.good { $0.url = "cats" + String(repeating: " ", count: 3) + "dogs" }) == "-")
  }

  @Test func theCacheHasNoMarks() {
    #expect(text("{cache}", Rows.good { $0.isShared = true }) == "none")
  }

  @Test func whatThereIsNotIsADash() {
    #expect(text("{status} {cache} {sha256}", Rows.failed()) == "- - -")
  }

  @Test func anErrorIsItsMessage() {
    #expect(text("{error}", Rows.failed()) == "https://example.org/dog.png: the server answers 404")
  }

  @Test func otherBracesAndBackslashesStandForThemselves() {
    #expect(
      text("{} {nothing} {{url}} } { \\x \\\\n \\") == "{} {nothing} {https://example.org/cat.png} } { \\x \\n \\")
  }

  @Test func itKnowsWhatItNeeds() {
    #expect(WriteOut("{sha256}").uses(.sha256))
    #expect(!WriteOut("{url} sha256").uses(.sha256))
  }
}
