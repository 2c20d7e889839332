import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct ResultLineTests {
  private func line(_ row: ResultRow) -> String { Rows.text { ResultLine.append(row, to: &$0) } }

  @Test func aResultIsSevenFieldsBetweenTabs() {
    #expect(line(Rows.good()) == "none\timage/png\t640x480\t4567\t12\tcat.png\thttps://example.org/cat.png\n")
  }

  @Test func aFailureHasOnlyItsTimeAndURL() {
    #expect(line(Rows.failed()) == "failed\thttp:404\t-\t-\t5\t-\thttps://example.org/dog.png\n")
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
      $0.answerer = nil
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

@Suite struct ResultScreenLineTests {
  private func line(_ row: ResultRow, columns: Int? = nil, colour: Bool = false) -> String {
    Rows.text { ResultScreenLine(style: Style(hasColour: colour), columns: columns).append(row, to: &$0) }
  }

  @Test func columnsAreAligned() {
    let small = line(Rows.good())
    let large = line(
      Rows.good {
        $0.cache = .memory
        $0.isShared = true
        $0.facts = ImageFacts(format: .jpeg, width: 4000, height: 3000)
        $0.mime = "image/jpeg"
        $0.bytes = 5_000_000
        $0.elapsedMilliseconds = 1234
      })
    #expect(small == "none     png     640x480   4.5 KB    12 ms  cat.png  https://example.org/cat.png\n")
    #expect(large == "memory+  jpeg  4000x3000   4.8 MB    1.2 s  cat.png  https://example.org/cat.png\n")
  }

  @Test func aFailureIsExplainedInFull() {
    let line = line(Rows.failed(), columns: 25)
    #expect(line == "failed   https://example.org/dog.png: the server answers 404\n")
  }

  @Test func theURLIsShortenedToTheWindowOrLeftOut() {
    #expect(
      line(Rows.good(), columns: 80)
        == "none     png     640x480   4.5 KB    12 ms  cat.png  https://example.org/cat.png\n")
    #expect(Cells.width(String(line(Rows.good(), columns: 75).dropLast())) == 75)
    #expect(line(Rows.good(), columns: 70) == "none     png     640x480   4.5 KB    12 ms  cat.png\n")
  }

  @Test func aNarrowWindowGetsTheColumnsThatTellMost() {
    #expect(line(Rows.good(), columns: 59) == "none       640x480   4.5 KB    12 ms  cat.png\n")
    #expect(line(Rows.good(), columns: 50) == "none       640x480   4.5 KB  cat.png\n")
    #expect(line(Rows.good(), columns: 40) == "none       640x480  cat.png\n")
    #expect(line(Rows.good(), columns: 20) == "none     cat.png\n")
    #expect(line(Rows.good(), columns: 1) == "none     cat.png\n")
  }

  @Test func colourIsOnlyAroundWords() {
    #expect(
      line(Rows.failed(), colour: true)
        == "\u{1B}[31mfailed \u{1B}[0m  https://example.org/dog.png: the server answers 404\n")
  }

  @Test func nothingFromAServerMovesTheCursor() {
    let row = Rows.good {
      $0.output = "a\u{1B}[2J\n\u{202E}b"
      $0.url = "https://example.org/\u{9B}2J\r\u{200B}x"
    }
    #expect(line(row).hasSuffix("  a[2J b  https://example.org/2J x\n"))
  }
}
