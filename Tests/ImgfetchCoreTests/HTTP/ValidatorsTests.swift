import Testing

@testable import ImgfetchCore

@Suite("Validators")
struct ValidatorsTests {
  private let now = WallTime(seconds: 1_767_225_600)

  @Test(
    "distinguish strong tags from weak and malformed ones",
    arguments: [
      ("\"a\"", true, false), ("\"\"", true, false), ("W/\"a\"", false, true), ("w/\"a\"", false, false),
      ("a", false, false), ("\"a", false, false), ("\"", false, false), ("\"a\"b\"", false, false),
      ("W/a", false, true),
    ])
  func kinds(text: String, isStrong: Bool, isWeak: Bool) {
    let tag = EntityTag(bytes: [UInt8](text.utf8))
    #expect(tag.isStrong == isStrong)
    #expect(tag.isWeak == isWeak)
  }

  /// RFC 9110 §8.8.3.2, and malformed tags.
  @Test(
    "compare tags strongly and weakly",
    arguments: [
      ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false), ("W/\"1\"", "\"1\"", false, true),
      ("\"1\"", "\"1\"", true, true), ("\"1\"", "\"2\"", false, false), ("1", "1", false, true),
      ("1", "\"1\"", false, false),
    ])
  func comparison(left: String, right: String, strongly: Bool, weakly: Bool) {
    let (left, right) = (EntityTag(bytes: [UInt8](left.utf8)), EntityTag(bytes: [UInt8](right.utf8)))
    #expect(left.stronglyMatches(right) == strongly)
    #expect(left.weaklyMatches(right) == weakly)
  }

  @Test("are sent back to the server as received")
  func conditional() {
    var fields = HeaderFields()
    let odd: [UInt8] = [UInt8](" ETag: caf".utf8.dropFirst()) + [0xE9]
    fields.appendLine(odd.span)
    fields.append("Last-Modified", "yesterday")
    let conditional = Validators(fields, now: now).conditionalFields
    #expect(conditional.firstBytes("if-none-match") == [UInt8]("caf".utf8) + [0xE9])
    #expect(conditional.first("if-modified-since") == "yesterday")
    #expect(Validators(HeaderFields([("ETag", "")]), now: now).isEmpty)
    #expect(Validators(now: now).conditionalFields.isEmpty)
  }

  @Test("permit continuing a part only where they identify its bytes")
  func strength() {
    let modified = "Sun, 06 Nov 1994 08:49:37 GMT"
    func isStrong(_ tag: String?, _ date: String?, at seconds: Int64?) -> Bool {
      Validators(etag: tag.map { EntityTag(bytes: [UInt8]($0.utf8)) }, lastModified: date, now: now)
        .isStrongForRange(date: seconds.map { WallTime(seconds: $0) })
    }
    #expect(isStrong("\"a\"", nil, at: nil))
    #expect(isStrong("W/\"a\"", modified, at: 784_111_999) == false)
    #expect(isStrong("a", modified, at: 784_111_999) == false)
    #expect(isStrong(nil, modified, at: 784_111_778))
    #expect(isStrong(nil, modified, at: 784_111_777) == false)
    #expect(isStrong(nil, modified, at: nil) == false)
    #expect(isStrong(nil, "yesterday", at: 784_111_999) == false)
    #expect(isStrong(nil, nil, at: 784_111_999) == false)
  }

  @Test("that no server would accept back are ignored")
  func tooLong() {
    let long = "\"" + String(repeating: "x", count: 5000) + "\""
    let fields = HeaderFields([("ETag", long), ("Last-Modified", long)])
    #expect(Validators(fields, now: WallTime(seconds: 0)).isEmpty)
  }
}
