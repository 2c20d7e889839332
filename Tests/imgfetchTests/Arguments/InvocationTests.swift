import ImgfetchCore
import Testing

@testable import imgfetch

/// The settings that arguments give, and combinations that are refused.
@Suite struct InvocationTests {
  private func parse(_ arguments: [String], _ environment: Environment = ["HOME": "/h"]) throws -> Invocation {
    try Invocation.make(Arguments(arguments), environment: environment).invocation
  }

  private func get(_ line: String, _ environment: Environment = ["HOME": "/h"]) throws -> Settings {
    guard case .get(let settings) = try parse(line.split(separator: " ").map(String.init), environment) else {
      throw UsageError("not get")
    }
    return settings
  }

  private func cache(_ line: String) throws -> (action: CacheAction, settings: Settings) {
    guard case .cache(let action, let settings) = try parse(line.split(separator: " ").map(String.init)) else {
      throw UsageError("not cache")
    }
    return (action, settings)
  }

  private func message(_ line: String, _ environment: Environment = ["HOME": "/h"]) -> String? {
    do {
      _ = try parse(line.split(separator: " ").map(String.init), environment)
      return nil
    } catch let error as UsageError {
      return error.message
    } catch {
      return "another error"
    }
  }

  @Test func defaultsAreThoseOfTheContract() throws {
    let settings = try get("get https://a.org/b.png")
    #expect(settings.operands == ["https://a.org/b.png"])
    #expect(settings.output.clobber && settings.output.folder == nil)
    #expect(settings.fetch.policy == .age)
    #expect(settings.fetcher.cacheFolder == "/h/.cache/imgfetch" && settings.fetcher.namespace == "default")
    #expect(settings.fetcher.memoryLimit == 8 << 20)
    #expect(settings.fetch.maximumAge == .seconds(7 * 86_400))
    #expect(settings.cache.maxSize == 5 << 30)
    #expect(settings.fetch.servesStale && settings.cache.autoClean && settings.fetch.skipsFailedFor == nil)
    #expect(settings.fetcher.jobs == 100 && settings.fetcher.perHost == nil)
    #expect(settings.fetcher.stallTimeout == .seconds(15) && settings.fetcher.connectTimeout == .seconds(10))
    #expect(settings.fetcher.maximumTime == nil && settings.fetcher.retries == 2)
    #expect(settings.fetch.maximumRedirects == 10 && settings.fetch.maximumBytes == 256 << 20)
    #expect(settings.fetch.acceptedStatuses == StatusSet([200...299]))
    #expect(settings.proxy == .none)
    #expect(settings.fetch.verification == .structure && settings.fetch.maximumPixels == 256 << 20)
    #expect(settings.transform.isIdentity)
    #expect(settings.transform.background == ImageTransform.Colour(red: 255, green: 255, blue: 255))
    #expect(settings.report.printing == .all && settings.report.progress == .auto && !settings.report.isJSON)
    #expect(settings.messages == MessageSettings(quiet: false, verbosity: 0, color: .auto))
  }

  @Test func zeroIsNoLimitOfTime() throws {
    let fetcher = try get("get u --timeout 0 --connect-timeout 0s --max-time 0 --limit-rate 0").fetcher
    #expect(fetcher.stallTimeout == .seconds(Settings.forever) && fetcher.connectTimeout == .seconds(Settings.forever))
    #expect(fetcher.maximumTime == nil && fetcher.bytesPerSecond == nil)
  }

  @Test func theCacheFolderFollowsTheEnvironment() throws {
    #expect(try get("get u", ["XDG_CACHE_HOME": "/x"]).fetcher.cacheFolder == "/x/imgfetch")
    #expect(try get("get u", [:]).fetcher.cacheFolder == nil)
    #expect(try get("get u --cache-dir d", [:]).fetcher.cacheFolder == "d")
  }

