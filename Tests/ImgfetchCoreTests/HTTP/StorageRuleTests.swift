import Testing

@testable import ImgfetchCore

@Suite("A response may be stored")
struct StorageRuleTests {
  private func obstacle(_ status: Int, _ fields: [(String, String)], request: String? = nil) -> StorageRule.Obstacle? {
    let fields = HeaderFields(fields.map { (name: $0.0, value: $0.1) })
    let demands = RequestDirectives(HeaderFields(request.map { [("Cache-Control", $0)] } ?? []))
    return StorageRule.obstacle(
      request: demands, status: status, response: ResponseDirectives(fields), fields: fields)
  }

  @Test("when its status is cacheable by default", arguments: [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
  func heuristic(status: Int) {
    #expect(obstacle(status, []) == nil)
  }

  @Test(
    "with any other status when its freshness is explicit",
    arguments: [201, 302, 303, 307, 400, 403, 429, 499, 500, 503, 599])
  func explicit(status: Int) {
    #expect(obstacle(status, []) == .notCacheable(status))
    #expect(obstacle(status, [("Cache-Control", "max-age=60")]) == nil)
    #expect(obstacle(status, [("Cache-Control", "public")]) == nil)
    #expect(obstacle(status, [("Cache-Control", "private")]) == nil)
    #expect(obstacle(status, [("Expires", "0")]) == nil)
    #expect(obstacle(status, [("Cache-Control", "s-maxage=60")]) == .notCacheable(status))
  }

  @Test("unless it is interim or partial")
  func incomplete() {
    let fresh = [("Cache-Control", "max-age=60")]
    #expect(obstacle(103, fresh) == .notFinal(103))
    #expect(obstacle(206, fresh) == .notWhole(206))
    #expect(obstacle(304, fresh) == .notWhole(304))
  }

  @Test("unless request or response forbid it")
  func forbidden() {
    #expect(obstacle(200, [("Cache-Control", "max-age=60, no-store")]) == .noStore)
    #expect(obstacle(200, [("Cache-Control", "max-age=60")], request: "no-store") == .requestNoStore)
    #expect(obstacle(200, [("Vary", "Accept, *")]) == .varyEverything)
    #expect(obstacle(200, [("Cache-Control", "no-cache")]) == nil)
  }

  @Test("despite no-store if it must be understood and is")
  func mustUnderstand() {
    #expect(obstacle(200, [("Cache-Control", "must-understand, no-store")]) == nil)
    #expect(obstacle(499, [("Cache-Control", "must-understand, max-age=60")]) == .notUnderstood(499))
    #expect(obstacle(200, [("Cache-Control", "must-understand, no-store")], request: "no-store") == .requestNoStore)
  }
}
