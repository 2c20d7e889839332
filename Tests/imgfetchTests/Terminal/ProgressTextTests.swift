import Testing

@testable import imgfetch

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
  func nothingIsDrawnIntoAPipeOrOnADumbTerminal(_ wish: Choices.Progress) {
    for (isTerminal, kind) in [(false, "xterm"), (true, "dumb"), (true, ""), (true, nil)] {
      #expect(ProgressMode(wish, isTerminal: isTerminal, kind: kind) != .bars)
    }
  }

  @Test func barsAreDrawnOnATerminal() {
    #expect(ProgressMode(.auto, isTerminal: true, kind: "xterm") == .bars)
    #expect(ProgressMode(.bar, isTerminal: true, kind: "xterm") == .bars)
    #expect(ProgressMode(.auto, isTerminal: false, kind: "xterm") == .none)
    #expect(ProgressMode(.bar, isTerminal: false, kind: nil) == .plain)
    #expect(ProgressMode(.none, isTerminal: true, kind: "xterm") == .none)
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
