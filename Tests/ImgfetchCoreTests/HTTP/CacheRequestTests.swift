import Testing

@testable import ImgfetchCore

@Suite("A request's own conditions")
struct PreconditionsTests {
  private let now = WallTime(seconds: 784_111_777)

  private func fields(_ lines: [(String, String)]) -> HeaderFields {
    HeaderFields(lines.map { (name: $0.0, value: $0.1) })
  }

  private func outcome(
    _ request: [(String, String)], _ stored: [(String, String)], status: Int = 200
  ) -> Preconditions.Outcome {
    Preconditions(fields(request), now: now).judge(
      StoredAnswer(status: status, fields: fields(stored), requestTime: now, responseTime: now), length: 10, now: now)
  }

  @Test("are evaluated in order: tags, dates, ranges")
  func order() {
    let stored = [("ETag", "\"a\""), ("Last-Modified", "Sun, 06 Nov 1994 08:00:00 GMT")]
    let old = ("If-Modified-Since", "Sun, 06 Nov 1994 07:00:00 GMT")
    let new = ("If-Modified-Since", "Sun, 06 Nov 1994 08:00:00 GMT")
    let range = ("Range", "bytes=0-3")
    #expect(outcome([], stored) == .whole)
    #expect(outcome([("If-None-Match", "\"a\""), old, range], stored) == .notModified)
    #expect(outcome([("If-None-Match", "\"b\""), new, range], stored) == .part(0...3))
    #expect(outcome([new, range], stored) == .notModified)
    #expect(outcome([old, range], stored) == .part(0...3))
    #expect(outcome([("If-Modified-Since", "soon")], stored) == .whole)
  }

  @Test("do not apply to a stored response other than 200", arguments: [203, 301, 404])
  func otherStatuses(status: Int) {
    #expect(outcome([("If-None-Match", "*"), ("Range", "bytes=0-1")], [], status: status) == .whole)
  }

  @Test("in UTF-8 match what a server has sent in Latin-1")
  func latin1() {
    var stored = HeaderFields()
    stored.append("ETag", bytes: ([0x22, 0xFF, 0x22] as [UInt8]).span)
    let answer = StoredAnswer(status: 200, fields: stored, requestTime: now, responseTime: now)
    let asked = Preconditions(fields([("If-None-Match", "\"\u{FF}\"")]), now: now)
    #expect(asked.judge(answer, length: 1, now: now) == .notModified)
  }

  @Test("that only the origin can evaluate are recognised")
  func forOrigin() {
    #expect(Preconditions(fields([("if-match", "*")]), now: now).isForOrigin)
    #expect(Preconditions(fields([("If-Unmodified-Since", "x")]), now: now).isForOrigin)
    #expect(!Preconditions(fields([("If-None-Match", "*")]), now: now).isForOrigin)
  }

  @Test("are sent together with the cache's own")
  func together() {
    let validators = Validators(etag: EntityTag(bytes: Array("\"c\"".utf8)), lastModified: "then", now: now)
    func conditions(_ own: [(String, String)]) -> [String] {
      CacheRequest(fields(own), now: now).conditions(on: validators).map { "\($0.name): \($0.value)" }
    }
    #expect(conditions([]) == ["If-None-Match: \"c\"", "If-Modified-Since: then"])
    #expect(conditions([("If-None-Match", "\"a\", \"c\"")]) == ["If-None-Match: \"a\", \"c\""])
    #expect(conditions([("If-None-Match", "\"a\"")]) == ["If-None-Match: \"a\", \"c\""])
    #expect(conditions([("If-None-Match", "*")]) == [])
  }

  @Test(
    "on ranges are parsed where there is one range",
    arguments: [
      ("bytes=0-0", 0...0), ("bytes=0-", 0...9), ("bytes=-1", 9...9), ("bytes=-10", 0...9), ("bytes=9-20", 9...9),
      ("bytes = 0-1", nil), ("bytes=", nil), ("bytes=-", nil), ("bytes=1-0", nil), ("bytes=0-1,4-5", nil),
      ("bytes=a-b", nil), ("bytes=99999999999999999999-", nil), ("bytes=10-12", nil), ("items=0-1", nil), ("", nil),
    ] as [(String, ClosedRange<Int64>?)])
  func ranges(field: String, expected: ClosedRange<Int64>?) {
    #expect(ByteRangeAsked(field)?.bytes(of: 10) == expected)
    #expect(ByteRangeAsked(field)?.bytes(of: 0) == nil)
  }
}
