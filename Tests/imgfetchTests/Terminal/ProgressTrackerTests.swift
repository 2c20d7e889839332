import ImgfetchCore
import Testing

@testable import imgfetch

@Suite struct ProgressTrackerTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

  @Test func flightsAreShownInTheOrderOfTheirBeginning() {
    var board = ProgressTracker(begun: at(0))
    board.handle(.started(flight: 2, url: "b", attempt: 1))
    board.handle(.started(flight: 1, url: "a", attempt: 1))
    board.handle(.responded(flight: 1, status: 200, total: 100, already: 0))
    board.handle(.progressed(flight: 1, url: "u", received: 40, total: nil))
    let snapshot = board.snapshot(at: at(1000))
    #expect(snapshot.flights.map(\.url) == ["a", "b"])
    #expect(snapshot.flights[0].received == 40 && snapshot.flights[0].total == 100)
    #expect(snapshot.flights[0].fraction == 0.4)
    #expect(snapshot.flights[1].fraction == nil)
    board.handle(.ended(flight: 1))
    #expect(board.snapshot(at: at(1100)).flights.map(\.url) == ["b"])
  }

  @Test func progressIsTrueAfterARetryAndAfterAResumption() {
    var board = ProgressTracker(begun: at(0))
    board.handle(.started(flight: 1, url: "a", attempt: 1))
    board.handle(.responded(flight: 1, status: 200, total: 100, already: 0))
    board.handle(.progressed(flight: 1, url: "u", received: 60, total: nil))
    board.handle(.retrying(flight: 1, reason: "broken off", milliseconds: 1500))
    #expect(board.snapshot(at: at(100)).flights[0].note == "again in 1.5 s")
    board.handle(.started(flight: 1, url: "a", attempt: 2))
    #expect(board.snapshot(at: at(200)).flights[0].received == 0)
    board.handle(.responded(flight: 1, status: 206, total: 100, already: 60))
    board.handle(.progressed(flight: 1, url: "u", received: 70, total: nil))
    let snapshot = board.snapshot(at: at(300))
    #expect(snapshot.flights[0].received == 70)
    #expect(snapshot.bytes == 70)
  }

  @Test func aDownloadHasASpeedAndASilenceOfItsOwn() {
    var board = ProgressTracker(begun: at(0))
    board.handle(.started(flight: 1, url: "a", attempt: 1))
    board.handle(.responded(flight: 1, status: 200, total: 9000, already: 0))
    _ = board.snapshot(at: at(0))
    board.handle(.progressed(flight: 1, url: "u", received: 1000, total: nil))
    #expect(board.snapshot(at: at(1000)).flights[0].speed == 1000)
    for time in stride(from: 1500, through: 9000, by: 500) { _ = board.snapshot(at: at(time)) }
    let snapshot = board.snapshot(at: at(9000))
    #expect(snapshot.flights[0].silentSeconds == 8)
    #expect(snapshot.flights[0].speed == 0)
    board.handle(.progressed(flight: 1, url: "u", received: 2000, total: nil))
    #expect(board.snapshot(at: at(9500)).flights[0].silentSeconds == 0)
  }

  @Test func theBytesOfTheWholeAreToldOnceAllLengthsAreKnown() {
    var board = ProgressTracker(begun: at(0))
    for flight in [1, 2] as [UInt64] {
      board.countRequest()
      board.handle(.started(flight: flight, url: "a", attempt: 1))
    }
    board.noteEndOfInput()
    board.handle(.responded(flight: 1, status: 200, total: 100, already: 0))
    board.handle(.progressed(flight: 1, url: "u", received: 30, total: nil))
    #expect(board.snapshot(at: at(100)).expectedBytes == nil)
    board.handle(.responded(flight: 2, status: 200, total: 50, already: 0))
    #expect(board.snapshot(at: at(200)).expectedBytes == 150)
  }

  @Test func theTotalIsUnknownUntilTheInputHasEnded() {
    var board = ProgressTracker(begun: at(0))
    for _ in 0..<3 { board.countRequest() }
    board.finish(FetchError(.connect, "http://a.example/1", "refused"))
    #expect(board.snapshot(at: at(100)).total == nil)
    #expect(board.snapshot(at: at(100)).secondsLeft == nil)
    board.noteEndOfInput()
    let snapshot = board.snapshot(at: at(1000))
    #expect(snapshot.total == 3)
    #expect(snapshot.failed == 1)
    #expect(snapshot.secondsLeft == 2)
  }

  @Test func theTotalOfAListThatWasCountedIsKnownFromTheBeginning() {
    var board = ProgressTracker(begun: at(0))
    board.expect(lines: 2200)
    board.countRequest()
    board.finish(nil)
    #expect(board.snapshot(at: at(100)).total == 2200)
    #expect(board.snapshot(at: at(1000)).secondsLeft == 2199)
    #expect(!board.isIdle)
    // The list grew, or shrank, while it was read.
    for _ in 0..<3000 { board.countRequest() }
    #expect(board.snapshot(at: at(1100)).total == 3001)
    board.noteEndOfInput()
    #expect(board.snapshot(at: at(1200)).total == 3001)
  }

  @Test func speedIsThatOfTheLastSeconds() {
    var board = ProgressTracker(begun: at(0))
    board.handle(.started(flight: 1, url: "a", attempt: 1))
    var received: Int64 = 0
    for second in 1...10 {
      received += second <= 5 ? 1_000_000 : 1000
      board.handle(.progressed(flight: 1, url: "u", received: received, total: nil))
      _ = board.snapshot(at: at(1000 * second))
    }
    #expect(board.snapshot(at: at(10_000)).speed == 1000)
    #expect(board.snapshot(at: at(20_000)).speed < 500)
  }

  @Test func theLastImagesAreAMatterOfBytes() {
    var board = ProgressTracker(begun: at(0))
    board.countRequest()
    board.noteEndOfInput()
    board.handle(.started(flight: 1, url: "a", attempt: 1))
    board.handle(.responded(flight: 1, status: 200, total: 3000, already: 0))
    board.handle(.progressed(flight: 1, url: "u", received: 1000, total: nil))
    #expect(board.snapshot(at: at(1000)).secondsLeft == 2)
  }

  @Test func whoWaitsForInputIsIdle() {
    var board = ProgressTracker(begun: at(0))
    #expect(board.isIdle)
    board.countRequest()
    #expect(!board.isIdle)
    board.finish(nil)
    #expect(board.isIdle)
    board.handle(.started(flight: 1, url: "a", attempt: 1))
    #expect(!board.isIdle)
  }

  @Test func whatAServerClaimsDoesNotTrap() {
    var board = ProgressTracker(begun: at(0))
    board.handle(.started(flight: 1, url: "a", attempt: 1))
    board.handle(.responded(flight: 1, status: 200, total: 1, already: .max))
    board.handle(.progressed(flight: 1, url: "u", received: .min, total: nil))
    board.handle(.progressed(flight: 1, url: "u", received: .max, total: nil))
    board.noteEndOfInput()
    board.countRequest()
    _ = board.snapshot(at: at(10))
    let lines = ProgressScreen(columns: 80, rows: 5, style: Style(hasColour: false), isUnicode: true)
      .lines(board.snapshot(at: at(20)))
    #expect(lines.count == 2)
  }
}
