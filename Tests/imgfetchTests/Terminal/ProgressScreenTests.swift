import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct ProgressScreenTests {
  private var snapshot: ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    snapshot.flights = [
      .init(url: "https://example.org/a/cat.png?size=large", received: 1_300_000, total: 2_600_000),
      .init(
        url: "https://example.org/a/very/long/name/of/a/picture/that/does/not/fit/into/its-column-anywhere.jpg",
        received: 999, total: 1000),
      .init(url: "https://example.org/stream", received: 45_678),
      .init(url: "https://example.org/late.gif", note: "again in 1.5 s"),
    ]
    snapshot.done = 120
    snapshot.failed = 2
    snapshot.total = 2200
    snapshot.bytes = 35_000_000
    snapshot.speed = 2_200_000
    snapshot.secondsLeft = 184.2
    return snapshot
  }

  private func lines(_ columns: Int, rows: Int = 10, unicode: Bool = true, _ snapshot: ProgressSnapshot? = nil)
    -> [String]
  {
    ProgressScreen(columns: columns, rows: rows, style: Style(hasColour: false), isUnicode: unicode)
      .lines(snapshot ?? self.snapshot)
  }

  @Test func namesAreThoseOfTheFiles() {
    var snapshot = ProgressSnapshot()
    snapshot.flights = [
      .init(url: "https://example.org/a/K%C3%A4se%20im%20Schnee.png?x=%20"), .init(url: "https://example.org/"),
      .init(url: "https://example.org/%1B%5B2J%2Fevil.gif"), .init(url: "https://example.org/%2E%2E"),
    ]
    let names = lines(80, snapshot).map { $0.prefix(26).split(separator: "  ").first }
    #expect(names == ["Käse im Schnee.png", "example.org", "[2Jevil.gif", "https://example.org/%2E%2E", "0 of ?"])
  }

  @Test func namesThatAreAlikeHaveTheirHosts() {
    var snapshot = ProgressSnapshot()
    snapshot.flights = ["https://a.test/cat.png", "http://b.test:8080/x/cat.png", "https://a.test/dog.png"].map {
      .init(url: $0)
    }
    let names = lines(90, snapshot).map { $0.prefix(29).split(separator: "  ").first }
    #expect(names == ["a.test/cat.png", "b.test:8080/cat.png", "dog.png", "0 of ?"])
  }

  @Test func aDownloadHasItsSpeedOrItsSilence() {
    var snapshot = ProgressSnapshot()
    snapshot.flights = [
      .init(url: "https://a.test/a.png", received: 5, total: 10, speed: 45_000),
      .init(url: "https://a.test/b.png", received: 5, total: 10, speed: 9, silentSeconds: 12.8),
    ]
    let wide = lines(80, snapshot)
    #expect(wide[0].hasSuffix("5 B / 10 B       44 KB/s") && wide[1].hasSuffix("5 B / 10 B    silent 12s"), "\(wide)")
    #expect(lines(60, snapshot)[1].hasSuffix("silent 12s"))
    #expect(lines(80, snapshot).allSatisfy { Cells.width($0) <= 80 })
  }

  @Test func twentyColumns() {
    #expect(
      lines(20) == [
        "cat.png          50%",
        "its-c…here.jpg   99%",
        "stream             ?",
        "late.gif           ?",
        "120 of 2,200  ──────",
      ])
  }

  @Test func sixtyColumns() {
    #expect(
      lines(60) == [
        "cat.png               ━━━━━━━╸───────   50%  1.2 MB / 2.5 MB",
        "its-col…anywhere.jpg  ━━━━━━━━━━━━━━╸   99%   999 B / 1.0 KB",
        "stream                ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     ?            45 KB",
        "late.gif              ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     ?   again in 1.5 s",
        "120 of 2,200  ───────  33 MB  2.1 MB/s  3m05s left  2 failed",
      ])
  }

  @Test func eightyColumns() {
    #expect(
      lines(80) == [
        "cat.png                     ━━━━━━━╸───────   50%  1.2 MB / 2.5 MB              ",
        "its-column-anywhere.jpg     ━━━━━━━━━━━━━━╸   99%   999 B / 1.0 KB              ",
        "stream                      ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     ?            45 KB              ",
        "late.gif                    ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     ?   again in 1.5 s              ",
        "120 of 2,200  ━──────────────────────────  33 MB  2.1 MB/s  3m05s left  2 failed",
      ])
  }

  @Test func eightyColumnsInASCII() {
    #expect(
      lines(80, unicode: false) == [
        "cat.png                     #######--------   50%  1.2 MB / 2.5 MB              ",
        "its-column-anywhere.jpg     ##############-   99%   999 B / 1.0 KB              ",
        "stream                      ...............     ?            45 KB              ",
        "late.gif                    ...............     ?   again in 1.5 s              ",
        "120 of 2,200  #--------------------------  33 MB  2.1 MB/s  3m05s left  2 failed",
      ])
  }

  @Test func twoHundredColumns() {
    #expect(
      lines(200) == [
        "cat.png                                           ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸────────────────────────────────────────────────────────   50%  1.2 MB / 2.5 MB              ",
        "its-column-anywhere.jpg                           ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━╸   99%   999 B / 1.0 KB              ",
        "stream                                            ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     ?            45 KB              ",
        "late.gif                                          ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌     ?   again in 1.5 s              ",
        "120 of 2,200  ━━──────────────────────────────────────  33 MB  2.1 MB/s  3m05s left  2 failed",
      ])
  }

  @Test func unknownTotalsAreNotPretended() {
    var snapshot = snapshot
    snapshot.total = nil
    snapshot.secondsLeft = nil
    snapshot.flights = []
    #expect(lines(80, snapshot) == ["120 of ?  33 MB  2.1 MB/s  2 failed"])
  }

  @Test func moreFlightsThanLinesAreSummarised() {
    var snapshot = snapshot
    snapshot.flights = (1...100).map { .init(url: "https://example.org/\($0).png") }
    let lines = lines(80, rows: 5, snapshot)
    #expect(lines.count == 5)
    #expect(lines[2].hasPrefix("3.png "))
    #expect(lines[3] == "and 97 more under way")
    #expect(self.lines(80, rows: 2, snapshot)[0] == "100 under way")
    #expect(self.lines(80, rows: 1, snapshot).count == 1)
    #expect(self.lines(80, rows: 0, snapshot) == [])
  }

  @Test(arguments: 0...220, [true, false])
  func noLineIsWiderThanItsWindow(_ columns: Int, _ unicode: Bool) {
    for line in lines(columns, unicode: unicode) { #expect(Cells.width(line) <= columns) }
    if columns < 8 { #expect(lines(columns).isEmpty) }
  }

  @Test func colourChangesNothingButColour() {
    let coloured = ProgressScreen(columns: 80, rows: 10, style: Style(hasColour: true), isUnicode: true).lines(snapshot)
    #expect(coloured.map(plain) == lines(80))
    #expect(coloured != lines(80))
  }

  @Test func aNameFromAServerIsHarmless() {
    var snapshot = ProgressSnapshot()
    snapshot.flights = [.init(url: "https://example.org/\u{1B}[2J\u{202E}x\n.png")]
    #expect(lines(80, snapshot)[0].hasPrefix("[2Jx.png  "))
  }

  private func plain(_ line: String) -> String { line.replacing(#/\u{1B}\[[0-9]*m/#, with: "") }
}

@Suite struct ProgressTextTests {
  private var snapshot: ProgressSnapshot {
    var snapshot = ProgressSnapshot()
    snapshot.flights = [.init(url: "https://example.org/\"a", received: 5, total: 10), .init(url: "b")]
    snapshot.done = 3
    snapshot.bytes = 5000
    snapshot.speed = 1234.5
    return snapshot
  }

  @Test func aLineForLogs() {
    var snapshot = snapshot
    #expect(ProgressText.plain(snapshot) == "3 images so far, 4.9 KB, 1.2 KB/s, 2 under way")
    snapshot.total = 4
    snapshot.failed = 1
    snapshot.secondsLeft = 61
    #expect(
      ProgressText.plain(snapshot) == "3 of 4 images, 4.9 KB, 1.2 KB/s, 1m01s left, 1 failed, 2 under way")
  }

  @Test func anObjectForPrograms() {
    #expect(
      Rows.text { ProgressText.appendJSON(snapshot, to: &$0) } == """
        {"progress":{"done":3,"failed":0,"total":null,"bytes":5000,"bytes_per_second":1234,"seconds_left":null,\
        "flights":[{"url":"https://example.org/\\"a","received":5,"total":10},{"url":"b","received":0,"total":null}]}}

        """)
  }

  @Test(arguments: Choices.Progress.allCases)
  func nothingIsDrawnIntoAPipeOrOnADumbTerminal(_ requested: Choices.Progress) {
    for (isTerminal, kind) in [(false, "xterm"), (true, "dumb"), (true, ""), (true, nil)] {
      #expect(ProgressMode(requested, isTerminal: isTerminal, isRead: false, kind: kind) != .bars)
    }
  }

  @Test func barsAreDrawnOnATerminal() {
    func mode(_ requested: Choices.Progress, isTerminal: Bool = true, isRead: Bool = false) -> ProgressMode {
      ProgressMode(requested, isTerminal: isTerminal, isRead: isRead, kind: isTerminal ? "xterm" : nil)
    }
    #expect(mode(.auto) == .bars && mode(.bar) == .bars)
    #expect(mode(.auto, isTerminal: false) == .none && mode(.bar, isTerminal: false) == .plain)
    #expect(mode(.none) == .none)
    #expect(mode(.auto, isRead: true) == .sparse && mode(.bar, isRead: true) == .bars)
    #expect(ProgressMode.sparse.patience == .seconds(10) && ProgressMode.sparse.interval == .seconds(10))
    #expect(ProgressMode.bars.interval == .milliseconds(100), "at most ten redraws a second")
  }

  @Test(arguments: [
    (["LANG": "de_DE.UTF-8"], true), (["LC_ALL": "C", "LANG": "de_DE.UTF-8"], false),
    (["LC_ALL": "", "LC_CTYPE": "C.utf8"], true), (["LC_CTYPE": "UTF-8"], true), (["LANG": "fr_FR.UTF-8@euro"], true),
    (["LANG": "de_DE.ISO-8859-1"], false), ([:], false),
  ])
  func theLocaleDecidesAboutCharacters(_ variables: [String: String], _ isUnicode: Bool) {
    #expect(ProgressMode.isUnicode { variables[$0] } == isUnicode)
  }
}
