import Testing

@testable import ImgfetchCore

@Suite("A table by numbers")
struct NumberTableTests {
  @Test("has what was put into it, and nothing else")
  func putAndTake() {
    var table = NumberTable<String>()
    table[1] = "a"
    table[65] = "b"
    table[129] = "c"
    #expect([1, 65, 129, 2, 193].map { table[$0] } == ["a", "b", "c", nil, nil])
    table[65] = "B"
    #expect(table.count == 3 && table[65] == "B")
    #expect(table.removeValue(for: 1) == "a")
    #expect(table.removeValue(for: 1) == nil)
    table[129] = nil
    #expect(table.numbers == [65])
  }

  @Test("keeps step with a dictionary, whatever comes and goes")
  func likeADictionary() {
    var table = NumberTable<Int>()
    var dictionary: [UInt64: Int] = [:]
    var random = SplitMix(state: 7)
    for step in 0..<20_000 {
      // Numbers from far apart in a small table, so that some stand in each other's way.
      let number = random.next() % 8 + random.next() % 8 * 0x1234_5678_9ABC
      if random.next() % 5 < (step / 4000) % 2 + 2 {
        table[number] = step
        dictionary[number] = step
      } else {
        #expect(table.removeValue(for: number) == dictionary.removeValue(forKey: number))
      }
      #expect(table[number] == dictionary[number] && table.count == dictionary.count)
    }
    #expect(table.numbers.sorted() == dictionary.keys.sorted())
    #expect(dictionary.allSatisfy { table[$0.key] == $0.value })
  }

  @Test("grows, and forgets no one")
  func growing() {
    var table = NumberTable<UInt64>()
    for number in 1...UInt64(5000) { table[number] = number * 2 }
    #expect(table.count == 5000)
    #expect((1...UInt64(5000)).allSatisfy { table[$0] == $0 * 2 })
    for number in 1...UInt64(4999) { table[number] = nil }
    #expect(table.numbers == [5000])
  }

  private struct SplitMix {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ state >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      return mixed ^ mixed >> 31
    }
  }
}
