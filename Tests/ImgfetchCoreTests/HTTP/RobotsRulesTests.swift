import Testing

@testable import ImgfetchCore

@Suite("RobotsRules: what a robots.txt says (RFC 9309)") struct RobotsRulesTests {
  private func allows(_ file: String, _ path: String, robot: String = "imgfetch") -> Bool {
    RobotsRules(Array(file.utf8), robot: robot).objection(to: path) == nil
  }

  /// The example of §5.1.
  private static let simple = """
    User-Agent: *
    Disallow: *.gif$
    Disallow: /example/
    Allow: /publications/

    User-Agent: foobot
    Disallow:/
    Allow:/example/page.html
    Allow:/example/allowed.gif

    User-Agent: barbot
    User-Agent: bazbot
    Disallow: /example/page.html

    User-Agent: quxbot
    """

  @Test(
    "The example of the standard",
    arguments: [
      ("imgfetch", "/a.gif", false), ("imgfetch", "/a.gif?x", true), ("imgfetch", "/example/a.png", false),
      ("imgfetch", "/publications/a.png", true), ("imgfetch", "/a.png", true), ("foobot", "/a.png", false),
      ("foobot", "/example/page.html", true), ("foobot", "/example/allowed.gif", true),
      ("foobot", "/example/other.gif", false), ("barbot", "/example/page.html", false),
      ("bazbot", "/example/page.html", false), ("barbot", "/a.gif", true), ("quxbot", "/a.gif", true),
      ("quxbot", "/example/", true),
    ])
  func example(robot: String, path: String, isAllowed: Bool) {
    #expect(allows(Self.simple, path, robot: robot) == isAllowed)
  }

  @Test("The longest rule decides, and between equal ones the one that allows")
  func longest() {
    // The example of §5.2.
    let file = "User-Agent: foobot\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif"
    #expect(!allows(file, "/example/page/disallowed.gif", robot: "foobot"))
    #expect(allows(file, "/example/page/other.gif", robot: "foobot"))
    #expect(allows("User-agent: *\nDisallow: /a\nAllow: /a", "/a"))
    #expect(!allows("User-agent: *\nDisallow: /ab\nAllow: /a", "/abc"))
  }

  @Test(
    "Patterns: a star is anything, a dollar the end",
    arguments: [
      ("/", "/a", true), ("/*", "/a", true), ("/fish", "/fish.html", true), ("/fish", "/Fish", false),
      ("/fish", "/catfish", false), ("/fish*", "/fishheads", true), ("/fish/", "/fish", false),
      ("/*.php", "/dir/a.php5?x", true), ("/*.php$", "/a.php", true), ("/*.php$", "/a.php?x", false),
      ("/*.php$", "/a.php.php", true), ("/a*b*c$", "/a1b2b3c", true), ("/a*b*c$", "/abcd", false),
      ("/a$", "/ab", false),
      ("/a$b", "/a$bc", true), ("/%24", "/$", true), ("/a%2Ab", "/a*b", true), ("/a%2Ab", "/axb", false),
      ("*a", "/xxa", true), ("/a**b", "/ab", true), ("/a*$", "/abc", true),
    ])
  func patterns(pattern: String, path: String, matches: Bool) {
    #expect(allows("User-agent: *\nDisallow: \(pattern)", path) != matches)
  }

  @Test(
    "Escapes: both sides are compared in one form",
    arguments: [
      ("/foo/bar?baz=quz", "/foo/bar?baz=quz"), ("/foo/bar?baz=https://foo.bar", "/foo/bar?baz=https%3A%2F%2Ffoo.bar"),
      ("/foo/bar?baz=https%3a%2f%2ffoo.bar", "/foo/bar?baz=https://foo.bar"),
      ("/foo/bar/\u{30C4}", "/foo/bar/%E3%83%84"),
      ("/foo/bar/%e3%83%84", "/foo/bar/%E3%83%84"), ("/foo/bar/%62%61%7A", "/foo/bar/baz"),
      ("/foo/bar/baz", "/foo/bar/%62%61%7A"),
    ])
  func escapes(rule: String, path: String) {
    #expect(!allows("User-agent: *\nDisallow: \(rule)", path))
  }

  @Test("An escaped slash is another character than a slash in a path")
  func slash() {
    #expect(allows("User-agent: *\nDisallow: /a%2Fb", "/a/b"))
  }

  @Test(
    "Groups of one robot count together, in whatever case and with a version; those for all only where there is none")
  func groups() {
    let file = """
      User-agent: *
      Disallow: /all
      User-agent: ImgFetch/2.0 (x)
      Disallow: /one
      Sitemap: http://a.example/s.xml
      user-agent : other

      DISALLOW : /other
      User-agent: imgfetch
      User-agent: *
      Disallow: /two
      """
    for (path, isAllowed) in [("/one", false), ("/two", false), ("/all", true), ("/other", true)] {
      #expect(allows(file, path) == isAllowed, "\(path)")
    }
    for (path, isAllowed) in [("/one", true), ("/two", false), ("/all", false), ("/other", true)] {
      #expect(allows(file, path, robot: "stranger") == isAllowed, "\(path)")
    }
    #expect(allows("User-agent: imgfetcher\nDisallow: /", "/a"))
  }

  @Test("62,000 rules take no more memory than in the file, and are cut where escapes make them longer")
  func compact() {
    let file = Array(("User-agent: *\n" + String(repeating: "Allow:/\n", count: 62_000)).utf8)
    let rules = RobotsRules(file, robot: "imgfetch")
    #expect(rules.size <= file.count && rules.size > 400_000 && !rules.isCut)
    #expect(rules.objection(to: "/a") == nil)
    let escaped = Array(
      ("User-agent: *\nDisallow: /first\n" + String(repeating: "Disallow: /ääää\n", count: 25_000)).utf8)
    let cut = RobotsRules(escaped, robot: "imgfetch")
    #expect(cut.size <= RobotsRules.sizeLimit && cut.isCut && cut.objection(to: "/first") != nil)
  }

  @Test("A refusal names the line and the rule")
  func message() {
    let file = "# remark\r\nUser-agent: *\rdisallow: /x # why\r\n\r\n"
    let objection = RobotsRules(Array(file.utf8), robot: "imgfetch").objection(to: "/x.png")
    #expect(objection == "does not allow it (line 3: Disallow: /x)")
  }

  @Test(
    "What is no rule allows everything",
    arguments: ["", "<html>Disallow: /</html>", "Disallow: /", "User-agent: *\nDisallow:"])
  func none(file: String) { #expect(allows(file, "/a")) }

  @Test("A mark of UTF-8 at the beginning is passed over, and robots.txt itself is always allowed")
  func beginning() {
    #expect(!allows("\u{FEFF}User-agent: *\nDisallow: /", "/a"))
    #expect(allows("User-agent: *\nDisallow: /", "/robots.txt"))
  }

  @Test(
    "A delay is that of the group; of more than a minute nothing is fetched",
    arguments: [("2", 2.0), ("0.5", 0.5), ("1e9", 1e9)])
  func delay(text: String, seconds: Double) {
    let file =
      "User-agent: *\nCrawl-delay: 7\n\nUser-agent: imgfetch\nCrawl-delay: \(text)\nCrawl-delay: -1\nCrawl-delay: x"
    let rules = RobotsRules(Array(file.utf8), robot: "imgfetch")
    #expect(rules.delay == seconds && (rules.obstacle == nil) == (seconds <= 60))
    #expect(RobotsRules(Array(file.utf8), robot: "other").delay == 7)
  }

  @Test("Rules beyond the size that is read are passed over")
  func size() {
    let remark = String(repeating: "#", count: 500 << 10)
    #expect(allows("\(remark)\nUser-agent: *\nDisallow: /", "/a"))
    #expect(!allows("User-agent: *\nDisallow: /\n\(remark)", "/a"))
  }

  @Test("Patterns that are made to take for ever are given up, and then nothing is allowed")
  func bounded() {
    let pattern = "/" + String(repeating: "*a", count: 200) + "*b"
    let file = "User-agent: *\n" + String(repeating: "Allow: \(pattern)\n", count: 1000)
    let objection = RobotsRules(Array(file.utf8), robot: "imgfetch").objection(
      to: "/" + String(repeating: "a", count: 8000))
    #expect(objection == "has patterns that take too long to compare")
  }

  @Test("No file makes it trap", arguments: 0..<50)
  func noise(number: Int) {
    var random = SeededNoise(state: UInt64(number) + 1)
    let words = [
      "User-agent: *", "Disallow", ":", "/", "*", "$", "%", "%2", "\r", "\n", "#", "\u{FEFF}", "é",
      "Crawl-delay: 1e400",
    ]
    let file = (0..<200).map { _ in words[Int(random.next() % UInt64(words.count))] }.joined()
    _ = allows(file, "/" + file.prefix(50))
  }

  private struct SeededNoise {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
