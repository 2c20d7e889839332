import Testing

@testable import imgfetch

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
  }
}
