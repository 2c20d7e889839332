import Glibc
import ImgfetchCore
import Testing
import TestSupport

@testable import imgfetch

extension Screen {
  /// A terminal begins a new line after a line feed.
  fileprivate init(_ text: String) { self.init(text.utf8.flatMap { $0 == 10 ? [13, 10] : [$0] }) }

  fileprivate var last: String { text.last ?? "" }
}

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

  @Test func whatIsPrintedComesAboveInTheSameBytes() {
    var drawn = DrawnLines()
    _ = drawn.replace(with: ["a", "b"], columns: 80)
    #expect(drawn.print("row\n") == "\u{1B}[2A\r\u{1B}[Jrow\na\nb\n")
    #expect(drawn.clear(columns: 80) == "\u{1B}[2A\r\u{1B}[J")
    #expect(drawn.print("row\n") == "row\n")
  }

  @Test func nothingIsDrawnIntoALineThatHasNotEnded() {
    var drawn = DrawnLines()
    _ = drawn.replace(with: ["a"], columns: 80)
    #expect(drawn.print("half") == "\u{1B}[1A\r\u{1B}[Jhalf")
    #expect(drawn.replace(with: ["b"], columns: 80) == "")
    #expect(drawn.print(" a line\n") == " a line\n")
    #expect(drawn.replace(with: ["b"], columns: 80) == "b\u{1B}[K\n")
  }

  @Test func whatSomethingElseWroteOverIsLeftAlone() {
    var drawn = DrawnLines()
    _ = drawn.replace(with: ["a"], columns: 80)
    drawn.forget()
    #expect(drawn.clear(columns: 80) == "")
  }
}

extension DrawnLines {
  fileprivate mutating func print(_ text: String) -> String {
    String(decoding: print(Array(text.utf8), columns: 80), as: UTF8.self)
  }
}

@Suite struct ProgressDisplayTests {
  private func display(_ mode: ProgressMode, _ path: String) throws -> ProgressDisplay? {
    let look = ProgressDisplay.Appearance(
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
    display.countRequest()
    display.handle(.started(flight: 1, url: "https://example.org/a", attempt: 1))
    display.handle(.ended(flight: 1))
    display.finish(nil)
    var isPrinted = false
    display.whileCleared { isPrinted = true }
    display.end()
    display.end()
    #expect(isPrinted)
    #expect(place.text("out") == "")
  }

  /// A packet socket stands for the terminal: one read returns what one write wrote.
  private func terminal() -> (terminal: SharedDescriptor, nextWrite: () throws -> String) {
    var ends: [Int32] = [-1, -1]
    #expect(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0)
    let reader = SharedDescriptor(Descriptor(owning: ends[1]))
    return (
      SharedDescriptor(Descriptor(owning: ends[0])),
      {
        var bytes: [UInt8] = []
        _ = try reader.file.read(into: &bytes, count: 64 << 10)
        return String(decoding: bytes, as: UTF8.self)
      }
    )
  }

  @Test func barsWaitWhileAnotherJobHasTheTerminal() throws {
    let (terminal, nextWrite) = terminal()
    let looks = Guarded(0)
    var look = ProgressDisplay.Appearance(
      mode: .bars, style: Style(hasColour: false), isUnicode: true, window: { (columns: 80, rows: 24) })
    look.isInBackground = {
      looks.withLock { looks in
        looks += 1
        return looks < 3
      }
    }
    let display = try #require(ProgressDisplay(look, on: terminal))
    display.countRequest()
    display.handle(.started(flight: 1, url: "https://example.org/a", attempt: 1))
    let shown = try nextWrite()
    #expect(shown.contains("a") && looks.withLock { $0 } >= 3, "\(shown)")
    display.handle(.ended(flight: 1))
    display.finish(nil)
    display.end()
  }

  @Test func eachWriteLeavesTheBarsBelowWhatItPrints() throws {
    let (terminal, nextWrite) = terminal()
    let look = ProgressDisplay.Appearance(
      mode: .bars, style: Style(hasColour: false), isUnicode: true, window: { (columns: 80, rows: 24) })
    let display = try #require(ProgressDisplay(look, on: terminal))
    display.expect(lines: 2200)
    display.countRequest()
    display.handle(.started(flight: 1, url: "https://example.org/a", attempt: 1))
    var shown = try nextWrite()
    #expect(Screen(shown).last.hasPrefix("0 of 2,200"), "\(shown)")

    let rows = Printer(terminal, flushing: .eachLine, bars: display)
    let messages = Printer(terminal, flushing: .eachLine, bars: display)
    for number in 1...50 {
      rows.print("row \(number)")
      messages.print("message \(number)")
    }
    while !shown.contains("message 50") {
      shown += try nextWrite()
      #expect(Screen(shown).last.hasPrefix("0 of 2,200"), "\(shown)")
    }
    display.end()
  }

  @Test func aProgramGetsALastObjectWhateverHappens() throws {
    let place = try TemporaryFolder()
    let display = try #require(try display(.json, place.path("out")))
    display.countRequest()
    display.noteEndOfInput()
    display.finish(FetchError(.connect, "http://a.example/1", "refused"))
    display.end()
    #expect(place.text("out")?.contains("{\"progress\":{\"done\":1,\"failed\":1,\"total\":1,") == true)
  }
}

@Suite("The first row of --progress json") struct FirstProgressRowTests {
  @Test("It comes with the head of the first answer, and tells how much is coming")
  func atTheHead() throws {
    let pipe = try Pipes.open()
    defer {
      close(pipe.reader)
      close(pipe.writer)
    }
    // An hour ahead, so that nothing comes because time has passed.
    let clock = ShiftedClock()
    clock.advance(.seconds(3600))
    let look = ProgressDisplay.Appearance(
      mode: .json, style: Style(hasColour: false), isUnicode: true, window: { (columns: 80, rows: 24) })
    let display = try #require(
      ProgressDisplay(look, on: SharedDescriptor(try .open("/proc/self/fd/\(pipe.writer)", [.write])), clock: clock))
    display.handle(.started(flight: 1, url: "http://a.test/a.jpg", attempt: 1))
    display.handle(.responded(flight: 1, status: 200, total: 5000, already: 0))
    var coming = pollfd(fd: pipe.reader, events: Int16(POLLIN), revents: 0)
    try #require(poll(&coming, 1, 60_000) == 1)
    var row = [UInt8](repeating: 0, count: 4096)
    let count = read(pipe.reader, &row, row.count)
    let text = String(decoding: row.prefix(max(0, count)), as: UTF8.self)
    #expect(text.contains("5000") && text.hasSuffix("\n"), "\(text)")
    display.end()
  }
}
