import Testing

@testable import ImgfetchCore

@Suite("When an image that is still coming is drawn again") struct RedrawRuleTests {
  private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 1_000_000_000) + .milliseconds(milliseconds) }

  private func there(_ pass: Int, _ rows: Int) -> ComingProgress { ComingProgress(pass: pass, rows: rows, height: 800) }

  @Test("Nothing is drawn before there is something, and then it is drawn at once")
  func first() {
    let rule = RedrawRule(rows: 40)
    #expect(rule.decide(ComingProgress(), at: at(0)) == .nothing)
    #expect(rule.decide(there(1, 0), at: at(0)) == .nothing)
    #expect(rule.decide(there(1, 20), at: at(0)) == .draw)
    #expect(rule.decide(there(3, 0), at: at(0)) == .draw)
  }

  /// The drawn part, the next one, and whether that is worth a redraw.
  @Test(
    "What can be seen is worth it",
    arguments: [
      // A row of the screen has twenty of the image.
      ((1, 100), (1, 119), false), ((1, 100), (1, 120), true), ((1, 799), (1, 800), true), ((1, 800), (1, 800), false),
      // A new scan or pass is, and then each eighth of it.
      ((1, 800), (2, 0), true), ((2, 0), (2, 99), false), ((2, 0), (2, 100), true), ((2, 700), (2, 799), false),
      ((2, 700), (2, 800), true), ((2, 800), (3, 10), true), ((2, 30), (5, 1), true),
    ])
  func news(_ drawn: (Int, Int), _ next: (Int, Int), _ isWorthIt: Bool) {
    var rule = RedrawRule(rows: 40)
    rule.drew(there(drawn.0, drawn.1), from: at(0), to: at(1))
    #expect(rule.decide(there(next.0, next.1), at: at(1000)) == (isWorthIt ? .draw : .nothing))
  }

  @Test("At most ten a second")
  func rate() {
    var rule = RedrawRule(rows: 40)
    var drawn = 0
    for milliseconds in 0..<1000 {
      let progress = there(1 + milliseconds / 100, milliseconds % 100 * 8)
      switch rule.decide(progress, at: at(milliseconds)) {
      case .draw:
        rule.drew(progress, from: at(milliseconds), to: at(milliseconds + 1))
        drawn += 1
      case .wait(let moment): #expect(moment > at(milliseconds) && moment - at(milliseconds) <= .milliseconds(100))
      case .nothing: break
      }
    }
    #expect((8...10).contains(drawn))
  }

  @Test("One that takes long is drawn less often")
  func slow() {
    var rule = RedrawRule(rows: 40)
    rule.drew(there(1, 100), from: at(0), to: at(200))
    #expect(rule.decide(there(2, 100), at: at(900)) == .wait(until: at(1000)))
    #expect(rule.decide(there(2, 100), at: at(1000)) == .draw)
  }
}
