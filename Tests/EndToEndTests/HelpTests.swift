import TestSupport
import Testing

/// The output of `-h`, `--help` and `help TOPIC`.
@Suite("Help") struct HelpTests {
  let program: Program

  init() throws { program = try Program() }

  @Test(
    "-h is a page of at most 60 lines of 80 columns",
    arguments: [
      [], ["get"], ["prefetch"], ["show"], ["pack"], ["inspect"], ["cache"], ["cache", "list"], ["cache", "clean"],
    ])
  func short(command: [String]) throws {
    let outcome = try program.run(command + ["-h"])
    let lines = outcome.outputText.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(outcome.exitCode == 0 && lines.count <= 60, "\(outcome)")
    #expect(lines.allSatisfy { $0.count <= 80 }, "\(outcome)")
    #expect(outcome.outputText.contains("imgfetch \(command.first ?? "get")"))
  }

  @Test(
    "-h has the options that a command is for",
    arguments: [
      (["find"], ["--kind", "--same-host", "--table", "--json"]), (["get"], ["--from", "--failed-list", "--cache"]),
      (["pack"], ["-i LIST -d DIR", "--per-shard", "--from"]),
    ])
  func main(command: [String], options: [String]) throws {
    let outcome = try program.run(command + ["-h"])
    for option in options { #expect(outcome.outputText.contains(option), "\(option): \(outcome)") }
  }

  @Test("--help explains every option, and what is typed by mistake gets the page's name")
  func long() throws {
    let long = try program.run("get", "--help")
    for option in ["--list-format", "--key-ignore-param", "--store-cert", "--accept-status"] {
      #expect(long.outputText.contains("\n      \(option)") || long.outputText.contains("    \(option) "), "\(option)")
    }
    let misspelt = try program.run("help", "cachs")
    #expect(misspelt.exitCode == 2 && misspelt.errorText.contains("did you mean cache or caches?"), "\(misspelt)")
  }

  @Test(
    "help explains what cuts across options",
    arguments: [
      ("names", "--no-clobber"), ("caches", "stale"), ("exit", "141"), ("exit-codes", "141"), ("lists", "--url-column"),
      ("retry", "Retry-After"), ("rows", "milliseconds"),
    ])
  func topics(topic: String, word: String) throws {
    let outcome = try program.run("help", topic)
    #expect(outcome.exitCode == 0 && outcome.outputText.contains(word), "\(outcome)")
  }

  /// The page that a reader needs for the first ten rows.
  @Test("help caches explains each word that a row may have")
  func words() throws {
    let text = try program.run("help", "caches").outputText
    for word in [
      "none", "disk", "memory", "remote", "failed", "!", "=", "+", "mime", "WxH", "bytes", "milliseconds", "output",
      "url",
      "name", "connect", "tls", "timeout", "truncated", "http", "not-image", "damaged", "limit", "checksum", "offline",
      "file",
      "refused", "cancelled", "age", "refresh", "reload", "only", "off",
    ] {
      let isExplained = text.split(separator: "\n").contains { line in
        line.split(whereSeparator: { " ,:".contains($0) }).contains { $0 == word }
      }
      #expect(isExplained, "\(word)")
    }
  }

  @Test("help options has each option with its default and where it was set, and no secret")
  func options() throws {
    try program.folder.write("home/.config/imgfetch/config", "retry = 5\nper-shard = 20\n")
    let outcome = try program.run(
      ["help", "options"], environment: ["IMGFETCH_USER": "me:geheim", "IMGFETCH_PICTURE": "sixel"])
    #expect(outcome.exitCode == 0)
    let rows = outcome.lines.map { $0.split(separator: " ").map(String.init) }
    #expect(
      rows.contains { $0.starts(with: ["retry", "5", "2"]) && $0.last?.hasSuffix("config:1") == true }, "\(outcome)")
    #expect(rows.contains { $0.starts(with: ["per-shard", "20", "10000"]) })
    #expect(rows.contains(["picture", "sixel", "auto", "IMGFETCH_PICTURE"]))
    #expect(outcome.outputText.contains("me:***") && !outcome.outputText.contains("geheim"))
  }
}
