import Testing

@testable import imgfetch

@Suite struct ForeignWordsTests {
  @Test func aSpellingIsThereOnceAndIsNoOptionOfOurs() {
    var seen = Set<String>()
    for spelling in ForeignWords.options.flatMap(\.spellings) {
      #expect(seen.insert(spelling).inserted, "\(spelling)")
      #expect(Flag.named(spelling.dropFirst(2)) == nil || !spelling.hasPrefix("--"), "\(spelling)")
      let letters = spelling.unicodeScalars.dropFirst()
      if letters.count == 1, let letter = letters.first { #expect(Flag.short(letter) == nil, "\(spelling)") }
    }
  }

  @Test func whatTheAnswersNameIsThere() {
    for row in ForeignWords.options {
      for word in row.answer.split(whereSeparator: { " (),;:'".contains($0) })
      where word.hasPrefix("--") && word != "--" {
        let name = word.dropFirst(2)
        let isNegation = name.hasPrefix("no-") && Flag.named(name.dropFirst(3))?.isNegatable == true
        #expect(Flag.named(name) != nil || isNegation, "\(word) of \(row.spellings)")
      }
    }
  }

  @Test(arguments: [
    ("--retries", "--retry"), ("--output-directory", "--output-dir"), ("--refresh", "--cache refresh"),
    ("-K", "--config"), ("--conf-path", "--config"), ("-B", "--base"), ("--force-html", "--from"),
    ("-p", "--from"), ("--prefer-family", "-4 or -6"), ("--save-headers", "--json-headers"),
    ("--get-urls", "imgfetch find"), ("--header-download", "-H"), ("--use-json-log", "--progress json"),
    ("--console-log-level", "-v"),
    ("--proxy-user", "--proxy http://NAME:PASSWORD@HOST"), ("--span-hosts", "--same-host"),
    ("--http-no-cache", "--cache reload"), ("--no-download", "--dry-run"),
    ("--force", "--overwrite"), ("--dir", "-d DIR"), ("--width", "--resize"),
    ("--delete", "--prune"), ("--url_list", "-i FILE"), ("--output_folder", "-d DIR"), ("--thread_count", "-j N"),
    ("--image_size", "--resize"), ("--number_sample_per_shard", "--per-shard"),
  ])
  func usualGuessesAreAnswered(_ option: String, _ answer: String) {
    #expect(throws: UsageError.self) { _ = try Arguments(["get", option, "5", "u"]) }
    do { _ = try Arguments(["get", option, "5", "u"]) } catch { #expect(error.message.contains(answer), "\(error)") }
  }

  @Test(arguments: [("5MB", "5M"), ("5mb", "5M"), ("1.5GiB ", nil), ("10 kb", "10K"), ("5X", nil)])
  func aSizeWithAnotherUnitIsUnderstood(_ text: String, _ meant: String?) {
    do throws(ValueError) { #expect(try Values.size(text) < 0) } catch {
      #expect(
        meant.map { error.text.hasSuffix("; did you mean \($0)?") } ?? !error.text.contains("did you mean")
          || text.hasSuffix(" "))
    }
  }
}
