import Testing

@testable import ImgfetchCore

@Suite struct CookieJarTests {
  private let now = WallTime(seconds: 1_700_000_000)

  private func url(_ text: String) throws -> WebURL { try WebURL(text) }

  private func jar(_ lines: String...) -> CookieJar {
    CookieJar(lines.map { $0.replacing("|", with: "\t") }.joined(separator: "\n"))
  }

  private func set(_ jar: inout CookieJar, _ value: String, at text: String) throws {
    jar.take(HeaderFields([("Set-Cookie", value)]), from: try url(text), at: now)
  }

  @Test func cookiesAreSentToTheHostsInTheFile() throws {
    let jar = jar(
      "# comment", "a.example|FALSE|/|FALSE|0|host|1", ".b.example|TRUE|/|FALSE|0|below|2",
      "a.example|FALSE|/dir|FALSE|0|path|3", "a.example|FALSE|/|TRUE|0|secure|4",
      "#HttpOnly_a.example|FALSE|/|FALSE|0|hidden|5", "a.example|FALSE|/|FALSE|1600000000|old|6", "nonsense")
    func field(_ text: String) throws -> String? { jar.field(for: try url(text), at: now) }
    #expect(try field("http://a.example/x") == "host=1; hidden=5")
    #expect(try field("https://A.example/x") == "host=1; secure=4; hidden=5")
    #expect(try field("http://a.example/dir/x") == "path=3; host=1; hidden=5")
    #expect(try field("http://a.example/directory") == "host=1; hidden=5")
    #expect(try field("http://sub.a.example/") == nil)
    #expect(try field("http://b.example/") == "below=2")
    #expect(try field("http://c.b.example/") == "below=2")
    #expect(try field("http://notb.example/") == nil)
  }

  @Test func aServerSetsCookiesForItsOwnHostOnly() throws {
    var jar = CookieJar()
    try set(&jar, "a=1; Domain=example.org", at: "http://www.example.org/x/y")
    try set(&jar, "b=2; Domain=other.example", at: "http://www.example.org/x/y")
    #expect(jar.field(for: try url("http://www.example.org/x/z"), at: now) == "a=1")
    #expect(jar.field(for: try url("http://img.example.org/x/z"), at: now) == nil)
    #expect(jar.field(for: try url("http://www.example.org/"), at: now) == nil)
    #expect(jar.field(for: try url("http://other.example/x/z"), at: now) == nil)
  }

  @Test func aHostSetsCookiesForTheHostsBelowIt() throws {
    var jar = jar(".example.org|TRUE|/|FALSE|0|a|old")
    try set(&jar, "a=new; Domain=.example.org; Path=/", at: "http://example.org/")
    try set(&jar, "b=1; Domain=EXAMPLE.org; Path=/", at: "http://example.org/")
    try set(&jar, "c=1; Path=/", at: "http://example.org/")
    try set(&jar, "d=1; Domain=; Path=/", at: "http://example.org/")
    try set(&jar, "e=1; Domain=127.0.0.1; Path=/", at: "http://127.0.0.1/")
    #expect(jar.field(for: try url("http://example.org/"), at: now) == "a=new; b=1; c=1; d=1")
    #expect(jar.field(for: try url("http://img.example.org/"), at: now) == "a=new; b=1")
    #expect(jar.text.contains("\n127.0.0.1\tFALSE\t/\tFALSE\t0\te\t1\n"))
    #expect(CookieJar(jar.text).text == jar.text)
  }

  @Test func aPrefixForOneHostAllowsNoDomain() throws {
    var jar = CookieJar()
    try set(&jar, "__Host-a=1; Path=/; Secure; Domain=a.example", at: "https://a.example/")
    #expect(!jar.isChanged)
    try set(&jar, "__Host-a=1; Path=/; Secure; Domain=", at: "https://a.example/")
    #expect(jar.isChanged)
  }

  @Test func cookiesOfADomainInTheFileMayBeChanged() throws {
    var jar = jar(".example.org|TRUE|/|FALSE|0|a|old")
    try set(&jar, "a=new; Domain=.example.org; Path=/", at: "http://www.example.org/")
    #expect(jar.field(for: try url("http://img.example.org/"), at: now) == "a=new")
    #expect(jar.isChanged)
  }

