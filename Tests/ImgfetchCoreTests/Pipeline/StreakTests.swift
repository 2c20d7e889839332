import Testing

@testable import ImgfetchCore

@Suite("What happens to one image after the other is taken to happen to the next")
struct StreakTests {
  @Test("Sixteen in a row are usual, and a single exception ends that")
  func sixteenInARow() {
    let streak = Streak()
    for _ in 0..<15 { streak.note(true) }
    #expect(!streak.isUsual)
    streak.note(true)
    #expect(streak.isUsual)
    streak.note(false)
    #expect(!streak.isUsual)
  }
}
