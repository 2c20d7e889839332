import ImgfetchCore
import Testing

@Suite struct EvictionPlanTests {
  private let plan = EvictionPlan(now: WallTime(seconds: 1_000_000), maximumAge: 1000, maximumSize: 100)

  private func ago(_ seconds: Int64) -> WallTime { WallTime(seconds: 1_000_000 - seconds) }

  @Test func anEntryExpiresWhenBothItsTimesAreOld() {
    #expect(plan.isExpired(stored: ago(1001), used: ago(1001)))
    #expect(!plan.isExpired(stored: ago(1001), used: ago(999)))
    #expect(!plan.isExpired(stored: ago(999), used: ago(1001)))
    #expect(plan.isExpired(stored: ago(-90_000), used: ago(2000)))
    #expect(!plan.isExpired(stored: ago(-3600), used: ago(2000)))
    #expect(!EvictionPlan(now: ago(0), maximumAge: nil, maximumSize: nil).isExpired(stored: ago(1 << 40), used: ago(9)))
  }

  @Test func nothingIsRemovedUntilTheLimitIsPassed() {
    #expect(plan.excess(of: 100) == 0)
    #expect(plan.excess(of: 101) == 51)
    #expect(EvictionPlan(now: ago(0), maximumAge: nil, maximumSize: nil).excess(of: .max) == 0)
  }

  private func going(_ files: [(size: Int64, used: Int64)], excess: Int64) -> [Int] {
    EvictionPlan.leastRecentlyUsed(of: files, excess: excess, size: \.size, used: { WallTime(seconds: $0.used) })
  }

  private func going(_ files: [(size: Int64, used: Int64)], share: Int64) -> [Int] {
    EvictionPlan.leastRecentlyUsed(of: files, share: share, size: \.size, used: { WallTime(seconds: $0.used) })
  }

  @Test func onlyAsManyOfTheLeastRecentlyUsedAsNecessaryAreRemoved() {
    let files: [(size: Int64, used: Int64)] = [(10, 5), (10, 1), (10, 3), (10, 9)]
    #expect(going(files, excess: 0) == [])
    #expect(going(files, excess: 1) == [1])
    #expect(going(files, excess: 10) == [1])
    #expect(going(files, excess: 11) == [1, 2])
    #expect(going(files, excess: 1000) == [1, 2, 0, 3])
  }

  @Test func aFoldersShareIsItsPartOfWhatMustBeRemoved() {
    #expect(EvictionPlan.share(of: 100, excess: 500, unvisited: 1000) == 50)
    #expect(EvictionPlan.share(of: 100, excess: 5000, unvisited: 1000) == 100)
    #expect(EvictionPlan.share(of: 100, excess: 0, unvisited: 1000) == 0)
    #expect(EvictionPlan.share(of: 100, excess: -5, unvisited: 0) == 0)
  }

  @Test func aLargeEntryIsRemovedForAShareOnlyIfHalfOfItIsAskedFor() {
    #expect(going([(100, 1)], share: 49) == [])
    #expect(going([(100, 1)], share: 50) == [0])
    #expect(going([(10, 1), (100, 2)], share: 30) == [0])
  }

  @Test func partsAreAbandonedAfterADayAndOtherFilesAfterAnHour() {
    #expect(!plan.isAbandoned(changed: ago(3599), isResumable: false))
    #expect(plan.isAbandoned(changed: ago(3601), isResumable: false))
    #expect(!plan.isAbandoned(changed: ago(3601), isResumable: true))
    #expect(plan.isAbandoned(changed: ago(86_401), isResumable: true))
  }
}
