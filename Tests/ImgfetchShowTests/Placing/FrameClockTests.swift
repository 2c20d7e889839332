import Testing

@testable import ImgfetchCore
@testable import ImgfetchShow

@Suite("When frames of an animation are shown") struct FrameClockTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 5_000_000_000) + .milliseconds(milliseconds) }

  @Test("Each at the sum of the times before it, however long it took to make")
  func times() {
    var clock = FrameClock(begun: at(0))
    #expect(clock.moment(forMilliseconds: 50, isLast: false, ready: at(0)) == at(0))
    #expect(clock.moment(forMilliseconds: 70, isLast: false, ready: at(30)) == at(50))
    #expect(clock.moment(forMilliseconds: 70, isLast: true, ready: at(125)) == at(120))
  }

  @Test("A frame whose time is over is passed over, the last one never")
  func late() {
    var clock = FrameClock(begun: at(0))
    #expect(clock.moment(forMilliseconds: 50, isLast: false, ready: at(60)) == nil)
    #expect(clock.moment(forMilliseconds: 50, isLast: false, ready: at(60)) == at(50))
    #expect(clock.moment(forMilliseconds: 50, isLast: true, ready: at(600)) == at(100))
  }

  @Test("Times of no length are those of browsers")
  func short() {
    var clock = FrameClock(begun: at(0))
    _ = clock.moment(forMilliseconds: 0, isLast: false, ready: at(0))
    #expect(clock.moment(forMilliseconds: 10, isLast: false, ready: at(0)) == at(100))
    #expect(clock.moment(forMilliseconds: 20, isLast: false, ready: at(0)) == at(200))
    #expect(clock.moment(forMilliseconds: 20, isLast: false, ready: at(0)) == at(220))
  }

  @Test("Who was stopped goes on where it was")
  func stopped() {
    var clock = FrameClock(begun: at(0))
    _ = clock.moment(forMilliseconds: 50, isLast: false, ready: at(0))
    #expect(clock.moment(forMilliseconds: 50, isLast: false, ready: at(60_000)) == at(60_000))
    #expect(clock.moment(forMilliseconds: 50, isLast: false, ready: at(60_000)) == at(60_050))
  }
}
