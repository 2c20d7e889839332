/// Finds pictures that look the same among any number of them, in flat lists: 25 bytes for each picture, and 6 more
/// while groups are made.
///
/// A dhash is cut into two parts more than the bits that may differ. Two dhashes within that distance then agree in at
/// least two parts. So only those are compared that agree in two parts: for 4 bits that takes 15 sortings of all
/// pictures by 21 bits each.
package struct LooksTable: Sendable {
  private let rule: LooksRule
  /// The dhashes; 0 where the looks tell nothing.
  private var dhashes = Column<UInt64>()
  private var phashes = Column<UInt64>()
  private var proportions = Column<UInt16>()
  private var colours = Column<(red: UInt8, green: UInt8, blue: UInt8)>()
  private var lines = Column<UInt32>()

  /// The number of pictures of a bucket that one is compared with, so that a list of one picture a million times takes
  /// no longer than another.
  private static let mostCompared = 64
  /// The number of pictures that are sorted at a time, unless one bucket has more.
  private static let mostSorted = 1 << 20
  private static let mark: UInt32 = 1 << 31

  /// - Parameter rule: Says which pictures look the same.
  package init(_ rule: LooksRule = LooksRule()) { self.rule = rule }

  /// The number of pictures.
  package var count: Int { dhashes.count }

  /// Adds a picture, which has the next number.
  ///
  /// - Parameter line: Its line in the list, or nil if it is the last of all.
  package mutating func add(_ looks: Looks, line: Int? = nil) {
    let proportion = Self.proportion(looks)
    // Hashes that tell nothing are near to no other.
    let isTelling = looks.areTelling && proportion != 0
    dhashes.append(isTelling ? looks.dhash : 0)
    phashes.append(looks.phash)
    proportions.append(proportion)
    colours.append(looks.colour)
    lines.append(UInt32(clamping: line ?? .max))
  }

  func line(of number: Int) -> UInt32 { lines[number] }

  /// Takes the numbers of each group of two pictures or more, the first by line first. Groups come in the order of
  /// their first ones.
  package func forEachGroup(_ take: ([Int]) -> Void) {
    var next = firsts()
    var heads: [UInt32] = []
    // Each group becomes a ring, in which a picture leads to the next one. Its first one has a mark.
    for number in next.indices where next[number] & Self.mark == 0 && Int(next[number]) != number {
      let first = Int(next[number])
      if next[first] & Self.mark == 0 { heads.append(UInt32(first)) }
      next[number] = next[first] & ~Self.mark
      next[first] = UInt32(number) | Self.mark
    }
    heads.sort { precedes(Int($0), Int($1)) }
    for first in heads {
      var group = [Int(first)]
      var number = next[Int(first)] & ~Self.mark
      while number != first {
        group.append(Int(number))
        number = next[Int(number)]
      }
      group.sort { precedes($0, $1) }
      take(group)
    }
  }

  /// The number, for each picture, of the first one that looks the same, perhaps by way of others. A picture without an
  /// earlier one has its own number.
  func firsts() -> [UInt32] {
    var firsts = (0..<UInt32(count)).map { $0 }
    // Of fewer than six parts two would have too many bits to sort by.
    let parts = Self.parts(max(rule.bits + 2, 6))
    for one in parts.indices {
      for other in (one + 1)..<parts.count { link(&firsts, parts[one], parts[other]) }
    }
    for number in firsts.indices { firsts[number] = UInt32(Self.first(of: number, &firsts)) }
    return firsts
  }

  /// True if a picture is before another by line, then by number.
  private func precedes(_ one: Int, _ other: Int) -> Bool {
    lines[one] == lines[other] ? one < other : lines[one] < lines[other]
  }

  // MARK: Proportions

  /// The proportions as 4,096 steps for each doubling, from 1 : 128 to 128 : 1; 0 where there are none.
  static func proportion(_ looks: Looks) -> UInt16 {
    guard looks.width > 0, looks.height > 0 else { return 0 }
    let ratio = Double(looks.width) / Double(looks.height)
    // The exponent is the whole part of the logarithm, that of the significand the rest.
    let steps = (Double(ratio.exponent) + logarithm(ratio.significand)) * 4_096
    return UInt16(min(max(steps + 32_768, 1), 65_535))
  }

  /// The logarithm to base 2 of a number from 1 to 2, to five digits.
  private static func logarithm(_ value: Double) -> Double {
    // The series of the inverse hyperbolic tangent, which converges fast here.
    let part = (value - 1) / (value + 1)
    let square = part * part
    let series = part * (1 + square * (1.0 / 3 + square * (1.0 / 5 + square * (1.0 / 7 + square / 9))))
    return series * 2 / 0.693_147_180_559_945_3
  }

  /// True if two proportions are within 2 % of each other.
  static func areNear(_ one: UInt16, _ other: UInt16) -> Bool {
    // 4,096 times the logarithm to base 2 of 1.02.
    one != 0 && other != 0 && max(one, other) - min(one, other) <= 117
  }

  // MARK: Comparisons

  /// The parts of a dhash: the place of the lowest bit and the number of bits of each.
  private static func parts(_ count: Int) -> [(shift: Int, bits: Int)] {
    (0..<count).map { part in
      let (start, end) = (64 * part / count, 64 * (part + 1) / count)
      return (start, end - start)
    }
  }

  /// Sorts all pictures by two parts of their dhashes, and joins those that are alike in a bucket.
  private func link(_ firsts: inout [UInt32], _ one: (shift: Int, bits: Int), _ other: (shift: Int, bits: Int)) {
    // Few pictures need few buckets: a product spreads the parts over them.
    let bits = min(one.bits + other.bits, max(8, Int.bitWidth - count.leadingZeroBitCount))
    func bucket(_ dhash: UInt64) -> Int {
      let (low, high) = (dhash >> one.shift & (1 << one.bits - 1), dhash >> other.shift & (1 << other.bits - 1))
      return Int(((low | high << one.bits) &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits))
    }
    var ends = [UInt32](repeating: 0, count: 1 << bits)
    dhashes.forEach { _, dhash in if dhash != 0 { ends[bucket(dhash)] += 1 } }
    var start = 0
    while start < ends.count {
      // As many buckets as are sorted at a time.
      var (end, total) = (start, 0)
      repeat {
        let size = Int(ends[end])
        ends[end] = UInt32(total)
        total += size
        end += 1
      } while end < ends.count && total + Int(ends[end]) <= Self.mostSorted
      let buckets = start..<end
      start = end
      if total < 2 { continue }
      var order = [UInt32](repeating: 0, count: total)
      dhashes.forEach { number, dhash in
        guard dhash != 0 else { return }
        let bucket = bucket(dhash)
        guard buckets.contains(bucket) else { return }
        order[Int(ends[bucket])] = UInt32(number)
        ends[bucket] += 1
      }
      var first = 0
      for bucket in buckets {
        let last = Int(ends[bucket])
        if last - first > 1 { compare(&order, first..<last, rotation: other.shift, &firsts) }
        first = last
      }
    }
  }

  /// Compares the pictures of a bucket with each other, those of a large one with their neighbours.
  private func compare(_ order: inout [UInt32], _ bucket: Range<Int>, rotation: Int, _ firsts: inout [UInt32]) {
    let isLarge = bucket.count > Self.mostCompared + 1
    if isLarge {
      // By parts of the dhash that the bucket does not have in common, which differ from sorting to sorting.
      func key(_ number: UInt32) -> UInt64 {
        let dhash = dhashes[Int(number)]
        return dhash >> rotation | dhash << (64 - rotation)
      }
      order[bucket].sort {
        let (one, other) = (key($0), key($1))
        return one == other ? precedes(Int($0), Int($1)) : one < other
      }
    }
    for place in bucket.dropFirst() {
      let number = Int(order[place])
      for neighbour in (max(bucket.lowerBound, place - Self.mostCompared)..<place).reversed() {
        let other = Int(order[neighbour])
        guard areAlike(number, other) else { continue }
        join(number, other, &firsts)
        if isLarge { break }
      }
    }
  }

  /// Makes one group of those of two pictures. Their first ones are joined: a link from a picture itself would take it
  /// away from those that it was joined with before.
  private func join(_ one: Int, _ other: Int, _ firsts: inout [UInt32]) {
    let (one, other) = (Self.first(of: one, &firsts), Self.first(of: other, &firsts))
    guard one != other else { return }
    if precedes(one, other) { firsts[other] = UInt32(one) } else { firsts[one] = UInt32(other) }
  }

  /// The first picture of a group so far. The way there becomes shorter each time.
  private static func first(of number: Int, _ firsts: inout [UInt32]) -> Int {
    var number = number
    while Int(firsts[number]) != number {
      firsts[number] = firsts[Int(firsts[number])]
      number = Int(firsts[number])
    }
    return number
  }

  private func areAlike(_ one: Int, _ other: Int) -> Bool {
    rule.areNear(dhash: dhashes[one], dhashes[other]) && rule.areNear(phash: phashes[one], phashes[other])
      && Self.areNear(proportions[one], proportions[other]) && LooksRule.areNear(colours[one], colours[other])
  }
}
