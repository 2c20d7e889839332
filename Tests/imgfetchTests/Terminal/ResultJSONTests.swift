import Foundation
import Testing

@testable import ImgfetchCore
@testable import imgfetch

@Suite struct ResultJSONTests {
  private func line(_ row: ResultRow, _ json: ResultJSON = ResultJSON()) -> String {
    Rows.text { json.append(row, to: &$0) }
  }

  private func object(_ line: String) throws -> [String: Any] {
    #expect(line.hasSuffix("\n") && line.count(where: \.isNewline) == 1)
    return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
  }

  @Test func aResultHasAllFieldsInTheirOrder() {
    #expect(
      line(Rows.good()) == """
        {"url":"https://example.org/cat.png","time":"1970-01-01T00:00:00.000Z","final_url":"https://cdn.example.org/cat.png",\
        "key":"https://example.org/cat.png","cache":"none","written":null,"duplicate_of":null,"revalidated":false,"shared":false,"stale":false,\
        "status":200,"mime":"image/png","format":"png","width":640,"height":480,"frames":1,"bytes":4567,\
        "downloaded":4567,"elapsed_ms":12.345,"attempts":1,"line":null,"started_ms":0,"queued_ms":0.5,"source":null,\
        "output":"cat.png","error":null}

        """)
  }

  @Test func aFailureHasNullsAndAnError() {
    #expect(
      line(Rows.failed()) == """
        {"url":"https://example.org/dog.png","time":"1970-01-01T00:00:00.000Z","final_url":null,"key":"https://example.org/dog.png","cache":null,"written":null,\
        "duplicate_of":null,"revalidated":false,"shared":false,"stale":false,"status":null,"mime":null,"format":null,"width":null,\
        "height":null,"frames":null,"bytes":null,"downloaded":0,"elapsed_ms":5,"attempts":1,"line":null,\
        "started_ms":0,"queued_ms":0,"source":null,"output":null,"error":{"kind":"http","message":"https://example.org/dog.png: the server answers 404","transient":false,\
        "exit":4}}

        """)
  }

  @Test func whereItStoodAndWhatItWasMadeOfAreTold() {
    var row = Rows.good {
      $0.source = SourceImage(facts: ImageFacts(format: .gif, width: 10, height: 20), bytes: 999)
    }
    row.tag = LineTag(number: 12, id: "a\t\u{1B}")
    row.startedMilliseconds = 3.25
    #expect(
      line(row).contains(
        ",\"line\":12,\"id\":\"a\\t\\u001b\",\"started_ms\":3.25,\"queued_ms\":0.5,"
          + "\"source\":{\"format\":\"gif\",\"width\":10,\"height\":20,\"bytes\":999},\"output\""))
  }

  @Test func textComesBackAsItWas() throws {
    let nasty = "q\"b\\s/t\tn\nr\rz\u{0}e\u{1B}d\u{7F}c\u{85}bidi\u{202E}tag\u{E0041}ü日🐈\u{2028}"
    let text = line(Rows.good { $0.output = nasty })
    #expect(try object(text)["output"] as? String == nasty)
    #expect(!text.dropLast().unicodeScalars.contains { Unprintable.contains($0) })
  }

  @Test func headersAreOrderedPairsAndTheChecksumIsHex() throws {
    let fields = HeaderFields([("Set-Cookie", "a"), ("ETag", "\"x\""), ("Set-Cookie", "b")])
    var row = Rows.good { $0.fieldSource = .ready(fields) }
    row.sha256 = [0x00, 0xAB, 0xFF]
    let object = try object(line(row, ResultJSON(headers: true, checksum: true)))
    #expect(object["sha256"] as? String == "00abff")
    #expect(object["headers"] as? [[String]] == [["Set-Cookie", "a"], ["ETag", "\"x\""], ["Set-Cookie", "b"]])
    #expect(line(Rows.good(), ResultJSON(checksum: true)).contains("\"error\":null,\"sha256\":null}"))
  }

  @Test(arguments: [
    (0.0, "0"), (0.001, "0.001"), (0.02, "0.02"), (1.5, "1.5"), (1234.0, "1234"), (-1, "0"), (.nan, "0"),
  ])
  func millisecondsHaveUpToThreeDecimals(_ time: Double, _ text: String) {
    #expect(Rows.text { $0.append(milliseconds: time) } == text)
  }

  @Test(arguments: [0, 7, -7, 1_234_567_890, Int64.max, .min])
  func numbersAreWrittenInDigits(_ number: Int64) {
    #expect(Rows.text { $0.append(number: number) } == "\(number)")
  }
}
