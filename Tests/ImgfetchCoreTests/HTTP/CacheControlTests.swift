import Testing

@testable import ImgfetchCore

@Suite("Cache-Control")
struct CacheControlTests {
  private func response(_ lines: String...) -> ResponseDirectives {
    ResponseDirectives(HeaderFields(lines.map { ("Cache-Control", $0) }))
  }

  private func request(_ lines: String...) -> RequestDirectives {
    RequestDirectives(HeaderFields(lines.map { ("Cache-Control", $0) }))
  }

  @Test(
    "gives a lifetime, which is 0 for an invalid argument",
    arguments: [
      ("max-age=60", 60), ("MaX-aGe=60", 60), ("max-age=\"60\"", 60), (" , max-age=60 ,", 60), ("max-age=0060", 60),
      ("max-age=\"\\60\"", 60), ("max-age=99999999999999999999", 1 << 31), ("max-age=2147483649", 1 << 31),
      ("max-age", 0), ("max-age=", 0), ("max-age=-60", 0), ("max-age=60.5", 0), ("max-age=a60", 0), ("max-age=60a", 0),
      ("max-age='60'", 0), ("max-age =60", 0), ("max-age= 60", 0), ("max-age=60 s", 0), ("max-age=\"60", 0),
      ("max-age=1 0", 0),
      ("max-age=60, max-age=0", 60), ("max-age=0, max-age=60", 0), ("no-store, max-age=60", 60),
      ("x=\"a, max-age=1\", max-age=60", 60), ("x=\"\\\", max-age=1\", max-age=60", 60), ("=1, max-age=60", 60),
      ("\"max-age=1\", max-age=60", 60), ("max-age=60, \"", 60),
    ])
  func maxAge(line: String, seconds: Int) {
    #expect(response(line).maxAge == seconds)
  }

  @Test(
    "gives no lifetime otherwise",
    arguments: [
      "", ",", "s-maxage=60", "x-max-age=60", "max_age=60", "max-age60", "x=\"max-age=60\"", "\"max-age=60",
      "max age=60",
    ])
  func noMaxAge(line: String) {
    #expect(response(line).maxAge == nil)
  }

  @Test("forbids storing whatever the argument is")
  func flags() {
    let all = response("NO-STORE=x, no-cache y, must-revalidate=\"", "public,private, must-understand", "immutable")
    #expect(all.noStore && all.noCache && all.mustRevalidate)
    #expect(all.isPublic && all.isPrivate && all.mustUnderstand)
    #expect(response("no-storex, xno-cache, ext=no-store, ext=\"no-store, no-cache\"") == ResponseDirectives())
  }

  @Test("may restrict single fields")
  func qualified() {
    let named = response("no-cache=\"Set-Cookie, X-Y\", no-cache=z, private=\"a\"")
    #expect(named.noCacheFields == ["set-cookie", "x-y", "z"])
    #expect(!named.noCache && !named.isPrivate)
    #expect(response("no-cache=\"\"").noCache && response("no-cache=").noCache)
  }

  @Test("limits how long a stale response may be used")
  func staleness() {
    let both = response("stale-while-revalidate=5, stale-if-error=\"6\"")
    #expect(both.staleWhileRevalidate == 5 && both.staleIfError == 6)
    #expect(response("stale-while-revalidate, stale-if-error=x") == ResponseDirectives())
  }

  @Test("of a request states its demands")
  func requests() {
    let all = request("no-cache, no-store, only-if-cached, max-age=5", "min-fresh=6, max-stale=7, stale-if-error=8")
    #expect(all.noCache && all.noStore && all.onlyIfCached)
    #expect(all.maxAge == 5 && all.minFresh == 6 && all.maxStale == 7 && all.staleIfError == 8)
    #expect(request("max-stale").maxStale == 1 << 31)
    #expect(request("max-stale=x").maxStale == nil)
    #expect(request("max-age=x").maxAge == 0)
    #expect(request("min-fresh").minFresh == nil)
  }

  @Test("of a request is replaced by Pragma where it is missing")
  func pragma() {
    #expect(RequestDirectives(HeaderFields([("Pragma", "x, No-Cache ")])).noCache)
    #expect(!RequestDirectives(HeaderFields([("Pragma", "no-cache"), ("Cache-Control", "max-age=1")])).noCache)
    #expect(!RequestDirectives(HeaderFields([("Pragma", "no-cached")])).noCache)
    #expect(ResponseDirectives(HeaderFields([("Pragma", "no-cache")])) == ResponseDirectives())
  }
}
