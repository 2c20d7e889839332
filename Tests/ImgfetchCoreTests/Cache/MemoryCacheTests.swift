import TestSupport
import Testing

@testable import ImgfetchCore

extension LeastRecentlyUsed {
  @discardableResult
  fileprivate mutating func keep(_ value: Value, for key: Key, cost: Int) -> Bool {
    var dropped: [Value] = []
    return keep(value, for: key, cost: cost, dropped: &dropped)
  }
}

@Suite struct LeastRecentlyUsedTests {
  @Test func valuesThatAreNotKeptAnyMoreAreHandedOut() {
    var kept = LeastRecentlyUsed<String, Int>(limit: 400)
    var dropped: [Int] = []
    for (number, key) in ["a", "b", "c", "d"].enumerated() { kept.keep(number, for: key, cost: 100, dropped: &dropped) }
    #expect(dropped == [])
    kept.keep(4, for: "b", cost: 100, dropped: &dropped)
    kept.keep(5, for: "e", cost: 100, dropped: &dropped)
    #expect(dropped == [1, 0], "the replaced one, and the least recently used")
    kept.keep(6, for: "c", cost: 101, dropped: &dropped)
    #expect(dropped == [1, 0, 2], "one that is too large takes the place of the key's former one")
    #expect(kept.remove("d") == 3 && kept.value(of: "d") == nil)
  }

  @Test func thereIsLessRoomBesideOthersThatCount() {
    var kept = LeastRecentlyUsed<String, Int>(limit: 400, count: 4)
    var dropped: [Int] = []
    for (number, key) in ["a", "b", "c"].enumerated() { kept.keep(number, for: key, cost: 100, dropped: &dropped) }
    kept.dropExcess(over: 100, 1, dropped: &dropped)
    #expect(dropped == [])
    kept.dropExcess(over: 101, 1, dropped: &dropped)
    #expect(dropped == [0], "too many bytes")
    kept.dropExcess(over: 0, 3, dropped: &dropped)
    #expect(dropped == [0, 1], "too many values")
  }

  @Test func theLeastRecentlyUsedIsDroppedFirst() {
    var kept = LeastRecentlyUsed<String, Int>(limit: 400)
    for (number, key) in ["a", "b", "c", "d"].enumerated() { kept.keep(number, for: key, cost: 100) }
    #expect(kept.use("a") == 0)
    kept.keep(9, for: "e", cost: 100)
    #expect(kept.use("b") == nil)
    #expect(kept.use("a") == 0)
    #expect(kept.use("e") == 9)
    #expect(kept.cost == 400)
  }

  @Test func aSingleValueCannotReplaceAllOthers() {
    var kept = LeastRecentlyUsed<String, Int>(limit: 400)
    for key in ["a", "b", "c", "d"] { kept.keep(1, for: key, cost: 100) }
    let isKept = kept.keep(2, for: "huge", cost: 101)
    #expect(!isKept)
    #expect(kept.count == 4)
  }

  @Test func aValueTooLargeRemovesItsPredecessor() {
    var kept = LeastRecentlyUsed<String, Int>(limit: 400)
    kept.keep(1, for: "a", cost: 10)
    kept.keep(2, for: "a", cost: 300)
    #expect(kept.use("a") == nil)
    #expect(kept.cost == 0)
  }

  @Test func withALimitOfZeroNothingIsKept() {
    var kept = LeastRecentlyUsed<String, Int>(limit: 0)
    let isKept = kept.keep(1, for: "a", cost: 1)
    #expect(!isKept)
    #expect(kept.count == 0)
  }

  @Test func aLimitOnTheNumberDropsTheLeastRecentlyUsed() {
    var kept = LeastRecentlyUsed<String, Int>(limit: 400, count: 2)
    for key in ["a", "b"] { kept.keep(1, for: key, cost: 1) }
    #expect(kept.use("a") == 1)
    kept.keep(1, for: "c", cost: 1)
    #expect(kept.use("b") == nil && kept.use("a") == 1 && kept.use("c") == 1)
    kept.setLimits(400, count: 0)
    #expect(kept.count == 0 && kept.cost == 0)
    let isKept = kept.keep(1, for: "a", cost: 1)
    #expect(!isKept)
  }

  @Test func agreesWithAnOrderedList() {
    let seed = Seed()
    var random = seed.random()
    var kept = LeastRecentlyUsed<Int, Int>(limit: 1000)
    var list: [(key: Int, value: Int, cost: Int)] = []
    for turn in 0..<5000 {
      let key = Int.random(in: 0..<30, using: &random)
      let place = list.firstIndex { $0.key == key }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        #expect((kept.remove(key) != nil) == (place != nil), "\(seed)")
        if let place { list.remove(at: place) }
      case 1:
        #expect(kept.use(key) == place.map { list[$0].value }, "\(seed)")
        if let place { list.append(list.remove(at: place)) }
      default:
        let cost = Int.random(in: 0...300, using: &random)
        if let place { list.remove(at: place) }
        kept.keep(turn, for: key, cost: cost)
        if cost <= 250 {
          list.append((key, turn, cost))
          while list.reduce(0, { $0 + $1.cost }) > 1000 { list.removeFirst() }
        }
      }
      #expect(kept.count == list.count, "\(seed)")
      #expect(kept.cost == list.reduce(0) { $0 + $1.cost }, "\(seed)")
    }
  }
}
