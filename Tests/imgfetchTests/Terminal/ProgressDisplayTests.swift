import ImgfetchCore
import Testing
import TestSupport

@testable import imgfetch

@Suite struct DrawnLinesTests {
  @Test func linesAreDrawnOverEachOther() {
    var drawn = DrawnLines()
    #expect(drawn.replace(with: ["a", "b"], columns: 80) == "a\u{1B}[K\nb\u{1B}[K\n")
    #expect(drawn.replace(with: ["c"], columns: 80) == "\u{1B}[2A\rc\u{1B}[K\n\u{1B}[J")
    #expect(drawn.clear(columns: 80) == "\u{1B}[1A\r\u{1B}[J")
    #expect(drawn.isEmpty)
    #expect(drawn.clear(columns: 80) == "")
  }

  @Test func aNarrowerWindowHasBrokenLinesInTwo() {
    var drawn = DrawnLines()
    _ = drawn.replace(with: [String(repeating: "x", count: 79), "\u{1B}[31mshort\u{1B}[0m"], columns: 80)
    #expect(drawn.clear(columns: 40) == "\u{1B}[3A\r\u{1B}[J")
  }

  @Test func whatSomethingElseWroteOverIsLeftAlone() {
    var drawn = DrawnLines()
    _ = drawn.replace(with: ["a"], columns: 80)
    drawn.forget()
    #expect(drawn.clear(columns: 80) == "")
  }
}

@Suite struct ProgressDisplayTests {
  private func display(_ mode: ProgressMode, _ path: String) throws -> ProgressDisplay? {
    let look = ProgressDisplay.Look(
      mode: mode, style: Style(hasColour: false), isUnicode: true, window: { (columns: 80, rows: 24) })
    return ProgressDisplay(look, on: SharedDescriptor(try .open(path, [.write, .create])))
  }

  @Test func nothingToShowIsNoDisplay() throws {
    let place = try TemporaryFolder()
    #expect(try display(.none, place.path("out")) == nil)
  }

  @Test func aRunThatIsOverAtOnceLeavesNoTrace() throws {
    let place = try TemporaryFolder()
    let display = try #require(try display(.bars, place.path("out")))
    display.ask()
    display.take(.started(flight: 1, url: "https://example.org/a", attempt: 1))
    display.take(.ended(flight: 1))
    display.finish(isFailure: false)
    var isPrinted = false
    display.whileCleared { isPrinted = true }
    display.end()
    display.end()
    #expect(isPrinted)
    #expect(place.text("out") == "")
  }

  @Test func aProgramGetsALastObjectWhateverHappens() throws {
    let place = try TemporaryFolder()
    let display = try #require(try display(.json, place.path("out")))
    display.ask()
    display.noteEndOfInput()
    display.finish(isFailure: true)
    display.end()
    #expect(place.text("out")?.contains("{\"progress\":{\"done\":1,\"failed\":1,\"total\":1,") == true)
  }
}
