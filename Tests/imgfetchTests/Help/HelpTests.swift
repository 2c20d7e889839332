import Testing

import ImgfetchCore
@testable import imgfetch

@Suite struct HelpTests {
  private static let topics: [Invocation.HelpTopic] =
    [.bare, .command(nil, .short), .command(nil, .long), .cache(.short), .cache(.long)]
    + HelpPage.allCases.map { .page($0) }
    + Command.allCases.flatMap { [.command($0, .short), .command($0, .long)] }

  @Test(arguments: topics.indices)
  func fitsEightyColumns(_ index: Int) {
    let text = Help.text(Self.topics[index])
    #expect(text.hasSuffix("\n"))
    for line in text.split(separator: "\n") where !line.contains("Example: ") {
      #expect(line.count <= 80 && !line.hasSuffix(" "), "\(line)")
    }
  }

  @Test("Each paragraph of an option is indented, with an empty line between")
  func paragraphs() {
    #expect(TextLayout.wrapped("one two\n\nthree four", width: 9, indent: "  ") == "  one two\n\n  three\n  four\n")
    for line in Help.explained(.get).split(separator: "\n") where line.first?.isLowercase == true {
      Issue.record("\(line)")
    }
  }

  @Test(arguments: Command.allCases)
  func beginsWithExamples(_ command: Command) throws {
    let text = ShortPage.text(command)
    #expect(text.hasPrefix("Usage: imgfetch \(command.words) "))
    let example = try #require(text.firstRange(of: "Examples:\n  "))
    let option = try #require(text.firstRange(of: "--help"))
    #expect(example.lowerBound < option.lowerBound)
    #expect(text.contains("imgfetch \(command.words)"))
  }

  @Test(arguments: Flag.all)
  func everyOptionHasItsLine(_ flag: Flag) throws {
    for command in flag.commands.commands {
      let spelling = Help.spelling(of: flag)
      let lines = Help.summaries([flag]).split(separator: "\n")
      #expect(lines.count == 1 && lines[0].hasPrefix("  " + spelling + " ") && lines[0].contains(flag.help))
      let long = Help.explained(command)
      #expect(long.contains("  " + spelling + "\n"), "\(command.words) \(flag.long)")
    }
  }

  @Test(arguments: topics.indices)
  func aShortPageHasSixtyLinesAtMost(_ index: Int) {
    switch Self.topics[index] {
    case .bare, .command(_, .short), .cache(.short):
      #expect(Help.text(Self.topics[index]).utf8.count { $0 == 10 } <= 60)
    default: break
    }
  }

  @Test func examplesAreRight() throws {
    let all = Examples.program + Examples.tasks.flatMap(\.examples) + Command.allCases.flatMap(Examples.of)
    let ofFlags = Flag.all.compactMap(\.example)
    for line in all.map(\.line) + ofFlags {
      // Every imgfetch of a pipeline, up to the next program.
      for part in line.split(separator: "|") {
        let words = part.split(separator: " ").map { word in
          String(word).trimmingQuotes()
        }
        guard let program = words.first, program == "imgfetch" else { continue }
        let arguments = words.dropFirst().prefix { $0 != ">" }
        // A quoted blank splits a word here; the rest is another operand, which does no harm.
        #expect(throws: Never.self, "\(line)") {
          let typed = try Arguments(Array(arguments))
          if typed.command != .get { _ = try Invocation.make(typed, environment: ["HOME": "/h"]) }
        }
      }
    }
  }

  @Test func optionsTellWhereTheyComeFrom() throws {
    let typed = try Arguments(["help", "options"])
    let configuration = try ConfigurationFile("retry = 5\nuser = me:s3cret", path: "/c")
    let environment: Environment = [
      "IMGFETCH_JOBS": "7", "IMGFETCH_HEADER": "Authorization: s3cret\nAccept: image/png", "IMGFETCH_CLOBBER": "no",
      "IMGFETCH_BASE": "http://usr:s3cret@x/", "IMGFETCH_SHARD": "http://usr:s3cret@y/",
      "IMGFETCH_COOKIE": "id=s3cret", "IMGFETCH_PROXY": "http://me:s3cret@proxy:1", "IMGFETCH_NAMESPACE": "a\u{1B}[1m",
    ]
    let parsed = try Invocation.make(typed, environment: environment, configuration: configuration)
    guard case .help(let topic) = parsed.invocation else { throw UsageError("not help") }
    let text = Help.text(topic)
    func row(_ name: String) -> [String] {
      text.split(separator: "\n").first { $0.hasPrefix(name + " ") }?.split(separator: " ").map(String.init) ?? []
    }
    #expect(row("jobs") == ["jobs", "7", "100", "IMGFETCH_JOBS"])
    #expect(row("retry") == ["retry", "5", "2", "/c:1"])
    #expect(row("timeout") == ["timeout", "15s", "15s", "default"])
    #expect(row("clobber") == ["clobber", "no", "yes", "IMGFETCH_CLOBBER"])
    #expect(row("user") == ["user", "me:***", "none", "/c:2"])
    #expect(text.contains("Authorization: ***, Accept: image/png"))
    #expect(text.contains("id=***") && text.contains("http://***@proxy:1"))
    #expect(text.contains("http://***@x/") && text.contains("http://***@y/"))
    #expect(!text.contains("s3cret") && !text.contains("\u{1B}"))
    for flag in Flag.all where ![.help, .version].contains(flag.id) {
      #expect(!row(flag.long).isEmpty, "\(flag.long)")
    }
  }

  @Test func optionsFitEightyColumns() throws {
    let environment: Environment = [
      "IMGFETCH_KEY_IGNORE_PARAM": "utm_source\nutm_medium\nutm_campaign\nutm_content", "IMGFETCH_JOBS": "7",
      "IMGFETCH_CACHE_DIR": "/var/cache/pictures/of/all/kinds/and/sizes",
    ]
    let file = try ConfigurationFile("output-dir = /srv/pictures/from/everywhere\nper-host = 2", path: "/etc/imgfetch")
    for (environment, configuration) in [([:], .none), (environment, file)] as [(Environment, ConfigurationFile)] {
      let parsed = try Invocation.make(
        try Arguments(["help", "options"]), environment: environment, configuration: configuration)
      guard case .help(let topic) = parsed.invocation else { throw UsageError("not help") }
      let lines = Help.text(topic).split(separator: "\n")
      for line in lines { #expect(line.count <= 80 && !line.hasSuffix(" "), "\(line)") }
      #expect(lines.first?.split(separator: " ") == ["OPTION", "VALUE", "DEFAULT", "FROM"])
    }
  }

  @Test func longCellsGoOnBelow() {
    let text = TextLayout.table(
      [["a", "b", "c"], ["one", "/a/longer/path/than/fits", "here and there"], ["two", "wide value", "x"]],
      columns: [4, 8], width: 24)
    #expect(
      text == """
        a     b         c
        one   /a/       here and
              longer/   there
              path/
              than/
              fits
        two   wide value  x

        """)
  }

  @Test func userInfoIsMasked() {
    #expect(WebURL.masked("https://me:pw@a.org/b@c") == "https://***@a.org/b@c")
    #expect(WebURL.masked("me:p@w@a.org:1") == "***@a.org:1")
    #expect(WebURL.masked("https://a.org/b@c") == "https://a.org/b@c")
    #expect(WebURL.masked("https://a.org?x=b@c") == "https://a.org?x=b@c")
  }
}

extension String {
  fileprivate func trimmingQuotes() -> String { String(filter { $0 != "'" }) }
}
