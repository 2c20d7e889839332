import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct ResultLineTests {
  private func line(_ row: ReportRow) -> String { Rows.text { ResultLine.append(row, to: &$0) } }

  @Test func aResultIsSevenFieldsBetweenTabs() {
    #expect(line(Rows.good()) == "none\timage/png\t640x480\t4567\t12\tcat.png\thttps://example.org/cat.png\n")
  }

  @Test func aFailureHasOnlyItsTimeAndURL() {
    #expect(line(Rows.failed()) == "failed\t-\t-\t-\t5\t-\thttps://example.org/dog.png\n")
  }

  @Test func marksStandBehindTheCacheInOrder() {
    let row = Rows.good {
      $0.cache = .disk
      $0.isShared = true
      $0.isStale = true
      $0.isRevalidated = true
    }
    #expect(line(row).hasPrefix("disk!=+\t"))
  }

  @Test func anOutputThatWasKeptHasNoCache() {
    let row = Rows.good {
      $0.cache = nil
      $0.mime = nil
      $0.facts = nil
      $0.bytes = nil
      $0.elapsedMilliseconds = 0
    }
    #expect(line(row) == "-\t-\t-\t-\t0\tcat.png\thttps://example.org/cat.png\n")
  }

  @Test func noTextBreaksTheFieldsApart() {
    let row = Rows.good {
      $0.url = "https://example.org/\ta\nb\u{1B}[2J\u{202E}c"
      $0.mime = "text/\u{7}ht\tml"
      $0.output = "a\tb\nc\u{1B}d\u{202E}.png"
    }
    #expect(
      line(row)
        == "none\ttext/ht\\tml\t640x480\t4567\t12\ta\\tb\\nc\\x1bd\u{202E}.png\thttps://example.org/\\ta\\nb[2Jc\n")
  }

  @Test func timesThatAreNoneAreZero() {
    #expect(line(Rows.good { $0.elapsedMilliseconds = .nan }).contains("\t0\tcat.png"))
    #expect(line(Rows.good { $0.elapsedMilliseconds = -5 }).contains("\t0\tcat.png"))
  }
}
