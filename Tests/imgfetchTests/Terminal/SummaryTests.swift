import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct SummaryTests {
  private var summary: Summary {
    var summary = Summary()
    summary.add(Rows.good().result)
    summary.add(
      Rows.good {
        $0.isShared = true; $0.downloaded = 0
      }.result)
    summary.add(
      Rows.good {
        $0.cache = .disk; $0.downloaded = 0; $0.isRevalidated = true
      }.result)
    summary.add(
      Rows.good {
        $0.answerer = nil; $0.bytes = nil; $0.downloaded = 0
      }.result)
    summary.add(Rows.failed().result)
    summary.lines = 7
    summary.isComplete = true
    return summary
  }

  @Test func everythingIsCountedForPrograms() {
    #expect(
      Rows.text { summary.appendJSON(elapsedMilliseconds: 1500.5, to: &$0) } == """
        {"summary":{"started":"1970-01-01T00:00:00.000Z","version":"\(ImgfetchVersion.number)","total":5,"none":2,"memory":0,"disk":1,"remote":0,"complete":true,"lines":7,"revalidated":1,"shared":1,"stale":0,"failed":1,\
        "bytes":13701,"downloaded":4567,"elapsed_ms":1500.5,"written":{"new":0,"changed":0,"same":0,"kept":0},"kinds":{"http":1},\
        "hosts":[{"host":"example.org","failed":1,"total":5,"message":"https://example.org/dog.png: the server answers 404"}]}}

        """)
  }

  @Test func aPersonReadsASentence() {
    #expect(
      summary.sentence(elapsedMilliseconds: 1500)
        == "5 images: 2 downloaded, 1 from disk, 1 kept, 1 failed (1 shared a download, 1 revalidated); "
        + "4.5 KB downloaded in 1.5 s")
    var empty = Summary()
    empty.isComplete = true
    #expect(empty.sentence(elapsedMilliseconds: 3) == "0 images; 0 B downloaded in 3 ms")
  }

  @Test func whatWasBrokenOffIsCountedByItself() {
    var summary = summary
    summary.add(Rows.failed(.cancelled, "broken off").result)
    let sentence = summary.sentence(elapsedMilliseconds: 1500)
    #expect(sentence.hasPrefix("6 images: 2 downloaded, 1 from disk, 1 kept, 1 failed, 1 broken off ("))
    #expect(Rows.text { summary.appendJSON(elapsedMilliseconds: 1, to: &$0) }.contains("\"failed\":2,"))
  }

  @Test func aDryRunHasDownloadedNothing() {
    var summary = summary
    summary.isDryRun = true
    #expect(summary.sentence(elapsedMilliseconds: 1500).hasPrefix("5 images: 2 to be downloaded, 1 from disk, "))
  }

  private func digest(_ summary: Summary) -> [String] {
    Digest(
      summary: summary, elapsedMilliseconds: 1, hosts: summary.hosts, known: 0, keepsParts: true,
      failures: .told(list: nil)
    ).lines
  }

  @Test func onlyWhatHasComeIsKeptForTheNextRun() {
    var summary = Summary()
    let row = Rows.failed(.cancelled, "broken off")
    summary.add(row.result)
    #expect(!digest(summary).contains { $0.contains("kept for the next run") })
    var begun = row.result
    begun.downloaded = 100
    summary.add(begun)
    #expect(digest(summary).last == "what came of 1 image that was broken off is kept for the next run")
  }

  @Test func aPersonReadsThatTheListIsNotDone() {
    var summary = summary
    summary.isComplete = false
    #expect(summary.sentence(elapsedMilliseconds: 1500).hasSuffix(" in 1.5 s; not complete: 7 lines read"))
    summary.untried = 1200
    #expect(summary.sentence(elapsedMilliseconds: 1500).hasSuffix("; not complete: 7 lines read, 1,200 not tried"))
    summary.hasMore = true
    #expect(
      summary.sentence(elapsedMilliseconds: 1500).hasSuffix(": 7 lines read, 1,200 not tried, and more was to come"))
    (summary.lines, summary.untried, summary.hasMore) = (0, 0, false)
    #expect(summary.sentence(elapsedMilliseconds: 1500).hasSuffix(" in 1.5 s; not complete"))
  }

  @Test func sumsDoNotTrap() {
    var summary = Summary()
    for _ in 0..<3 {
      summary.add(
        Rows.good {
          $0.bytes = .max; $0.downloaded = .max
        }.result)
    }
    #expect(summary.total == 3)
  }
}

@Suite struct ExitCodeTests {
  private func code(_ kinds: FetchError.Kind...) -> Int32 {
    var code = ExitCode()
    for kind in kinds { code.add(FetchError(kind, "x", "y")) }
    return code.value
  }

  @Test func aRunWithoutFailureEndsWithZero() { #expect(code() == 0) }

  @Test(
    arguments: [
      (FetchError.Kind.name, Int32(3)), (.connect, 3), (.tls, 3), (.timeout, 3), (.truncated, 3), (.http, 4),
      (.notImage, 5),
      (.damaged, 5), (.limit, 5), (.checksum, 5), (.offline, 6), (.file, 7), (.refused, 8), (.cancelled, 1),
    ])
  func eachKindHasItsCode(_ kind: FetchError.Kind, _ expected: Int32) { #expect(code(kind, kind) == expected) }

  @Test(arguments: FetchError.Kind.allCases)
  func theHelpHasTheCodeOfEachKind(_ kind: FetchError.Kind) throws {
    let code = ExitCode.code(of: kind)
    #expect(ExitCodes.meanings.contains { $0.code == "\(code)" }, "help exit lacks \(code)")
    let words = ReportFields.error.first?.meaning.split { " ,.".contains($0) } ?? []
    #expect(words.contains { $0 == kind.rawValue }, "imgfetch-rows lacks \(kind.rawValue)")
    let lines = TopicPages.text(.caches).split(separator: "\n").drop { !$0.hasSuffix(" is its exit code:") }
    // Kinds stand before their meaning, and the code behind that of the last one that has it.
    let ofKind = lines.drop { line in !line.prefix(34).split(separator: " ").contains { $0 == kind.rawValue } }
    let first = try #require(ofKind.first, "help caches lacks \(kind.rawValue)")
    if kind == .cancelled { return #expect(!first.hasSuffix(")")) }
    let last = try #require(ofKind.first { $0.hasSuffix(")") })
    #expect(last.dropLast().last.map(String.init) == "\(code)", "\(last)")
  }

  @Test func kindsOfOneCodeAreOneKind() {
    #expect(code(.name, .tls, .truncated) == 3)
    #expect(code(.notImage, .checksum) == 5)
  }

  @Test func severalKindsAreOne() {
    #expect(code(.http, .name) == 1)
    #expect(code(.offline, .file, .refused) == 1)
  }

  @Test func whatWasBrokenOffDoesNotHideTheReason() {
    #expect(code(.http, .cancelled, .cancelled) == 4)
    #expect(code(.cancelled, .http, .name) == 1)
  }

  @Test func aSignalDecidesAndTheFirstOneCounts() {
    var code = ExitCode()
    code.add(FetchError(.http, "x", "y"))
    code.interrupt(by: 2)
    code.interrupt(by: 15)
    #expect(code.value == 130)
  }

  @Test func aReaderThatHasGoneDecidesToo() {
    var code = ExitCode()
    code.add(FetchError(.http, "x", "y"))
    code.interrupt(with: ExitCode.brokenPipe)
    #expect(code.value == 141)
  }
}
