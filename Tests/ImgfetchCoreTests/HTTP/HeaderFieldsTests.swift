import Testing

@testable import ImgfetchCore

@Suite("Header fields")
struct HeaderFieldsTests {
  private func block(_ lines: [String]) -> HeaderFields {
    var fields = HeaderFields()
    for line in lines { fields.appendLine(line.utf8Span.span) }
    return fields
  }

  private func status(_ line: String) -> StatusLine? { StatusLine(line.utf8Span.span) }

  private func copy(_ fields: HeaderFields) -> HeaderFields {
    let bytes = fields.encoded()
    return HeaderFields(encoded: bytes.span)
  }

  @Test("keep order and repeats, and are found in any case")
  func lookUp() {
    let fields = block(["Vary: Accept\r\n", "ETag:\t\"x\" \r\n", "vary:Cookie\n", "Empty:", "\r\n"])
    #expect(fields.map(\.name) == ["Vary", "ETag", "vary", "Empty"])
    #expect(fields.first("VARY") == "Accept")
    #expect(fields.all("vary") == ["Accept", "Cookie"])
    #expect(fields.combined("Vary") == "Accept, Cookie")
    #expect(fields.first("etag") == "\"x\"")
    #expect(fields.first("empty") == "")
    #expect(fields.first("absent") == nil && fields.combined("absent") == nil && !fields.contains("vary "))
  }

  @Test(
    "ignore a line that is no field",
    arguments: ["HTTP/1.1 200 OK", "", "\r\n", ": value", "na me: x", "na\u{1}me: x", "näme: x", "no colon", " folded"])
  func garbage(line: String) {
    #expect(block([line]).isEmpty)
  }

  @Test("append a folded line to the field before it, and drop white space before a colon")
  func folding() {
    let fields = block(["A : one\r\n", "  two \r\n", "\t\r\n", "\tthree\r\n", "B:\r\n", " four\r\n"])
    #expect(fields.map(\.name) == ["A", "B"])
    #expect(fields.all("a") == ["one two three"])
    #expect(fields.all("b") == ["four"])
  }

  @Test("fold onto the last field after a removal")
  func foldAfterRemoval() {
    var fields = block(["A: one", "B: two"])
    fields.remove("b")
    fields.appendLine(" more".utf8Span.span)
    fields.append("C", "x")
    #expect(fields.map { "\($0.name)=\($0.value)" } == ["A=one more", "C=x"])
  }

  @Test("read invalid UTF-8 as Latin-1, and return its bytes unchanged")
  func bytes() {
    var fields = HeaderFields()
    let line: [UInt8] = [UInt8]("X: ".utf8) + [0xE9, 0xFF]
    fields.appendLine(line.span)
    fields.append("Y", "é")
    #expect(fields.first("x") == "éÿ")
    #expect(fields.firstBytes("x") == [0xE9, 0xFF])
    #expect(fields.first("y") == "é")
    #expect(copy(fields) == fields)
  }

  @Test("never contain a line break or NUL in a value")
  func injection() {
    var fields = HeaderFields()
    fields.append("A", "x\r\nSet-Cookie: y\0\n")
    fields.append("B\r\nC", "z")
    #expect(fields.map(\.value) == ["x  Set-Cookie: y"])
  }

  @Test("survive being written and read, after removals too")
  func encoding() {
    var fields = block(["A: 1", "B: two: 2", "a: 3", "C:"])
    fields.replace("a", with: "4")
    #expect(String(decoding: fields.encoded(), as: UTF8.self) == "B:two: 2\nC:\na:4\n")
    #expect(copy(fields) == fields)
  }

  @Test("reject an endless header")
  func limit() {
    var fields = HeaderFields()
    let line = [UInt8]("A: ".utf8) + [UInt8](repeating: 0x61, count: 100_000)
    let taken = (0..<4).map { _ in fields.appendLine(line.span) }
    #expect(taken == [true, true, false, false])
    #expect(fields.count == 2)
  }

  @Test(
    "follow a valid status line",
    arguments: [
      ("HTTP/1.1 200 OK\r\n", "1.1 200"), ("HTTP/2 304 \r\n", "2.0 304"), ("HTTP/3 103", "3.0 103"),
      ("HTTP/1.0 404 Not  Found", "1.0 404"), ("HTTP/1.1  999 x", "1.1 999"),
    ])
  func statusLine(line: String, parts: String) throws {
    let status = try #require(self.status(line))
    #expect("\(status.major).\(status.minor) \(status.status)" == parts)
  }

  @Test(
    "follow no other first line",
    arguments: [
      "", "HTTP/", "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2000", "HTTP/1.1 099 x", "HTTP/1. 200", "http/1.1 200",
      "ICY 200 OK",
    ])
  func noStatusLine(line: String) {
    #expect(status(line) == nil)
  }
}
