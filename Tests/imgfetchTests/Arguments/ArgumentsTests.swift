import Testing

@testable import imgfetch

@Suite struct ArgumentsTests {
  private func typed(_ line: String) throws -> Arguments { try Arguments(line.split(separator: " ").map(String.init)) }

  private func message(_ line: String) -> String? {
    do {
      _ = try typed(line)
      return nil
    } catch let error as UsageError {
      return error.message
    } catch {
      return "another error"
    }
  }

  @Test func valuesMayStandApartOrBeJoined() throws {
    let jobs = ParsedOption(id: .jobs, spelling: "--jobs", value: .text("8"))
    #expect(try typed("get --jobs 8 u").options == [jobs])
    #expect(try typed("get --jobs=8 u").options == [jobs])
    let short = ParsedOption(id: .jobs, spelling: "-j", value: .text("8"))
    #expect(try typed("get -j8 u").options == [short])
    #expect(try typed("get -j 8 u").options == [short])
    #expect(try typed("get --name= u").options.first?.value == .text(""))
    #expect(try typed("get --header=a=b u").options.first?.value == .text("a=b"))
    #expect(try typed("get -o- u").options.first?.value == .text("-"))
  }

  @Test func aBareWordBehindAnOptionThatMayStandAloneIsItsValue() throws {
    func values(_ line: String, exists: Bool = false) throws -> [ParsedOption.Value] {
      try Arguments(line.split(separator: " ").map(String.init), exists: { _ in exists }).options.map(\.value)
    }
    for word in ["bytes", "looks:3", "lokos", "byte", "bogus", "look:2", "6"] {
      #expect(try values("get --unique \(word) a.org/b.png") == [.text(word)], "\(word)")
    }
    for word in ["a.org", "localhost:80", "host/b.png", "http://host/b.png", "books:80/b.png", "-q", "./bytes"] {
      #expect(try values("get --unique \(word)").first == .text("bytes"), "\(word)")
    }
    #expect(try values("get --prune al") == [.text("al")])
    // A file may have any name, where operands are files.
    #expect(try values("inspect --duplicates pictures", exists: true) == [.text("bytes")])
    #expect(try values("inspect --duplicates pictures") == [.text("pictures")])
    #expect(try values("get --unique pictures", exists: true) == [.text("pictures")])
    // The command may come later.
    #expect(try typed("--unique get u").command == .get)
  }

  @Test func shortOnesMayBeJoined() throws {
    let options = try typed("get -qvvj8 u").options
    #expect(options.map(\.id) == [.quiet, .verbose, .verbose, .jobs])
    #expect(options.last?.value == .text("8"))
    #expect(try typed("get -kj 8 u").operands == ["u"])
  }

  @Test func optionsMayStandAnywhere() throws {
    for line in ["get -q u v", "-q get u v", "get u -q v", "get u v -q"] {
      let typed = try typed(line)
      #expect(typed.command == .get && typed.operands == ["u", "v"] && typed.options.map(\.id) == [.quiet], "\(line)")
    }
  }

  @Test func twoDashesEndTheOptions() throws {
    let typed = try typed("get -q -- -v --json --")
    #expect(typed.operands == ["-v", "--json", "--"])
    #expect(typed.options.map(\.id) == [.quiet])
    #expect(try self.typed("-- get u").command == .get)
  }

  @Test func aValueMayLookLikeAnOption() throws {
    #expect(try typed("get --output --json u").options.first?.value == .text("--json"))
  }

  @Test func aValueMayBeginWithACombiningMark() throws {
    let options = try Arguments(["get", "--output-dir=\u{301}x", "u"]).options
    #expect(options == [ParsedOption(id: .outputDir, spelling: "--output-dir", value: .text("\u{301}x"))])
  }

  @Test func oneDashIsAnOperand() throws {
    #expect(try typed("inspect -").operands == ["-"])
  }

