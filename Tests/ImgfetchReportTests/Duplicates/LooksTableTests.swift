import Testing

@testable import ImgfetchReport

@Suite("Pictures that look the same")
struct LooksTableTests {
  private var random = SplitMix(state: 7)

  @Test("A copy within the bits is found, and its first is the earliest", arguments: [0, 2, 4, 6])
  mutating func copies(_ bits: Int) {
    var table = LooksTable(LooksRule(bits: bits))
    var originals: [Looks] = []
    for _ in 0..<300 {
      let looks = look()
      originals.append(looks)
      table.add(looks)
    }
    for looks in originals {
      var copy = looks
      copy.dhash ^= flips(bits)
      copy.phash ^= flips(2 * bits)
      table.add(copy)
    }
    let firsts = table.firsts()
    #expect(firsts.count == 600)
    #expect((0..<300).allSatisfy { firsts[$0] == UInt32($0) })
    #expect((300..<600).filter { firsts[$0] != UInt32($0 - 300) } == [])
  }

  @Test("One bit more, other proportions or another colour are another picture")
  mutating func others() {
    let rule = LooksRule()
    let looks = look()
    var other = looks
    #expect(rule.areAlike(looks, other))
    other.dhash ^= 0b11111
    #expect(!rule.areAlike(looks, other))
    other = looks
    other.phash ^= 0b1_1111_1111
    #expect(!rule.areAlike(looks, other))
    other = looks
    other.width = looks.width * 103 / 100
    #expect(!rule.areAlike(looks, other))
    other.width = looks.width * 101 / 100
    #expect(rule.areAlike(looks, other))
    other.colour.red = looks.colour.red &+ 9
    #expect(!rule.areAlike(looks, other))
  }

  @Test("A hundred blanks and swatches are no copies of each other")
  func swatches() {
    var table = LooksTable()
    for number in 0..<100 {
      table.add(
        Looks(dhash: UInt64(number % 8), phash: 1 << 63, width: 100, height: 100, colour: (UInt8(number), 0, 0)))
    }
    #expect(table.firsts() == (0..<100).map { UInt32($0) })
  }

  @Test("One picture many times has one first, and takes no longer than so many pictures")
  mutating func same() {
    var table = LooksTable()
    let looks = look()
    for _ in 0..<2_000 { table.add(looks) }
    #expect(table.firsts().allSatisfy { $0 == 0 })
  }

  @Test("Groups are the same whatever the order in which pictures came, and their first is the first by line")
  mutating func order() {
    var pictures: [(looks: Looks, line: Int)] = []
    for _ in 0..<200 {
      let looks = look()
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        var copy = looks
        copy.dhash ^= flips(1)
        pictures.append((looks: copy, line: 0))
      }
    }
    let lines = pictures.indices.shuffled(using: &random)
    for (number, line) in lines.enumerated() { pictures[number].line = line }
    let sorted = Self.groups(pictures.sorted { $0.line < $1.line })
    #expect(sorted.contains { $0.count > 2 })
    #expect(sorted.allSatisfy { $0 == $0.sorted() })
    #expect(sorted.map { $0[0] } == sorted.map { $0[0] }.sorted())
    #expect(Self.groups(pictures) == sorted)
    #expect(Self.groups(pictures.reversed()) == sorted)
  }

  @Test("Copies are found among any number of pictures that have most of a dhash in common")
  mutating func crowd() {
    var table = LooksTable()
    var originals: [Looks] = []
    let common = mixed() & 0xFFFF_FFFF_FFFF
    for number in UInt64(0)..<1_000 {
      var looks = look()
      looks.dhash = common | number << 48
      originals.append(looks)
      table.add(looks)
    }
    for looks in originals { table.add(looks) }
    let firsts = table.firsts()
    #expect((1_000..<2_000).filter { firsts[$0] == UInt32($0) } == [])
    #expect((1_000..<2_000).filter { firsts[$0] != UInt32($0 - 1_000) } == [])
  }

  @Test("Hundreds of near copies are one group, whatever the order of their lines", arguments: [100, 300, 700])
  mutating func nearCopies(_ count: Int) {
    var pictures: [(looks: Looks, line: Int)] = []
    for _ in 0..<2 {
      let original = look()
      for _ in 0..<count {
        var copy = original
        copy.dhash ^= flips(2)
        copy.phash ^= flips(4)
        pictures.append((looks: copy, line: 0))
      }
    }
    let lines = pictures.indices.shuffled(using: &random)
    for (number, line) in lines.enumerated() { pictures[number].line = line }
    let expected = [pictures.prefix(count), pictures.suffix(count)].map { $0.map(\.line).sorted() }
    #expect(Self.groups(pictures) == expected.sorted { $0[0] < $1[0] })
  }

  /// The lines of each group.
  private static func groups(_ pictures: [(looks: Looks, line: Int)]) -> [[Int]] {
    var table = LooksTable()
    for picture in pictures { table.add(picture.looks, line: picture.line) }
    var groups: [[Int]] = []
    table.forEachGroup { numbers in groups.append(numbers.map { pictures[$0].line }) }
    return groups
  }

  /// A picture whose hashes have as many bits of one kind as of the other.
  private mutating func look() -> Looks {
    Looks(
      dhash: mixed(), phash: mixed(), width: 1_000, height: 700,
      colour: (UInt8.random(in: 20...200, using: &random), 100, 100))
  }

  private mutating func mixed() -> UInt64 {
    (0..<64).shuffled(using: &random).prefix(32).reduce(0) { $0 | 1 << UInt64($1) }
  }

  private mutating func flips(_ bits: Int) -> UInt64 {
    (0..<64).shuffled(using: &random).prefix(bits).reduce(0) { $0 | 1 << UInt64($1) }
  }
}

/// A generator of numbers that are the same on each run.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}

@Suite("Pictures that come one after another")
struct LooksIndexTests {
  @Test("The first one alike is found, whatever the number of bits", arguments: 0...8)
  func first(_ bits: Int) {
    var index = LooksIndex(LooksRule(bits: bits))
    func look(_ number: UInt64) -> Looks {
      let mixed = (number &+ 1) &* 0x9E37_79B9_7F4A_7C15
      return Looks(dhash: mixed ^ mixed << 31, phash: ~mixed, width: 40, height: 30, colour: (90, 90, 90))
    }
    let looks = (0..<500).map { look($0) }.filter(\.areTelling)
    for look in looks { index.add(look) }
    for (number, look) in looks.enumerated() {
      var copy = look
      copy.dhash ^= (1 << bits - 1) << 40
      #expect(index.first(look) == number)
      #expect(index.first(copy) == number)
    }
  }
}