  @Test func expiredCookiesAreRemoved() throws {
    var jar = jar("a.example|FALSE|/|FALSE|0|a|1", "a.example|FALSE|/|FALSE|0|b|2")
    try set(&jar, "a=; Max-Age=0; Path=/", at: "http://a.example/")
    try set(&jar, "b=; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", at: "http://a.example/")
    #expect(jar.field(for: try url("http://a.example/"), at: now) == nil)
    try set(&jar, "c=3; Max-Age=60; Expires=Thu, 01 Jan 1970 00:00:00 GMT; Path=/", at: "http://a.example/")
    #expect(jar.field(for: try url("http://a.example/"), at: now) == "c=3")
    #expect(jar.field(for: try url("http://a.example/"), at: WallTime(seconds: now.seconds + 61)) == nil)
  }

  @Test func anInsecureServerCannotChangeSecureCookies() throws {
    var jar = jar("a.example|FALSE|/|TRUE|0|a|1")
    try set(&jar, "a=2; Path=/", at: "http://a.example/")
    try set(&jar, "b=2; Path=/; Secure", at: "http://a.example/")
    try set(&jar, "__Host-c=2; Path=/", at: "https://a.example/")
    #expect(jar.field(for: try url("https://a.example/"), at: now) == "a=1")
    #expect(!jar.isChanged)
  }

  @Test(arguments: ["", "novalue", "=v", "a=b\u{1}", "a\tb=c", ";", "a=1; Domain=.."])
  func uglyCookiesAreNotKept(value: String) throws {
    var jar = CookieJar()
    try set(&jar, value, at: "http://a.example/")
    #expect(jar.field(for: try url("http://a.example/"), at: now) == nil)
  }

  @Test func aWrittenJarIsReadBackUnchanged() throws {
    var jar = jar(
      "#HttpOnly_.b.example|TRUE|/p|TRUE|1800000000|n|v;w", "#HttpOnly_.b.example|TRUE|/p|TRUE|1800000000|n|v w")
    try set(&jar, "a=1; Path=/", at: "http://a.example/")
    let again = CookieJar(jar.text)
    #expect(again.text == jar.text)
    #expect(again.field(for: try url("https://x.b.example/p"), at: now) == "n=v w")
    #expect(again.field(for: try url("http://a.example/"), at: now) == "a=1")
  }

  @Test func aDotWithACombiningAccentIsHandledAsBytes() {
    let jar = jar(".\u{35E}example|TRUE|/|FALSE|0|a|1")
    #expect(jar.text.contains(Substring("\n.\u{35E}example\t")))
    #expect(CookieJar(jar.text).text == jar.text)
  }

  @Test func oneServerCannotFillTheMemory() throws {
    var jar = CookieJar()
    for number in 0..<500 { try set(&jar, "n\(number)=1; Path=/", at: "http://a.example/") }
    let sent = try #require(jar.field(for: try url("http://a.example/"), at: now))
    #expect(sent.split(separator: ";").count == 50)
    #expect(sent.hasSuffix("n499=1"))
  }

  @Test func otherHostsCannotPushOutWhatTheFileHas() throws {
    var jar = jar("a.example|FALSE|/|FALSE|0|login|1")
    for host in 0..<100 {
      for number in 0..<60 { try set(&jar, "n\(number)=1; Path=/", at: "http://h\(host).example/") }
    }
    #expect(jar.field(for: try url("http://a.example/"), at: now) == "login=1")
    // The header of the file has two lines and an empty one.
    #expect(jar.text.split(separator: "\n").count == 3002)
    #expect(jar.field(for: try url("http://h99.example/"), at: now)?.split(separator: ";").count == 50)
    // Nor can its own host, as long as it has others.
    for number in 0..<60 { try set(&jar, "n\(number)=1; Path=/", at: "http://a.example/") }
    #expect(jar.field(for: try url("http://a.example/"), at: now)?.hasPrefix("login=1; n11=1") == true)
  }

  @Test func aFullFileIsLeftAsItIs() throws {
    let lines = (0..<3000).map { "h\($0).example\tFALSE\t/\tFALSE\t0\tn\t1" }
    var jar = CookieJar(lines.joined(separator: "\n"))
    try set(&jar, "n=1; Path=/", at: "http://other.example/")
    #expect(try !jar.isChanged && jar.field(for: url("http://other.example/"), at: now) == nil)
    try set(&jar, "n=2; Path=/", at: "http://h7.example/")
    #expect(jar.field(for: try url("http://h7.example/"), at: now) == "n=2")
  }

  @Test(arguments: ["__Host-a", "__host-a", "__HOST-a", "__secure-a"])
  func prefixesCountInAnyCase(name: String) throws {
    var jar = CookieJar()
    try set(&jar, "\(name)=1; Path=/", at: "https://a.example/")
    #expect(!jar.isChanged)
    try set(&jar, "\(name)=1; Path=/; Secure", at: "https://a.example/")
    #expect(jar.isChanged)
  }
}
