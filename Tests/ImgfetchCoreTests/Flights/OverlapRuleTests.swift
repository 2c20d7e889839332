import Testing

@testable import ImgfetchCore

@Suite("Several machines that fetch the same images into one remote cache") struct OverlapRuleTests {
  @Test("Images that others put there first take places; those that this machine was first with give them back")
  func share() {
    var rule = OverlapRule()
    #expect(!rule.isSeen && rule.places(of: 6) == 6 && rule.places(of: 100) == 100)
    rule.stored(isFirst: true)
    #expect(!rule.isSeen && rule.places(of: 100) == 100)
    rule.stored(isFirst: false)
    #expect(rule.isSeen && rule.places(of: 6) == 2 && rule.places(of: 100) == 40)
    for _ in 1...60 { rule.stored(isFirst: true) }
    #expect(!rule.isSeen && rule.places(of: 6) == 6)
    // Only the first sign in a run costs as much.
    rule.stored(isFirst: false)
    #expect(rule.isSeen && rule.places(of: 6) == 6 && rule.places(of: 100) == 94)
    for _ in 1...6 { rule.stored(isFirst: true) }
    #expect(!rule.isSeen && rule.places(of: 6) == 6)
  }

  @Test("However many come second, two places stay, or what there are")
  func fewest() {
    var rule = OverlapRule()
    for _ in 1...50 { rule.stored(isFirst: false) }
    #expect(rule.places(of: 100) == 2 && rule.places(of: 6) == 2 && rule.places(of: 1) == 1)
    // It owes nothing below that.
    for _ in 1...50 { rule.stored(isFirst: true) }
    #expect(rule.places(of: 6) == 3)
  }
}
