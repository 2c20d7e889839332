import ImgfetchCore
import Testing

@testable import imgfetch

/// The precedence of command line, environment, file and default.
@Suite struct ResolvedOptionsTests {
  private func get(
    _ arguments: String = "", environment: Environment = [:], file: String = ""
  ) throws -> Settings {
    let parsed = try parse(arguments, environment: environment, file: file)
    guard case .get(let settings) = parsed.invocation else { throw UsageError("not get") }
    return settings
  }

  private func parse(
    _ arguments: String, environment: Environment = [:], file: String = ""
  ) throws -> Invocation.Parsed {
    let typed = try Arguments(["get", "https://a.org/b.png"] + arguments.split(separator: " ").map(String.init))
    let configuration = try ConfigurationFile(file, path: "/c")
    return try Invocation.make(typed, environment: environment, configuration: configuration)
  }

  private func message(_ arguments: String = "", environment: Environment = [:], file: String = "") -> String? {
    do {
      _ = try parse(arguments, environment: environment, file: file)
      return nil
    } catch let error as UsageError {
      return error.message
    } catch {
      return "another error"
    }
  }

  @Test func commandLineWinsOverEnvironmentOverFileOverDefault() throws {
    #expect(try get().fetcher.jobs == 100)
    #expect(try get(file: "jobs = 3").fetcher.jobs == 3)
    #expect(try get(environment: ["IMGFETCH_JOBS": "4"], file: "jobs = 3").fetcher.jobs == 4)
    #expect(try get("-j 5", environment: ["IMGFETCH_JOBS": "4"], file: "jobs = 3").fetcher.jobs == 5)
    #expect(try get("-j 5 -j 6").fetcher.jobs == 6)
    #expect(try get(file: "jobs = 3\njobs = 7").fetcher.jobs == 7)
  }

  @Test(arguments: [
    ("1", true), ("true", true), ("yes", true), ("YES", true), ("0", false), ("false", false), ("no", false),
  ])
  func switchesAreSetByWords(_ word: String, _ isOn: Bool) throws {
    #expect(try get(environment: ["IMGFETCH_ORDERED": word]).report.ordered == isOn)
    #expect(try get(file: "ordered = \(word)").report.ordered == isOn)
    #expect(try get(file: "clobber = \(word)").output.clobber == isOn)
    #expect(try get(file: "no-clobber = \(word)").output.clobber == !isOn)
    #expect(try get(environment: ["IMGFETCH_NO_CLOBBER": word]).output.clobber == !isOn)
  }

