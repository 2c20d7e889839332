import Testing

@testable import ImgfetchCore

@Suite("Whether look-ups find nothing, one after the other")
struct MissStreakTests {
  @Test("Sixteen in a row are usual, and one that finds something ends that")
  func streak() {
    let misses = MissStreak()
    for _ in 0..<15 { misses.note(isMiss: true) }
    #expect(!misses.areUsual)
    misses.note(isMiss: true)
    #expect(misses.areUsual)
    misses.note(isMiss: false)
    #expect(!misses.areUsual)
  }
}