  @Test func switchesAndRepeatablesAreUndoneByNo() throws {
    #expect(
      try typed("get --no-clobber u").options == [
        ParsedOption(id: .clobber, spelling: "--no-clobber", value: .negated)
      ])
    #expect(try typed("get --no-header u").options.first?.value == .negated)
    #expect(message("get --no-jobs u") == "--no-jobs does not undo --jobs, which is 100 unless another value is given")
    #expect(message("get --no-json=1 u") == "--no-json takes no value")
  }

  @Test(arguments: [
    ("get --jbos 3 u", "there is no option --jbos; did you mean --jobs?"),
    ("get --out x u", "there is no option --out; here it is -o FILE (-o - is standard output)"),
    ("get --job 3 u", "there is no option --job; did you mean --jobs?"),
    ("get --JSON u", "there is no option --JSON; did you mean --json?"),
    ("get --Output-Dir x u", "there is no option --Output-Dir; did you mean --output-dir?"),
    ("get --no-clob u", "there is no option --no-clob; did you mean --no-clobber?"),
    ("get --no-prog u", "there is no option --no-prog"),
    ("get --no- u", "there is no option --no-"),
    ("get --xyzzy u", "there is no option --xyzzy"),
    ("get -Z u", "there is no option -Z; images are fetched in parallel by themselves, -j sets how many at once"),
    ("get -json u", "-j"),
    ("get -output u", "-o"),
    ("get -verbose u", "there is no option -e; did you mean --verbose?"),
    ("get --jobs", "--jobs needs a value: --jobs N"),
    ("get u -j", "-j needs a value: -j N"),
    ("get --json=yes u", "--json takes no value"),
    ("prefetch --resize 3x u", "--resize is not an option of 'prefetch'; it belongs to 'get', 'pack'"),
    ("cache size --exatc", "there is no option --exatc; did you mean --exact?"),
    ("gte u", "there is no command 'gte'; did you mean get?"),
    ("https://a.org/b.png", "there is no command 'https://a.org/b.png'; to fetch it: imgfetch get https://a.org/b.png"),
    ("cache", "'cache' needs a command: size, clean, clear, remove, info, path, list, add, verify"),
    ("cache sise", "there is no command 'cache sise'; did you mean size?"),
    ("cache SIZE", "there is no command 'cache SIZE'; did you mean size?"),
    ("cache rm x", "there is no command 'cache rm'; did you mean remove?"),
    (
      "cache xyzzy",
      "there is no command 'cache xyzzy'; there are size, clean, clear, remove, info, path, list, add, verify"
    ),
    ("GET u", "there is no command 'GET'; did you mean get?"),
    ("version", "there is no command 'version'; did you mean --version?"),
  ])
  func mistakesAreNamed(_ line: String, _ expected: String) {
    let message = message(line)
    if expected.count == 2 {
      // `-json` is `-j son`, as everywhere; the wrong number is reported when the value is read.
      #expect(message == nil)
    } else {
      #expect(message == expected)
    }
  }

  @Test func helpAndVersionAnswerBesideAnything() throws {
    #expect(try typed("-h").asksForHelp == .short)
    #expect(try typed("get --help").asksForHelp == .long)
    #expect(try typed("get --help").command == .get)
    #expect(try typed("gte -h").asksForHelp == .short)
    #expect(try typed("cache --help").operands == ["cache"])
    #expect(try typed("cache clean --version").asksForVersion)
    #expect(try !typed("get -- --help").asksForVersion)
    #expect(try typed("get -- --help").asksForHelp == nil)
  }

  @Test func distanceCountsEditsAndSwaps() {
    func distance(_ left: String, _ right: String) -> Int { Suggestion.distance(Array(left.utf8), Array(right.utf8)) }
    #expect(distance("", "abc") == 3)
    #expect(distance("jobs", "jobs") == 0)
    #expect(distance("jbos", "jobs") == 1)
    #expect(distance("retry", "rety") == 1)
    #expect(distance("quality", "qualitie") == 2)
  }
}
