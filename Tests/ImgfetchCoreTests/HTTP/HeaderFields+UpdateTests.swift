import Testing

@testable import ImgfetchCore

@Suite("A 304")
struct HeaderFieldsUpdateTests {
  private let now = WallTime(seconds: 1_767_225_600)

  private func fields(_ lines: [(String, String)]) -> HeaderFields {
    HeaderFields(lines.map { (name: $0.0, value: $0.1) })
  }

  @Test("replaces the fields that it contains, and no others")
  func update() {
    var stored = fields([("ETag", "\"a\""), ("X", "1"), ("X", "2"), ("Keep", "k"), ("Content-Length", "9")])
    let news = fields([
      ("x", "3"), ("New", "n"), ("x", "4"), ("Content-Length", "0"), ("Content-Range", "bytes 0-0/1"),
      ("Connection", "close, Secret"), ("Secret", "s"), ("Transfer-Encoding", "chunked"),
    ])
    let isNoteworthy = stored.update(from: news)
    #expect(isNoteworthy)
    #expect(
      stored.map { "\($0.name)=\($0.value)" } == ["ETag=\"a\"", "Keep=k", "Content-Length=9", "x=3", "New=n", "x=4"])
  }

  @Test("with only a new date is not worth a new entry")
  func fleeting() {
    var stored = fields([("Date", "1"), ("ETag", "\"a\""), ("Age", "1")])
    let first = stored.update(
      from: fields([("Date", "2"), ("Age", "2"), ("Expires", "3"), ("Server", "s"), ("etag", "\"a\"")]))
    #expect(!first)
    #expect(stored.first("date") == "2" && stored.first("expires") == "3")
    let second = stored.update(from: fields([("ETag", "\"b\"")]))
    #expect(second)
  }

  @Test("does not bring connection fields into the entry, and neither does a stored response")
  func connection() {
    var answer = fields([("Connection", "X-Hop"), ("X-Hop", "1"), ("Proxy-Authenticate", "Basic"), ("A", "1")])
    answer.removeConnectionFields()
    #expect(answer.map(\.name) == ["A"])
  }

  @Test(
    "counts only for the version that was asked about",
    arguments: [
      ("\"a\"", nil, "\"a\"", nil, true), ("\"a\"", nil, "\"b\"", nil, false), ("\"a\"", nil, nil, nil, true),
      ("W/\"a\"", nil, "W/\"a\"", nil, true), ("\"a\"", nil, "W/\"a\"", nil, true),
      ("W/\"a\"", nil, "\"a\"", nil, false),
      ("a", nil, "a", nil, true), (nil, nil, "\"a\"", nil, false), (nil, nil, nil, nil, true),
      (nil, "Sun, 06 Nov 1994 08:49:37 GMT", nil, "Sunday, 06-Nov-94 08:49:37 GMT", true),
      (nil, "Sun, 06 Nov 1994 08:49:37 GMT", nil, "Sun, 06 Nov 1994 08:49:38 GMT", false),
      (nil, "x", nil, "x", true), (nil, "x", nil, "y", false),
      ("\"a\"", "x", "\"a\"", "y", true),
    ] as [(String?, String?, String?, String?, Bool)])
  func confirmation(tag: String?, date: String?, newTag: String?, newDate: String?, isConfirmed: Bool) {
    func validators(_ tag: String?, _ date: String?) -> Validators {
      Validators(etag: tag.map { EntityTag(bytes: [UInt8]($0.utf8)) }, lastModified: date, now: now)
    }
    #expect(validators(tag, date).areConfirmed(by: validators(newTag, newDate)) == isConfirmed)
  }
}
