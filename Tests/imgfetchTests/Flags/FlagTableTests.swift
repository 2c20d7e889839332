import Testing

@testable import imgfetch

@Suite struct FlagTableTests {
  @Test func tableStandsInTheOrderOfItsNames() {
    #expect(Flag.all.map(\.id) == FlagID.allCases)
  }

  @Test func namesAreUsedOnce() {
    #expect(Set(Flag.all.map(\.long)).count == Flag.all.count)
    let letters = Flag.all.compactMap(\.short)
    #expect(Set(letters).count == letters.count)
    #expect(Set(Flag.all.map(\.variable)).count == Flag.all.count)
  }

  @Test(arguments: Flag.all)
  func everyOptionIsExplained(_ flag: Flag) {
    #expect(!flag.help.isEmpty && !flag.details.isEmpty)
    #expect(!flag.commands.isEmpty)
    #expect(flag.details.hasSuffix("."), "\(flag.long): a sentence")
    #expect(!flag.help.hasSuffix("."), "\(flag.long): a phrase")
    if flag.takesValue { #expect(flag.defaultValue != nil || !flag.unset.isEmpty, "\(flag.long): what without it?") }
    if case .words(let words) = flag.completion {
      // A word with a colon is an example of many.
      for word in words() where !word.contains(":") {
        #expect((flag.help + flag.details).contains(word), "\(flag.long): what is \(word)?")
      }
    }
    // A positive name of this form would be read as a negation.
    #expect(!flag.long.hasPrefix("no-"))
  }

  @Test func everyDefaultIsAValueThatMayBeTyped() throws {
    for flag in Flag.all where flag.takesValue {
      guard let standard = flag.defaultValue else { continue }
      let command = try #require(flag.commands.commands.first)
      var arguments = command.words.split(separator: " ").map(String.init) + [flag.spelling, standard]
      arguments.append("https://example.org/a.png")
      if command == .cacheClean || command == .cacheSize { arguments.removeLast() }
      if command == .report { arguments[arguments.count - 1] = "rows.jsonl" }
      if command == .pack {
        arguments.replaceSubrange((arguments.count - 1)..., with: ["-i", "list.txt", "-d", "set"])
      }
      _ = try Invocation.make(Arguments(arguments), environment: ["HOME": "/h"])
    }
  }

  @Test func variablesAreNamedAfterOptions() {
    #expect(FlagID.http1.flag.variable == "IMGFETCH_HTTP1_1")
    #expect(FlagID.readOnlyCache.flag.variable == "IMGFETCH_READ_ONLY_CACHE")
  }

  @Test func transformsAndOperandsComeFromTheCommandLineOnly() {
    for flag in Flag.all where flag.category == .transform { #expect(flag.sources == .commandLine, "\(flag.long)") }
    #expect(FlagID.input.flag.sources == .commandLine)
  }

  @Test func prefetchTakesNoOutputsAndNoTransforms() {
    let taken = Flag.taken(by: .prefetch).map(\.id)
    for flag in Flag.taken(by: .get) {
      let isLeftOut =
        flag.category == .transform || flag.id == .cacheDerived
        || [
          .outputDir, .output, .name, .clobber, .overwrite, .adopt, .placeholder, .remoteTime, .xattr,
          .contentDisposition,
          .prune, .dryRun, .preview, .unique, .framed,
        ].contains(flag.id)
      #expect(taken.contains(flag.id) != isLeftOut, "\(flag.long)")
    }
  }
}
