import Testing

@testable import ImgfetchCore

/// The questions that the stages ask, with the answers of both sets of rules side by side.
@Suite("CachingRules: by age, and by HTTP's own") struct CachingRulesTests {
  private func byAge(_ policy: CachePolicy, first: Bool = false) -> CachingRules {
    .byAge(AgeRules(policy: policy, isFirstAsking: first, maximumAge: 100))
  }

  private func byHTTP(_ fields: [(name: String, value: String)] = [], isDistrusted: Bool = false) -> CachingRules {
    let request = CacheRequest(HeaderFields(fields), now: WallTime(seconds: 0))
    return .byHTTP(HTTPRules(request: request, isDistrusted: isDistrusted))
  }

  @Test("Which caches are looked into")
  func caches() {
    let rows: [(CachingRules, memory: Bool, disk: Bool)] = [
      (byAge(.age), true, true), (byAge(.only), true, true), (byAge(.memory), true, false), (byAge(.off), false, false),
      (byAge(.reload, first: true), false, false), (byAge(.reload), true, true),
      (byAge(.refresh, first: true), false, true),
      (byHTTP(), true, true), (byHTTP(isDistrusted: true), false, false),
      // The condition is the origin's to judge.
      (byHTTP([("If-Match", "\"1\"")]), false, false),
    ]
    for (rules, memory, disk) in rows {
      #expect(rules.readsMemory == memory && rules.readsDisk == disk, "\(rules)")
    }
  }

  @Test("Stored redirects lead on where each place of a way has an answer of its own, and without a network")
  func redirects() {
    #expect(byHTTP().followsStoredRedirects && byAge(.only).followsStoredRedirects)
    #expect(!byAge(.age).followsStoredRedirects)
  }

  @Test("What is refused without asking the origin")
  func refusals() throws {
    let url = try WebURL("http://a.example/1.png")
    #expect(
      byAge(.age).refusalToAsk(url, hops: 0, of: url) == nil && byHTTP().refusalToAsk(url, hops: 0, of: url) == nil)
    let offline = byAge(.only)
    #expect(offline.refusalToAsk(url, hops: 0, of: url)?.reason.hasPrefix("not in the cache") == true)
    #expect(
      offline.refusalToAsk(url, hops: 1, of: url)?.reason.hasPrefix("redirects (stored) to http://a.example/1.png")
        == true)
    let refusal = byHTTP([("Cache-Control", "only-if-cached")]).refusalToAsk(url, hops: 0, of: url)
    #expect(refusal?.kind == .offline && refusal?.status == 504)
  }

  @Test("By HTTP's rules redirects and refusals are kept, and a stale copy may be better than a 5xx")
  func network() throws {
    let url = try WebURL("http://a.example/1.png")
    let gone = DownloadMachine.Conclusion.fail(FetchError(.http, "", "", status: 404), retryAfter: nil)
    let broken = DownloadMachine.Conclusion.fail(FetchError(.http, "", "", status: 500), retryAfter: nil)
    let busy = DownloadMachine.Conclusion.fail(
      FetchError(.http, "", "", isTransient: true, status: 503), retryAfter: nil)
    let age = byAge(.age).onNetwork(.stale)
    #expect(!age.looksUpEachHop && !age.keepsAside(gone) && age.prefersStale(to: 500, of: url) == nil)
    let http = byHTTP().onNetwork(.none)
    #expect(http.looksUpEachHop && http.keepsAside(gone) && http.keepsAside(broken) && !http.keepsAside(busy))
    #expect(http.keepsAside(.redirect(url)) && !http.keepsAside(.again))
    #expect(!byHTTP().onNetwork(.stale).keepsAside(broken))
    #expect(!byHTTP([("Cache-Control", "no-store")]).onNetwork(.none).keepsAside(gone))
    #expect(byHTTP().onNetwork(.preferred).prefersStale(to: 502, of: url)?.status == 502)
    #expect(byHTTP().onNetwork(.stale).prefersStale(to: 502, of: url) == nil)
    #expect(byHTTP().onNetwork(.preferred).prefersStale(to: 501, of: url) == nil)
  }
}
