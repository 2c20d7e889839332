import Synchronization
import TestSupport
import Testing

@testable import ImgfetchCore

@Suite("UnansweredCount: how many asks have no answer yet") struct UnansweredCountTests {
  @Test("Each waiting thread is woken once few enough are left for it")
  func woken() throws {
    for turn in 0..<200 {
      let unanswered = UnansweredCount()
      for _ in 0..<8 { unanswered.add() }
      try together(5) { number in
        switch number {
        case 0...2:
          unanswered.wait(for: number * 2)
          #expect(unanswered.count <= number * 2, "\(turn)")
        default: for _ in 0..<4 { _ = unanswered.remove() }
        }
      }
      #expect(unanswered.count == 0)
    }
  }

  @Test("An answer says whether a thread waits for it")
  func awaited() {
    let unanswered = UnansweredCount()
    for _ in 0..<3 { unanswered.add() }
    #expect(!unanswered.remove())
    unanswered.wait(for: 1) { #expect(unanswered.remove()) }
    #expect(!unanswered.remove())
    #expect(unanswered.count == 0)
  }

  @Test("No thread waits beyond its deadline")
  func deadline() {
    let unanswered = UnansweredCount()
    unanswered.add()
    unanswered.wait(for: 0, until: SystemClock().now())
    #expect(unanswered.count == 1)
  }
}
