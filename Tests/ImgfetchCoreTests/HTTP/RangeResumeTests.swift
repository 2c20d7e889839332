import Testing

@testable import ImgfetchCore

@Suite("A part of an image")
struct RangeResumeTests {
  private let now = WallTime(seconds: 1_767_225_600)

  private func part(
    length: Int = 600, total: Int? = 1000, etag: String? = "\"a\"", modified: String? = nil
  ) -> RangeResume {
    RangeResume(
      length: length, total: total,
      validators: Validators(etag: etag.map { EntityTag(bytes: [UInt8]($0.utf8)) }, lastModified: modified, now: now),
      date: WallTime(seconds: 784_200_000))
  }

  @Test("is continued by a request with its validator")
  func request() {
    #expect(part().requestFields == HeaderFields([("Range", "bytes=600-"), ("If-Range", "\"a\"")]))
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    #expect(part(etag: nil, modified: date).requestFields?.first("if-range") == date)
  }

  @Test("is not continued where the rest may be of another version, or where nothing is missing")
  func noRequest() {
    #expect(part(etag: "W/\"a\"").requestFields == nil)
    #expect(part(etag: nil).requestFields == nil)
    #expect(part(length: 0).requestFields == nil)
    #expect(part(length: 1000).requestFields == nil)
    #expect(part(total: nil).requestFields != nil)
  }

  @Test(
    "is continued by exactly its rest",
    arguments: [
      (206, "bytes 600-999/1000", "\"a\"", "proceed"), (206, "BYTES 600-700/1000", "\"a\"", "proceed"),
      (200, nil, "\"b\"", "startOver"), (206, "bytes 599-999/1000", "\"a\"", "askAgain"),
      (206, "bytes 601-999/1000", "\"a\"", "askAgain"), (206, "bytes 600-999/1001", "\"a\"", "askAgain"),
      (206, "bytes 600-999/*", "\"a\"", "askAgain"), (206, "bytes 600-999/1000", "\"b\"", "askAgain"),
      (206, "bytes 600-999/1000", "W/\"a\"", "askAgain"), (206, "bytes 600-999/1000", nil, "askAgain"),
      (206, nil, "\"a\"", "askAgain"), (206, "bytes */1000", "\"a\"", "askAgain"),
      (206, "lines 600-999/1000", "\"a\"", "askAgain"),
      (416, "bytes */1000", nil, "askAgain"),
      (403, nil, nil, "askAgain"), (404, nil, nil, "unrelated"), (503, nil, nil, "unrelated"),
      (302, nil, nil, "unrelated"), (304, nil, "\"a\"", "askAgain"),
    ] as [(Int, String?, String?, String)])
  func decision(status: Int, range: String?, etag: String?, outcome: String) {
    var fields = HeaderFields()
    if let range { fields.append("Content-Range", range) }
    if let etag { fields.append("ETag", etag) }
    let decision = part().decide(status: status, fields: fields, now: now)
    #expect("\(decision)".hasPrefix(outcome))
  }

  @Test("is not continued by a body that is longer or shorter than its range", arguments: ["399", "401", "x", ""])
  func otherLength(length: String) {
    let fields = HeaderFields([
      ("Content-Range", "bytes 600-999/1000"), ("Content-Length", length), ("ETag", "\"a\""),
    ])
    #expect("\(part().decide(status: 206, fields: fields, now: now))".hasPrefix("askAgain"))
  }

  @Test("is not continued by a contradictory response")
  func contradiction() {
    let fields = HeaderFields([
      ("Content-Range", "bytes 600-999/1000"), ("Content-Range", "bytes 0-399/1000"), ("ETag", "\"a\""),
    ])
    guard case .askAgain = part().decide(status: 206, fields: fields, now: now) else {
      Issue.record("a 206 with two ranges was taken")
      return
    }
  }

  @Test("is identified by its date where there is no tag")
  func byDate() {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    func decide(_ modified: String) -> RangeResume.Decision {
      let fields = HeaderFields([("Content-Range", "bytes 600-999/1000"), ("Last-Modified", modified)])
      return part(etag: nil, modified: date).decide(status: 206, fields: fields, now: now)
    }
    #expect(decide(date) == .proceed)
    #expect(decide("Sun, 06 Nov 1994 08:49:38 GMT") == .askAgain("the image has changed"))
  }

  @Test(
    "is described by Content-Range",
    arguments: [
      ("bytes 0-0/1", "0-0/1"), ("bytes  200-299/*", "200-299/*"), ("bytes */1000", "*/1000"),
      (
        "bytes 9223372036854775806-9223372036854775806/9223372036854775807",
        "9223372036854775806-9223372036854775806/9223372036854775807"
      ),
    ])
  func contentRange(text: String, parts: String) throws {
    let range = try #require(ContentRange.parse(text))
    let bytes = range.bytes.map { "\($0.lowerBound)-\($0.upperBound)" } ?? "*"
    #expect("\(bytes)/\(range.total.map(String.init) ?? "*")" == parts)
  }

  @Test(
    "is not described by garbage",
    arguments: [
      "", "bytes", "bytes ", "bytes 0-1", "bytes 1-0/2", "bytes 0-2/2", "bytes */*", "bytes -1/2", "bytes 0-/2",
      "bytes 0-1/",
      "bytes 0-1/2/3", "bytes 0-1-2/3", "bytes +0-1/2", "bytes 0-1/2 x", "bytes=0-1/2",
      "bytes 0-1/99999999999999999999",
      "bytes 99999999999999999999-99999999999999999999/*", "octets 0-1/2",
    ])
  func noContentRange(text: String) {
    #expect(ContentRange.parse(text) == nil)
  }
}
