import Testing

@testable import imgfetch

@Suite struct MaskedTextTests {
  @Test func aSingleURLKeepsThePathThatHasAnAt() {
    #expect(MaskedText.of("ftp://host.test/@me/a.png") == "ftp://host.test/@me/a.png")
    #expect(MaskedText.of("ftp://me:secret@host.test/@me/a.png") == "ftp://***@host.test/@me/a.png")
  }

  @Test func eachURLOfATextIsMasked() {
    #expect(MaskedText.of("a,http://me:secret@h.test/,b") == "a,http://***@h.test/,b")
    #expect(MaskedText.of("<a href='http://me:secret@h.test/'>") == "<a href='http://***@h.test/'>")
    #expect(MaskedText.of("http://a.test/ http://me:secret@h.test/") == "http://a.test/ http://***@h.test/")
  }

  @Test func aTextWithoutURLsStays() {
    for text in ["", "word", "two words", "http://h.test/a.png?b=c"] { #expect(MaskedText.of(text) == text) }
  }
}
