import TestSupport
import Testing

@Suite("A resource of the test server") struct ResourceTests {
  let resource = Resource(
    Array("0123456789".utf8), etag: "\"1\"", lastModified: "Tue, 14 Nov 2023 22:13:20 GMT")

  private func answer(_ fields: [(String, String)], lie: Resource.Lie? = nil) -> (Int, String, [String]) {
    var request = TestServer.Request()
    request.headers = fields.map { (name: $0.0, value: $0.1) }
    var resource = resource
    resource.lie = lie
    let answer = resource.answer(request)
    return (
      answer.status, String(decoding: answer.body, as: UTF8.self),
      answer.lines.map { String(decoding: $0, as: UTF8.self) }
    )
  }

  @Test(arguments: [
    ("bytes=0-3", "0123", "0-3"), ("bytes=7-", "789", "7-9"), ("bytes=-2", "89", "8-9"), ("bytes=8-99", "89", "8-9"),
  ]) func answersRanges(range: String, body: String, content: String) {
    let answer = answer([("Range", range)])
    #expect(answer.0 == 206)
    #expect(answer.1 == body)
    #expect(answer.2.contains("Content-Range: bytes \(content)/10"))
    #expect(answer.2.contains("ETag: \"1\""))
  }

  @Test func refusesARangeOutside() {
    let answer = answer([("Range", "bytes=10-")])
    #expect(answer.0 == 416)
    #expect(answer.2.contains("Content-Range: bytes */10"))
  }

  @Test(arguments: [
    ("\"1\"", 206), ("\"2\"", 200), ("W/\"1\"", 200), ("Tue, 14 Nov 2023 22:13:20 GMT", 206),
    ("Tue, 14 Nov 2023 22:13:21 GMT", 200),
  ]) func heedsIfRange(condition: String, status: Int) {
    #expect(answer([("Range", "bytes=5-"), ("If-Range", condition)]).0 == status)
  }

  @Test(arguments: [
    (["If-None-Match": "\"1\""], 304), (["If-None-Match": "\"0\", W/\"1\""], 304), (["If-None-Match": "\"2\""], 200),
    (["If-Modified-Since": "Tue, 14 Nov 2023 22:13:20 GMT"], 304),
    (["If-Modified-Since": "Tue, 14 Nov 2023 22:13:19 GMT"], 200),
    (["If-Modified-Since": "Tue, 14 Nov 2023 22:13:20 GMT", "If-None-Match": "\"2\""], 200),
  ]) func heedsConditions(fields: [String: String], status: Int) {
    #expect(answer(fields.map { ($0.key, $0.value) }).0 == status)
  }

  @Test func liesOnRequest() {
    let range = [("Range", "bytes=5-"), ("If-Range", "\"0\"")]
    #expect(answer(range, lie: .ignoringIfRange).1 == "56789")
    let plain = [("Range", "bytes=5-")]
    #expect(answer(plain, lie: .ignoringRange).0 == 200)
    #expect(answer(plain, lie: .start(3)).2.contains("Content-Range: bytes 3-9/10"))
    #expect(answer(plain, lie: .total(11)).2.contains("Content-Range: bytes 5-9/11"))
    #expect(answer(plain, lie: .bytes([120])).1 == "x")
    #expect(answer(plain, lie: .etag("\"9\"")).2.contains("ETag: \"9\""))
    #expect(!answer(plain, lie: .contentRange(nil)).2.contains { $0.hasPrefix("Content-Range") })
    #expect(answer([("If-None-Match", "\"9\"")], lie: .notModified).0 == 304)
  }
}