  @Test func transformsKeepTheirOrder() throws {
    let transform = try get(
      "get u --crop 3x4 --auto-orient --resize 50% --flip h --crop 1x2+3+4 --rotate 90 --fit fill"
    ).transform
    #expect(
      transform.steps == [
        .autoOrient, .crop(Crop(PixelSize(3, 4))), .resize(Resize(.percent(50), fit: .fill)),
        .turn(.mirrored),
        .crop(Crop(PixelSize(1, 2), x: 3, y: 4)), .turn(.quarter),
      ])
    #expect(try get("get u --crop 3x4 --no-crop --strip").transform.steps == [])
    #expect(message("get u --crop 0x4 --crop 3x4")?.hasPrefix("--crop cannot be '0x4'") == true)
  }

  @Test func prefetchIsGetWithoutOutputs() throws {
    guard case .prefetch(let settings) = try parse(["prefetch", "u", "-j3"]) else { throw UsageError("not prefetch") }
    #expect(settings.fetcher.jobs == 3 && settings.transform.isIdentity)
    #expect(message("prefetch u -o x")?.hasPrefix("-o is not an option of 'prefetch'") == true)
    #expect(
      message("prefetch u --cache off")
        == "prefetch fills the disk cache, and --cache off stores nothing there")
  }

  @Test(arguments: [
    ("get", "there is nothing to fetch: give a URL, or a list with -i FILE (-i - for standard input)"),
    ("get a b -o x", "-o is for one URL, and there are more; --output-dir DIR takes any number"),
    ("get a b --cache-key k", "--cache-key is for one URL, and there are more"),
    ("get a b --mirror m/", "--mirror is for one URL, and there are more"),
    ("get -i l -o x", "-o is for one URL, and there are more; --output-dir DIR takes any number"),
    (
      "get a --verify none --only-format png",
      "--verify none does not find out what an image is, and --min-size, --max-aspect, --only-format and --strict need that"
    ),
    (
      "pack -i l -d s --verify none --without png",
      "--verify none does not find out what an image is, and --min-size, --max-aspect, --only-format, --without and --strict need that"
    ),
    ("get a --mirror m", "--mirror has a wrong value: \(TextKind.word.explanation)"),
    ("get a --base saved.html", "--base has a wrong value: \(TextKind.file.explanation)"),
    ("get a -i l --mirror m/", "--mirror and -i cannot be given together"),
    ("get a -o x --name y", "-o and --name cannot be given together"),
    ("get a -w x --json", "-w and --json cannot be given together"),
    ("get a -u x --bearer-file y", "-u and --bearer-file cannot be given together"),
    ("cache list --json --print0", "--print0 and --json cannot be given together"),
    ("report --json --list failed r", "--list and --json cannot be given together"),
    (
      "get a --deny-private --proxy http://p:1",
      "--deny-private cannot be kept through a proxy (--proxy), which makes the connections itself; add --no-proxy"
    ),
    (
      "get a --header=Range:bytes=0-5",
      "the header field Range asks for less than the image, which --cache age would take for all of it; add --cache off "
        + "or --cache http"
    ),
    ("get a --checksum", "--checksum has nowhere to show it: add --json, --write-out or --report"),
    ("get a --report x --failed-list x", "--report and --failed-list cannot both be written to x"),
    ("get -i x --report x", "--report would be written over the list x"),
    ("get -i x --report ./x", "--report would be written over the list ./x"),
    ("get a --report x --failed-list ./x", "--report and --failed-list cannot both be written to x"),
    ("get a -o ./x --report x", "--report would be written over the image x"),
    ("get a -o - --report -", "-o - writes the image to standard output: nothing else may go there"),
    ("get a --report - --failed-list /dev/stdout", "--report and --failed-list cannot both be written to -"),
    (
      "get a --report -",
      "--report - writes JSON to standard output, where the rows of this run go, too: add -q, or give --json in its place"
    ),
    ("get a -q --json --report -", "--report - and --json would write each row to standard output twice"),
    ("get a -q -w {url} --report -", "--report - and --write-out would both write to standard output"),
    ("get a -o x --report x", "--report would be written over the image x"),
    ("get a -o x --failed-list x", "--failed-list would be written over the image x"),
    (
      "get a --name ../x",
      "--name cannot be '../x': it leads out of the output folder; give that folder with --output-dir"
    ),
    ("get a --name /x", "--name cannot be '/x': it begins with '/'; the folder is given with --output-dir"),
    ("get a --name x/", "--name cannot be 'x/': it names a folder; end it with '/{name}.{ext}'"),
    ("get a -0", "-0 is about the records of a list: add --input FILE"),
    ("inspect", "there is nothing to inspect: give a file, a folder with -r, a list with -i, or - for standard input"),
    ("cache remove", "'cache remove' takes PATTERN...; none was given"),
    ("cache size x", "'cache size' takes no operands; one was given"),
    ("cache add u", "'cache add' takes URL FILE; one was given"),
    ("show - -", "standard input can be read once"), ("show - -i -", "standard input can be read once"),
    ("completions", "'completions' needs the name of one shell: bash, zsh, fish"),
    ("completions csh", "there are no completions for 'csh'; there are bash, zsh, fish"),
    ("help gte", "there is no help about 'gte'; did you mean get?"),
    ("help Retry", "there is no help about 'Retry'; did you mean retry?"),
    (
      "help xyzzy",
      "there is no help about 'xyzzy'; there are names, caches, exit, lists, retry, options, and each command"
    ),
    ("help names lists", "'help' explains one topic at a time"),
    ("help options get", "'help' explains one topic at a time"),
    ("help get put", "'help' explains one command at a time"),
  ])
  func whatMakesNoSenseIsRefused(_ line: String, _ expected: String) { #expect(message(line) == expected) }

  @Test func conditionsAreForTheProtocolsPolicies() {
    #expect(message("get a --header=If-None-Match:x --cache reload") != nil)
    #expect(message("get a --header=If-None-Match:x --cache http") == nil)
    #expect(message("get a --header=Range:bytes=0-5 --cache off") == nil)
  }

  @Test func proxiesComeFromTheUsualVariables() throws {
    let environment: Environment = ["https_proxy": "http://p:1", "NO_PROXY": "a.org", "HTTP_PROXY": "http://evil"]
    #expect(
      try get("get u", environment).proxy
        == .variables(http: nil, https: "http://p:1", all: nil, no: "a.org"))
    #expect(try get("get u --no-proxy", environment).proxy == .none)
    #expect(try get("get u --proxy socks5h://q", environment).proxy == .url("socks5h://q"))
    #expect(try get("get u --proxy q:3128", environment).proxy == .url("q:3128"))
    for host in ["", ":80", "user:word@", "user@:80", "/x"] { #expect(message("get u --proxy http://\(host)") != nil) }
    #expect(try get("get u --proxy http://user:word@[::1]:80").proxy == .url("http://user:word@[::1]:80"))
    #expect(message("get u --proxy ://q") != nil)
    #expect(message("get u --proxy gopher://q") != nil)
    #expect(try get("get u", ["http_proxy": "http://p:1", "no_proxy": "*"]).proxy == .none)
    #expect(message("get u --deny-private", environment)?.contains("https_proxy is set") == true)
    #expect(message("get u --deny-private --no-proxy", environment) == nil)
  }

  @Test func cacheCommandsAreRead() throws {
    let size = try cache("cache size --exact")
    #expect(size.action == .size && size.settings.cache.isExact)
    #expect(try cache("cache size --json").settings.report.isJSON)
    let (action, settings) = try cache("cache clean --max-age 1d --max-size 1M --dry-run")
    #expect(action == .clean && settings.fetch.maximumAge == .seconds(86_400))
    #expect(settings.cache.maxSize == 1 << 20 && settings.cache.isDryRun)
    #expect(try cache("cache remove a b").action == .remove(patterns: ["a", "b"]))
    #expect(try cache("cache path").action == .path(url: nil))
    #expect(try cache("cache path a").action == .path(url: "a"))
    let list = try cache("cache list --print0")
    #expect(list.action == .list(patterns: []) && list.settings.cache.printsKeysOnly)
    let add = try cache("cache add a f")
    #expect(add.action == .add(url: "a", file: "f") && add.settings.isSandboxed)
    #expect(add.settings.fetch.verification == .structure && add.settings.fetch.maximumPixels == 256 << 20)
    let verify = try cache("cache verify --repair --namespace n")
    #expect(verify.action == .verify && verify.settings.cache.repairs && verify.settings.fetcher.namespace == "n")
    #expect(try cache("cache path a --key-ignore-query").settings.fetch.keyFilter.ignoreQuery)
  }

  @Test func helpIsFound() throws {
    func topic(_ arguments: String...) throws -> String {
      switch try parse(arguments) {
      case .help(.bare): "bare"
      case .help(.command(let command, let length)): "\(command?.words ?? "all") \(length)"
      case .help(.cache): "cache"
      case .help(.options): "options"
      case .help(.page(let page)): page.word
      case .help(.manual(let page)): page?.rawValue ?? "all pages"
      case .version: "version"
      default: "something else"
      }
    }
    #expect(try topic() == "bare")
    #expect(try topic("-h") == "all short")
    #expect(try topic("--help") == "all long")
    #expect(try topic("help") == "all long")
    #expect(try topic("get", "-h") == "get short")
    #expect(try topic("get", "-o", "x", "--help") == "get long")
    #expect(try topic("help", "cache", "clean") == "cache clean long")
    #expect(try topic("help", "cache") == "cache")
    #expect(try topic("cache", "-h") == "cache")
    #expect(try topic("help", "options") == "options")
    #expect(try topic("help", "exit-codes") == "exit")
    for page in HelpPage.allCases { #expect(try topic("help", page.word) == page.word) }
    #expect(try topic("help", "man", "imgfetch.1") == "imgfetch.1")
    #expect(try topic("help", "man") == "all pages")
    #expect(try topic("-V") == "version")
    #expect(try topic("get", "--version") == "version")
  }

  @Test func anOptionAloneIsNoCommand() {
    #expect(message("-q")?.hasPrefix("-q is given, but no command") == true)
  }
}
