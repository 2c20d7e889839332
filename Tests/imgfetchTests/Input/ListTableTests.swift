import Testing

@testable import imgfetch

@Suite struct ListTableTests {
  private func ends(_ text: String, _ format: Choices.ListFormat, pieces: Int) -> [Int] {
    var (ends, found, at) = (RecordEnd(format), [Int](), 0)
    let bytes = Array(text.utf8)
    while at < bytes.count {
      let piece = Array(bytes[at..<min(at + pieces, bytes.count)])
      var place = 0
      while case let end = ends.find(in: piece.span, from: place), end < piece.count {
        found.append(at + end)
        place = end + 1
      }
      at += piece.count
    }
    return found
  }

  @Test func aLineBreakInsideQuotationMarksEndsNoRecord() {
    for pieces in [1, 2, 3, 100] {
      #expect(ends("a,\"b\nc\"\nd\n", .csv, pieces: pieces) == [7, 9])
      #expect(ends("a,\"b\"\"\nc\"\n", .csv, pieces: pieces) == [9])
      #expect(ends("a,b\"\nc\n", .csv, pieces: pieces) == [4, 6])
      #expect(ends("\"\"\n\"a\tb\"\n", .tsv, pieces: pieces) == [2, 8])
      #expect(ends("{\"a\n", .jsonl, pieces: pieces) == [3])
    }
  }

  @Test func anObjectIsReadToItsEnd() {
    func read(_ text: String) -> [String]? {
      JSONMembers.read(Array(text.utf8)[...])?.map { $0.name + "=" + String(decoding: $0.value, as: UTF8.self) }
    }
    #expect(
      read(#" { "a" : [1, {"b":[]}, -0.5e+3], "\u00e9":"x\"" } "#) == ["a=[1, {\"b\":[]}, -0.5e+3]", "é=\"x\\\"\""])
    #expect(read("{}") == [])
    for wrong in [
      "", "[]", "{", "{\"a\"}", "{\"a\":1,}", "{\"a\":01}", "{\"a\":[1}", "{\"a\":1}x", "{\"a\":\"\\x\"}",
      "{\"a\":tru}",
      "{\"a\":\"\t\"}", "{\"a\":-}", "{a:1}",
    ] { #expect(read(wrong) == nil, "\(wrong)") }
    #expect(read("{\"a\":" + String(repeating: "[", count: 200_000)) == nil)
  }

  @Test func aStringIsDecoded() {
    func text(_ json: String) -> String? { JSONMembers.text(of: Array(json.utf8)[...]) }
    #expect(text(#""a\n\t\/\\\u00e9\ud83d\ude00""#) == "a\n\t/\\é\u{1F600}")
    #expect(text(#""\ud83dx""#) == "\u{FFFD}x")
    #expect(text("12") == nil)
  }

  @Test func aFlawedRecordKeepsItsNote() throws {
    let table = try ListTable(.csv, header: Array("url,id,n".utf8)[...], ListColumns(goAlong: true))
    func flaw(_ text: String) -> InputLine.Flaw? {
      do throws(InputLine.Flaw) {
        _ = try table.line(Array(text.utf8)[...])
        return nil
      } catch { return error }
    }
    #expect(flaw("example.org/a.png,1,2") == nil)
    #expect(flaw(",x,2")?.note.map { String(decoding: $0.fields, as: UTF8.self) } == #","id":"x","columns":{"n":"2"}"#)
    #expect(flaw("a,b,c,d")?.reason.contains("4 fields") == true)
    #expect(flaw("\"a\"b")?.reason.contains("closing quotation mark") == true)
    #expect(flaw("\"a")?.reason.contains("not closed") == true)
  }
}
