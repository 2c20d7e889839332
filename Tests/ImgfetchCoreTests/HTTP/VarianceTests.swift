import Testing

@testable import ImgfetchCore

@Suite("Vary")
struct VarianceTests {
  private func variance(_ lines: String...) -> Variance { Variance(HeaderFields(lines.map { ("Vary", $0) })) }

  private func request(_ fields: [(String, String)]) -> HeaderFields {
    HeaderFields(fields.map { (name: $0.0, value: $0.1) })
  }

  @Test("names request fields, nothing, or everything")
  func names() {
    #expect(variance() == .nothing && variance("", " , ") == .nothing)
    #expect(variance("Cookie, ACCEPT", "cookie") == .fields(["accept", "cookie"]))
    #expect(variance("Accept", "x, *") == .everything)
  }

  @Test(
    "takes for the same what means the same",
    arguments: [
      ("accept-language", [("Accept-Language", "en, de;q=0.5")], [("accept-language", "DE ; q=0.5 ,EN")]),
      ("accept-encoding", [("Accept-Encoding", "gzip"), ("Accept-Encoding", "br")], [("Accept-Encoding", "br,gzip")]),
      ("accept", [("Accept", "image/webp, */*;q=0.8")], [("Accept", "*/*;q=0.8,image/webp")]),
      ("x", [("X", "a, b")], [("X", "a"), ("X", " b")]), ("x", [("Y", "1")], [("Y", "2")]),
      ("x, y", [("X", "1"), ("Y", "2")], [("y", "2"), ("x", "1")]),
    ])
  func same(vary: String, first: [(String, String)], second: [(String, String)]) {
    #expect(variance(vary).selecting(from: request(first)) == variance(vary).selecting(from: request(second)))
  }

  @Test(
    "tells apart what does not",
    arguments: [
      ("x", [("X", "a, b")], [("X", "b, a")]), ("x", [("X", "a")], [("X", "A")]), ("x", [("X", "")], []),
      ("x", [("X", "\"a, b\"")], [("X", "\"a,b\"")]), ("x", [("X", "a b")], [("X", "ab")]),
      ("x, y", [("X", "1")], [("Y", "1")]),
      ("accept", [("Accept", "a/b;q=1")], [("Accept", "a/b;q=0.5")]),
      ("accept-language", [("Accept-Language", "en")], []),
    ])
  func different(vary: String, first: [(String, String)], second: [(String, String)]) {
    #expect(variance(vary).selecting(from: request(first)) != variance(vary).selecting(from: request(second)))
  }
}
