import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("Under --cache http who asks has answers of his own")
struct AskerTests {
  private func runs() throws -> CachedRuns {
    let runs = try CachedRuns()
    runs.server.on("/a") { request in .text("\(request.ordinal)").with("Cache-Control", "max-age=60") }
    return runs
  }

  @Test(
    "whatever Vary says, by the fields that are credentials",
    arguments: ["Authorization", "authorization", "Cookie", "Cookie2", "Proxy-Authorization"])
  func credentials(name: String) throws {
    let runs = try runs()
    let askers = [[(name, "one")], [(name, "two")], []]
    for cache in [CacheType.network, .disk] {
      for (number, asker) in askers.enumerated() {
        let got = try runs.get("/a", asker)
        #expect(got.result.cache == cache && got.text == "\(number + 1)")
      }
    }
    #expect(runs.server.count("/a") == 3)
  }

  @Test("and by no others", arguments: ["X-Api-Key", "Accept", "Accept-Language", "Referer", "User-Agent", "Origin"])
  func others(name: String) throws {
    let runs = try runs()
    _ = try runs.get("/a", [(name, "one")])
    #expect(try runs.get("/a", [(name, "two")]).result.cache == .disk)
    #expect(try runs.get("/a").result.cache == .disk)
    #expect(runs.server.count("/a") == 1)
  }
}
