import Testing

@testable import ImgfetchCore

@Suite("A stored response is used")
struct ReuseRuleTests {
  /// A response that was received `age` seconds ago.
  private func rule(_ response: String, age: Int64, request: String = "") -> ReuseRule {
    let fields = HeaderFields([("Cache-Control", response)])
    let directives = ResponseDirectives(fields)
    let then = WallTime(seconds: 784_111_777)
    let freshness = Freshness(
      status: 200, fields: fields, directives: directives, requestTime: then, responseTime: then,
      now: WallTime(seconds: then.seconds + age))
    return ReuseRule(
      request: RequestDirectives(HeaderFields([("Cache-Control", request)])), response: directives,
      freshness: freshness)
  }

  @Test(
    "while request and response permit it",
    arguments: [
      ("max-age=60", 59, "", ReuseRule.Action.serve), ("max-age=60", 60, "", .validate), ("", 0, "", .validate),
      ("max-age=60, no-cache", 1, "", .validate), ("max-age=60, no-cache=\"x\"", 1, "", .serve),
      ("max-age=60", 1, "no-cache", .validate), ("max-age=60", 1, "no-store", .serve),
      ("max-age=60", 10, "max-age=10", .serve), ("max-age=60", 11, "max-age=10", .validate),
      ("max-age=60", 0, "max-age=0", .validate), ("max-age=60", 90, "max-age=100", .validate),
      ("max-age=60", 50, "min-fresh=10", .serve), ("max-age=60", 51, "min-fresh=10", .validate),
      ("max-age=60", 70, "max-stale=10", .serveStale), ("max-age=60", 71, "max-stale=10", .validate),
      ("max-age=60", 9999, "max-stale", .serveStale), ("max-age=60", 70, "max-stale=x", .validate),
      ("max-age=60, must-revalidate", 70, "max-stale", .validate), ("max-age=60, no-cache", 70, "max-stale", .validate),
      ("max-age=60, proxy-revalidate, s-maxage=1", 70, "max-stale", .serveStale),
      ("max-age=60", 70, "max-age=100, max-stale=20", .serveStale),
      ("max-age=60", 70, "min-fresh=1, max-stale", .validate),
      ("max-age=60, stale-while-revalidate=10", 70, "", .serveStaleAndRefresh),
      ("max-age=60, stale-while-revalidate=10", 71, "", .validate),
      ("max-age=60, stale-while-revalidate=10, must-revalidate", 61, "", .validate),
      ("max-age=60, stale-while-revalidate=10", 65, "max-age=100", .validate),
      ("max-age=60, immutable", 61, "", .validate),
    ] as [(String, Int64, String, ReuseRule.Action)])
  func action(response: String, age: Int64, request: String, action: ReuseRule.Action) {
    #expect(rule(response, age: age, request: request).action == action)
  }

  @Test(
    "stale when the origin fails, unless that is forbidden",
    arguments: [
      ("max-age=60", 9999, "", true), ("max-age=60, must-revalidate", 61, "", false), ("no-cache", 1, "", false),
      ("max-age=60", 61, "no-cache", false), ("max-age=60, proxy-revalidate", 61, "", true),
      ("max-age=60, stale-if-error=10", 70, "", true), ("max-age=60, stale-if-error=10", 71, "", false),
      ("max-age=60", 70, "stale-if-error=10", true), ("max-age=60", 71, "stale-if-error=10", false),
      ("max-age=60", 61, "max-age=100", false), ("max-age=60", 61, "max-age=100, max-stale=1", true),
    ] as [(String, Int64, String, Bool)])
  func onError(response: String, age: Int64, request: String, isAllowed: Bool) {
    #expect(rule(response, age: age, request: request).mayServeStaleOnError == isAllowed)
  }

  @Test("for a reason that is described with its numbers")
  func words() {
    #expect("\(rule("max-age=60", age: 12))" == "fresh (age 12 s, lifetime 60 s by max-age)")
    #expect("\(rule("", age: 12))" == "stale (age 12 s, lifetime 0 s as it names no lifetime)")
    #expect("\(rule("max-age=60", age: 12, request: "max-age=3"))".contains("the request says max-age=3"))
  }
}
