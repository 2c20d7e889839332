import Testing

@testable import imgfetch

@Suite struct AmountTests {
  @Test(
    arguments: [
      (Int64(0), "0 B"), (999, "999 B"), (1000, "1.0 KB"), (1024, "1.0 KB"), (4567, "4.5 KB"), (10_188, "9.9 KB"),
      (10_200, "10 KB"),
      (45_000, "44 KB"), (1_022_000, "998 KB"), (1_023_000, "999 KB"), (1_023_900, "1.0 MB"), (5 << 30, "5.0 GB"),
      (.max, "8.0 EB"), (-5, "0 B"),
    ])
  func sizesHaveAtMostThreeDigits(_ bytes: Int64, _ text: String) { #expect(Amount.size(bytes) == text) }

  @Test(
    arguments: [
      (0.0, "0 ms"), (12.9, "12 ms"), (999.9, "999 ms"), (1000, "1.0 s"), (59_940, "59.9 s"), (59_999, "1m00s"),
      (125_000, "2m05s"),
      (11_220_000, "3h07m"), (-1, "0 ms"), (.infinity, "0 ms"),
    ])
  func durationsAreShort(_ time: Double, _ text: String) { #expect(Amount.duration(milliseconds: time) == text) }

  @Test(
    arguments: [
      (0, "0"), (999, "999"), (1000, "1,000"), (2200, "2,200"), (1_000_000, "1,000,000"), (-1234, "-1,234"),
      (.min, "-9,223,372,036,854,775,808"),
    ])
  func longNumbersAreReadByTheirThousands(_ number: Int, _ text: String) { #expect(Amount.grouped(number) == text) }

  @Test(arguments: [(0.2, "1s"), (59.5, "1m00s"), (3661, "1h01m"), (356_400, "4d03h"), (1e300, "11574074074074d01h")])
  func timeLeftIsShort(_ time: Double, _ text: String) { #expect(Amount.clock(seconds: time) == text) }
}

@Suite struct CellsTests {
  @Test(arguments: [("abc", 3), ("日本", 4), ("e\u{301}", 1), ("🐈", 2), ("", 0), ("ü", 1)])
  func widthIsInCells(_ text: String, _ width: Int) { #expect(Cells.width(text) == width) }

  @Test(
    arguments: [
      "https://example.org/a/b/c/photo.png", "日本語日本語日本語", "e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}e\u{301}",
    ], 0...40)
  func shortenedTextNeverTakesMoreRoom(_ text: String, _ width: Int) {
    let short = Cells.shortened(text, to: width)
    #expect(Cells.width(short) <= width)
    if Cells.width(text) <= width { #expect(short == text) }
  }

  @Test func beginningAndEndAreKept() {
    #expect(Cells.shortened("https://example.org/photo.png", to: 16) == "https:…photo.png")
    #expect(Cells.shortened("https://example.org/photo.png", to: 16, isUnicode: false) == "https:~photo.png")
    // An accent stays with its letter.
    let accents = String(repeating: "e\u{301}", count: 20)
    #expect(Cells.shortened(accents, to: 6) == "e\u{301}e\u{301}…e\u{301}e\u{301}e\u{301}")
  }
}
