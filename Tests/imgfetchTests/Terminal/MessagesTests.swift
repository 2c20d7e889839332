import Testing

@testable import imgfetch

@Suite struct QuietWarningsTests {
  @Test func eachMatterIsALine() {
    var matters = QuietWarnings()
    #expect(matters.lines.isEmpty)
    matters.note(.stale, "a: served")
    #expect(matters.lines == ["a: served"])
    for _ in 0..<1199 { matters.note(.stale, nil) }
    matters.note(.noCache, "no cache")
    matters.note(.notCached, "b: no room")
    matters.note(.notCached, "c: no room")
    #expect(
      matters.lines == [
        "no cache", "2 images could not be put into the cache; the first: b: no room",
        "1,200 stored images were served that no origin confirmed; the first: a: served",
      ])
  }
}
