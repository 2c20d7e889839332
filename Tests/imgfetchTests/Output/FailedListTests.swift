import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

@Suite struct FailedListTests {
  @Test(arguments: [Choices.ListFormat.csv, .jsonl])
  func anyNumberOfLinesWithoutATableAreRecords(format: Choices.ListFormat) throws {
    let place = try TemporaryFolder()
    var settings = ListSettings()
    settings.format = format
    let list = FailedList(path: place.path("again"), settings)
    for number in 1...20_001 {
      let url = "http://example.org/\(number).png"
      list.begin(number, url.utf8, of: nil)
      list.end(number, FetchError(.http, url, "the server answered 404", status: 404))
    }
    _ = list.close(isComplete: true)
    let records = try #require(place.text("again")).split(separator: "\n").filter { !$0.hasPrefix("#") }
    #expect(records.count == 20_001 + (format == .csv ? 1 : 0))
    #expect(records.first == (format == .csv ? "url,id,referer" : "{\"url\":\"http://example.org/1.png\"}"))
    #expect(records.last?.contains("http://example.org/20001.png") == true)
  }

  @Test(arguments: [Choices.ListFormat.csv, .tsv, .jsonl])
  func anImageThatAPublicPageNamedIsNoRecordOfATable(format: Choices.ListFormat) throws {
    let place = try TemporaryFolder()
    var settings = ListSettings()
    settings.format = format
    let list = FailedList(path: place.path("again"), settings)
    list.begin(1, "http://10.0.0.1/a.png\treferer=http://example.org/\treach=public".utf8, of: nil)
    list.end(1, FetchError(.refused, "http://10.0.0.1/a.png", "not a public address"))
    list.begin(2, "http://10.0.0.1/b.png\treferer=http://example.org/".utf8, of: nil)
    list.end(2, FetchError(.http, "http://10.0.0.1/b.png", "the server answered 404", status: 404))
    _ = list.close(isComplete: true)
    let lines = try #require(place.text("again")).split(separator: "\n")
    #expect(lines.count { $0.contains("http://10.0.0.1/a.png") && $0.hasPrefix("#") } == 1, "\(lines)")
    #expect(lines.count { $0.contains("http://10.0.0.1/a.png") } == 1, "\(lines)")
    #expect(lines.count { $0.contains("http://10.0.0.1/b.png") && !$0.hasPrefix("#") } == 1, "\(lines)")
  }
}
