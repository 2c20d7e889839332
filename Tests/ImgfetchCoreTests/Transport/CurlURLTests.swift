import Testing

@testable import ImgfetchCore

/// Which URLs libcurl is given taken apart; what goes out for them is in ``TransferRequestTests``.
@Suite struct CurlURLTests {
  init() throws { try CurlLibrary.load() }

  @Test(arguments: [
    "http://a.test/", "https://a.test/b/c?d", "http://a.test:81/%7e?", "http://[::1]:80/", "http://127.0.0.1/a?b?c/d",
  ])
  func whatTheFetcherAsksForIsTakenApart(_ url: String) {
    var taken = CurlURL()
    let outcomes = [taken.set(url), taken.set(url)]
    #expect(outcomes == [true, true])
  }

  @Test(arguments: [
    "http://[fe80::1%25eth0]/a", "http://a%2eb/", "http://a.test", "http://a.test?/b", "http://a.test/#b",
    "http:///a/b", "http:/a/b/c", "a/b/c/d", "//a.test/b/c", "/a/b/c", "ftp://a.test/b", "http://a.test/\u{E9}",
    "http://a.test/ ", "http://a.test/\0", "http://[::1/a", "",
  ])
  func whatIsMoreThanANameAPathAndAQueryIsLeftToLibcurl(_ url: String) {
    var taken = CurlURL()
    let outcomes = [taken.set(url), taken.set("http://a.test/"), taken.set(url)]
    #expect(outcomes == [false, true, false])
  }
}
