import Testing

@testable import ImgfetchReport

@Suite("Rows as a report reads them")
struct RowScannerTests {
  /// Returns whether the text is a row.
  private func scan(_ text: String, _ use: (Row, Span<UInt8>) -> Void) -> Bool {
    var scanner = RowScanner()
    var row = Row()
    let bytes = Array(text.utf8)
    guard scanner.scan(bytes.span, &row) else { return false }
    use(row, bytes.span)
    return true
  }

  @Test("Fields are found in any order, nested ones too, and escapes are undone")
  func fields() {
    let isRow = scan(
      #"{"x":[{"url":"no"}],"url":"https:\/\/a.b\/\u00e9\ud83d\ude00","bytes":1234,"elapsed_ms":12.5,"line":7,"#
        + #""error":{"kind":"http","message":"\"no\""},"status":404,"fingerprints":{"dhash":"00ff"}} "#
    ) { row, bytes in
      #expect(row.kind == .image && row.hasFailed)
      #expect(row.url.string(in: bytes) == "https://a.b/é😀")
      #expect(row.bytes == 1_234 && row.elapsed == 12.5 && row.line == 7 && row.status == 404)
      #expect(row.message.string(in: bytes) == "\"no\"" && row.cause(in: bytes) == "http:404")
      #expect(row.dhash.string(in: bytes) == "00ff")
    }
    #expect(isRow)
  }

  @Test("The fields of the row before are no promise for the next one")
  func orders() {
    var scanner = RowScanner()
    var row = Row()
    for text in [#"{"url":"a","bytes":1}"#, #"{"bytes":2,"url":"b"}"#, #"{"url":"c","key":"k","bytes":3}"#] {
      let bytes = Array(text.utf8)
      #expect(scanner.scan(bytes.span, &row))
      #expect(row.bytes == (text.utf8.contains(UInt8(ascii: "1")) ? 1 : text.utf8.contains(UInt8(ascii: "2")) ? 2 : 3))
    }
  }

  @Test(
    "Whatever is no object is no row, and nothing traps",
    arguments: [
      "", "{", "[]", "{}x", #"{"url"}"#, #"{"url":"a"#, #"{"url":"\"#, #"{"a":{"b":[1,2}}"#, #"{"a":&}"#, "null",
      "{\"a\":1,}",
      "\u{FEFF}{}", #"{"a":"\ud800"}x"#,
    ])
  func strange(_ text: String) {
    let isRow = scan(text) { _, _ in }
    #expect(!isRow)
  }

  @Test("A summary is known, a shard's object is none of an image, and a cached image is known by its key")
  func kinds() {
    var count = 0
    count +=
      scan(#"{"summary":{"total":3,"complete":false}}"#) { row, _ in
        #expect(row.kind == .summary && !row.isComplete)
      } ? 1 : 0
    count += scan(#"{"shard":"00000","file":"x.tar"}"#) { row, _ in #expect(row.kind == .shard) } ? 1 : 0
    count +=
      scan(#"{"key":"https://a.b/c","path":"/c/ab/12"}"#) { row, bytes in
        #expect(row.kind == .image && row.address.string(in: bytes) == "https://a.b/c")
        #expect(row.place.string(in: bytes) == "/c/ab/12")
      } ? 1 : 0
    #expect(count == 3)
  }

  @Test("Times are read with their zones, numbers with their exponents")
  func numbers() {
    func seconds(_ text: String) -> Int64? {
      let bytes = Array(text.utf8)
      return RowNumber.seconds(bytes.span, Row.Text(start: 0, end: Int32(bytes.count)))
    }
    #expect(seconds("1970-01-02T00:00:01Z") == 86_401)
    #expect(seconds("2026-11-26T16:48:11.250Z") == 1_795_711_691)
    #expect(seconds("2026-11-26T17:48:11.250+01:00") == 1_795_711_691)
    #expect(seconds("yesterday, at a quarter past") == nil)
    let number = Array("-1.5e3".utf8)
    #expect(RowNumber.value(number.span, 0, number.count) == -1_500)
  }
}
