import Testing

@testable import ImgfetchCore

@Suite("A process that is waited for") struct HolderWatchTests {
  private func at(_ seconds: Double) -> Instant { Instant(nanoseconds: 0) + .seconds(seconds) }

  @Test("is waited for as long as its part grows")
  func growth() {
    var watch = HolderWatch(length: 0, at: at(0))
    for (seconds, length, isStuck) in [
      (14.9, 0, false), (15, 1, false), (29.9, 1, false), (30, 1, true), (31, 2, false), (45, 0, false),
      (59.9, 0, false),
      (60, 0, true),
    ] as [(Double, Int64, Bool)] {
      let verdict = watch.isStuck(length: length, at: at(seconds), patience: .seconds(15))
      #expect(verdict == isStuck, "\(seconds) s")
    }
  }

  @Test("is waited for without end where no time was set")
  func noLimit() {
    var watch = HolderWatch(length: 0, at: at(0))
    let isStuck = watch.isStuck(length: 0, at: at(1e6), patience: .seconds(1e9))
    #expect(!isStuck)
  }
}