  @Test func otherWordsAreAMistake() {
    #expect(
      message(environment: ["IMGFETCH_ORDERED": "maybe"])
        == "IMGFETCH_ORDERED cannot be 'maybe': 1, true, yes or 0, false, no is wanted")
    #expect(
      message(file: "# a\n\nordered =") == "/c:3: ordered cannot be '': 1, true, yes or 0, false, no is wanted")
  }

  @Test func negationUndoesWhatAWeakerSourceSaid() throws {
    #expect(try get("--no-ordered", environment: ["IMGFETCH_ORDERED": "1"]).report.ordered == false)
    #expect(try get("--clobber", file: "clobber = no").output.clobber)
    #expect(try get("--no-max-time", file: "max-time = 60s").fetcher.maximumTime == nil)
    #expect(try get("--ordered --no-ordered --ordered").report.ordered)
  }

  @Test func repeatablesAddUpAndAreEmptied() throws {
    let environment: Environment = ["IMGFETCH_ALLOW_HOST": "b.org\nc.org"]
    let file = "allow-host = a.org"
    #expect(
      try get("--allow-host d.org", environment: environment, file: file).fetch.allowedHosts
        == ["a.org", "b.org", "c.org", "d.org"])
    #expect(
      try get("--no-allow-host --allow-host d.org", environment: environment, file: file).fetch.allowedHosts
        == ["d.org"])
    #expect(try get("--no-allow-host", environment: environment, file: file).fetch.allowedHosts == [])
  }

  @Test func verbosityIsCountedWithinOneSource() throws {
    #expect(try get("-vv").messages.verbosity == 2)
    #expect(try get("-v", environment: ["IMGFETCH_VERBOSE": "2"]).messages.verbosity == 1)
    #expect(try get(environment: ["IMGFETCH_VERBOSE": "2"]).messages.verbosity == 2)
    #expect(try get(environment: ["IMGFETCH_VERBOSE": "yes"]).messages.verbosity == 1)
    #expect(try get("--no-verbose", environment: ["IMGFETCH_VERBOSE": "2"]).messages.verbosity == 0)
    let loud = try get("-v", file: "quiet = yes").messages
    #expect(loud.verbosity == 1 && !loud.quiet)
  }

  @Test func offlineIsTheCachePolicyOnly() throws {
    #expect(try get("--offline").fetch.policy == .only)
    #expect(message("--offline --cache reload") == "--offline and --cache reload cannot be given together")
    #expect(message("--cache reload --offline") == "--offline and --cache reload cannot be given together")
    #expect(try get("--offline", environment: ["IMGFETCH_CACHE": "reload"]).fetch.policy == .only)
    #expect(try get("--cache reload", file: "offline = yes").fetch.policy == .reload)
    #expect(try get("--no-offline", environment: ["IMGFETCH_OFFLINE": "1"]).fetch.policy == .age)
    #expect(try get("--no-offline", file: "cache = refresh").fetch.policy == .refresh)
  }

  @Test func filesAreKeptOrReplacedAsTheStrongerSourceSays() throws {
    let replacing = try get("--overwrite", file: "no-clobber = yes").output
    #expect(replacing.overwrite && replacing.clobber)
    let keeping = try get("--no-clobber", environment: ["IMGFETCH_OVERWRITE": "1"]).output
    #expect(!keeping.overwrite && !keeping.clobber)
    #expect(
      message("--no-clobber --overwrite")?.hasPrefix("--overwrite replaces files and --no-clobber keeps them") == true)
  }

  @Test func ofTwoThatReplaceEachOtherTheLastCounts() throws {
    #expect(try get("-4 -6").fetcher.addressFamily == 6)
    #expect(try get("-4", environment: ["IMGFETCH_IPV6": "1"]).fetcher.addressFamily == 4)
  }

  @Test(arguments: ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
  func standardOutputIsKnownByAllItsNames(_ name: String) throws {
    #expect(try get("-o \(name)").output.single == .standardOutput)
  }

  @Test func ofTwoThatExcludeEachOtherTheStrongerSourceWins() throws {
    #expect(message("-o x -d y") == "-o and -d cannot be given together")
    #expect(message(file: "json = yes\nwrite-out = {url}") == "/c:2: write-out and /c:1: json cannot be given together")
    let settings = try get("-o x", file: "output-dir = y")
    #expect(settings.output.folder == nil && settings.output.single == .file("x"))
    #expect(try get("--json", environment: ["IMGFETCH_WRITE_OUT": "{url}"]).report.writeOut == nil)
    #expect(try get("-d y", environment: ["IMGFETCH_OUTPUT": "x"]).output.single == nil)
  }

  @Test func whatIsUnknownIsAnErrorInTheFileAndAWarningInTheEnvironment() throws {
    #expect(message(file: "jobs = 1\njbos = 2") == "/c:2: there is no option 'jbos'; did you mean jobs?")
    #expect(message(file: "jobs 1") == "/c:1: 'jobs' is not of the form 'name = value'")
    #expect(message(file: "= 1") == "/c:1: there is no name before the '='")
    #expect(message(file: "resize = 3x") == "/c:1: 'resize' is for the command line only")
    #expect(message(file: "exact = yes") == "/c:1: 'exact' is for the command line only")
    #expect(message(file: "config = x") == "/c:1: 'config' cannot be set in this file")
    #expect(
      try parse("", environment: ["IMGFETCH_JBOS": "1", "PATH": "x"]).warnings
        == ["the environment variable IMGFETCH_JBOS sets no option; did you mean IMGFETCH_JOBS?"])
    #expect(
      try parse("", environment: ["IMGFETCH_RESIZE": "3x"]).warnings
        == ["IMGFETCH_RESIZE is not taken from the environment; give --resize on the command line"])
  }

  @Test func theFileMayHaveCommentsBlanksAndWindowsLines() throws {
    let settings = try get(file: "\u{FEFF}# jobs = 1\r\n\r\n  jobs=2  \r\nuser-agent = a # b = c\r\n\tnamespace\t=\tx")
    #expect(settings.fetcher.jobs == 2)
    #expect(settings.fetcher.userAgent == "a # b = c")
    #expect(settings.fetcher.namespace == "x")
  }

  @Test func theFileIsSharedByAllCommands() throws {
    let configuration = try ConfigurationFile("jobs = 3\nnamespace = x", path: "/c")
    let parsed = try Invocation.make(Arguments(["cache", "size"]), environment: [:], configuration: configuration)
    guard case .cache(_, let settings) = parsed.invocation else { throw UsageError("not cache") }
    #expect(settings.fetcher.namespace == "x")
  }

  @Test func homeIsExpandedInTheFileOnly() throws {
    let home: Environment = ["HOME": "/h", "IMGFETCH_FAILED_LIST": "~/b"]
    let settings = try get(environment: home, file: "output-dir = ~/a")
    #expect(settings.output.folder == "/h/a")
    #expect(settings.output.failedList == "~/b")
  }

  @Test func noConfigurationFileCountsBeforeOneInWhateverOrderTheyAreSet() throws {
    let typed = try Arguments(["help", "options"])
    for environment: Environment in [
      ["IMGFETCH_NO_CONFIG": "1", "IMGFETCH_CONFIG": "/c"], ["IMGFETCH_CONFIG": "/c", "IMGFETCH_NO_CONFIG": "1"],
    ] {
      let options = try ResolvedOptions(typed, environment: environment, configuration: .none, for: nil)
      #expect(options[.config]?.state == .negated)
    }
  }

  @Test func pruningNeverOverrulesAShard() throws {
    #expect(message("--prune --shard 1/2") == "--prune and --shard cannot be given together")
    #expect(
      message("--prune", environment: ["IMGFETCH_SHARD": "2/2"])
        == "--prune and IMGFETCH_SHARD cannot be given together")
    #expect(message("--prune", file: "shard = 1/2") == "--prune and /c:1: shard cannot be given together")
    #expect(try get("--prune --no-shard", file: "shard = 1/2").list.part == nil)
    #expect(try get("--shard 1/2", file: "prune = half").output.prune == nil)
  }

  @Test func theStrongerOfVerifyNoneAndTheFiltersStays() throws {
    let file = "min-size = 4x4\nstrict = yes"
    #expect(try get("--verify none", file: file).fetch.filter == ImageFilter())
    #expect(try get("--verify none", environment: ["IMGFETCH_ONLY_FORMAT": "png"]).fetch.filter == ImageFilter())
    #expect(try get("--only-format png", file: "verify = none").fetch.verification == .structure)
    #expect(try get("--verify decode", file: file).fetch.filter != ImageFilter())
    #expect(
      try get("--strict", environment: ["IMGFETCH_VERIFY": "none"], file: "min-size = 4x4").fetch.filter
        == get("--strict --min-size 4x4").fetch.filter)
    #expect(try get("--verify none --no-strict", file: "strict = yes").fetch.verification == Verification.none)
    #expect(message(file: "\(file)\nverify = none")?.hasPrefix("--verify none does not") == true)
    #expect(message("--verify none --strict")?.hasPrefix("--verify none does not") == true)
  }

  @Test func aDryRunCanBeSetAnywhere() throws {
    #expect(try get(environment: ["IMGFETCH_DRY_RUN": "1"]).cache.isDryRun)
    #expect(try get(file: "dry-run = yes").cache.isDryRun)
    #expect(try get("--no-dry-run", file: "dry-run = yes").cache.isDryRun == false)
  }

  @Test(arguments: [
    "prefetch https://a.org/b.png", "show https://a.org/b.png", "cache clear", "cache add u f", "cache verify --repair",
  ])
  func aDryRunDoesNothing(_ line: String) throws {
    let typed = try Arguments(line.split(separator: " ").map(String.init))
    #expect(throws: UsageError.self) {
      _ = try Invocation.make(typed, environment: ["IMGFETCH_DRY_RUN": "1"], configuration: .none)
    }
    #expect(throws: UsageError.self) {
      _ = try Invocation.make(typed, environment: [:], configuration: ConfigurationFile("dry-run = yes", path: "/c"))
    }
    #expect(throws: Never.self) {
      _ = try Invocation.make(typed, environment: ["IMGFETCH_DRY_RUN": "0"], configuration: .none)
      let file = try ConfigurationFile("dry-run = yes", path: "/c")
      _ = try Invocation.make(typed, environment: ["IMGFETCH_DRY_RUN": "0"], configuration: file)
    }
  }

  @Test func aCommandThatChangesNothingIsADryRun() throws {
    let verify = try Arguments(["cache", "verify"])
    _ = try Invocation.make(verify, environment: ["IMGFETCH_DRY_RUN": "1"], configuration: .none)
  }

  @Test func mistakesNameThePlaceWhereTheyWereMade() {
    #expect(message("-j x") == "-j cannot be 'x': a whole number from 1 to 10000 is wanted")
    #expect(
      message(environment: ["IMGFETCH_JOBS": "x"])
        == "IMGFETCH_JOBS cannot be 'x': a whole number from 1 to 10000 is wanted")
    #expect(message(file: "\njobs = x") == "/c:2: jobs cannot be 'x': a whole number from 1 to 10000 is wanted")
    #expect(
      message("--allow-host b.org", file: "allow-host = a/b\nallow-host = c.org")?.hasPrefix(
        "/c:1: allow-host cannot be 'a/b'") == true)
  }

  @Test func secretsStayOutOfMessages() {
    #expect(message("--header=Authorization-s3cret")?.contains("s3cret") == false)
    for option in ["proxy", "base", "resolve", "shard"] {
      #expect(message("--\(option)=ftp://me:s3cret@host")?.contains("s3cret") == false, "\(option)")
    }
  }
}
