import ImgfetchCore
import TestSupport
import Testing

@testable import imgfetch

@Suite("Counting the images of a list") struct LineCountTests {
  private static let lists = [
    "", "a", "a\n", "a\n\n# no\n  b  \r\n\r\n   # no\nc", "\n\n", "#\n#", "\ta\tb\n \t\n\t\t\nb",
    "a\n#" + String(repeating: "x", count: 99),
  ]

  @Test("The count is that of the lines read, wherever the pieces end", arguments: lists)
  func tally(text: String) throws {
    let place = try TemporaryFolder()
    var list = InputList(operands: [], lists: [try place.write("list", text)])
    var expected = 0
    while try list.next() != nil { expected += 1 }
    let bytes = Array(text.utf8)
    for size in 1...max(1, bytes.count) {
      var tally = LineTally()
      for start in stride(from: 0, to: bytes.count, by: size) {
        tally.add(bytes[start..<min(start + size, bytes.count)].span)
      }
      #expect(tally.count == expected, "in pieces of \(size)")
    }
  }

  @Test("Of a table the records count, whatever stands in quotation marks")
  func table() throws {
    for (format, text) in [
      (Choices.ListFormat.csv, "url,c\na,\"x\ny\"\r\n\n  \nb,z"), (.tsv, "url\tc\n\t\n\"a\nb\"\tc\n"),
      (.jsonl, "{\"url\":\"#\"}\n\n{}"),
    ] {
      let bytes = Array(text.utf8)
      for size in 1...bytes.count {
        var tally = LineTally(format)
        for start in stride(from: 0, to: bytes.count, by: size) {
          tally.add(bytes[start..<min(start + size, bytes.count)].span)
        }
        #expect(tally.count == 2, "\(format) in pieces of \(size)")
      }
    }
  }

  private func count(_ arguments: String...) throws -> LineCount? {
    let typed = try Arguments(["get"] + arguments)
    guard case .get(let settings) = try Invocation.make(typed, environment: ["HOME": "/h"]).invocation else {
      throw CommandError("this is no get")
    }
    return LineCount(settings)
  }

  @Test("Operands and lists are counted together; pipes and shards are not counted")
  func selections() throws {
    let place = try TemporaryFolder()
    let long = try place.write("long", (0..<50_000).map { "https://example.org/\($0)" }.joined(separator: "\n"))
    let null = try place.write("null", "a\u{0}b\nc\u{0}#no\u{0}d")
    #expect(try count("a", "b", "-i", long, "-i", long)?.count() == 100_002)
    #expect(try count("-0", "-i", null)?.count() == 3)
    try Command.makePipe(place.path("pipe"))
    #expect(try count("-i", long, "-i", place.path("pipe")) == nil)
    #expect(try count("-i", place.path("missing")) == nil)
    #expect(try count("-i", long, "--shard", "1/2") == nil)
  }
}
