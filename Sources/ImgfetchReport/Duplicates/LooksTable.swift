/// Finds pictures that look the same among any number of them, in flat arrays: 30 bytes for each picture.
///
/// A dhash is cut into two parts more than the bits that may differ. Two dhashes within that distance then agree in at
/// least two parts. So only those are compared that agree in two parts: for 4 bits that takes 15 sortings of all
/// pictures by 21 bits each.
package struct LooksTable: Sendable {
  private let rule: LooksRule
  private var dhashes: [UInt64] = []
  private var phashes: [UInt64] = []
  private var proportions: [UInt16] = []
  private var reds: [UInt8] = []
  private var greens: [UInt8] = []
  private var blues: [UInt8] = []

  /// The number of earlier pictures of a bucket that one is compared with, so that a list of one picture a million
  /// times takes no longer than another.
  private static let mostCompared = 64

  /// - Parameter count: The number of pictures, as far as it is known: arrays that grow take up to twice their size.
  package init(_ rule: LooksRule = LooksRule(), count: Int = 0) {
    self.rule = rule
    dhashes.reserveCapacity(count)
    phashes.reserveCapacity(count)
    proportions.reserveCapacity(count)
    reds.reserveCapacity(count)
    greens.reserveCapacity(count)
    blues.reserveCapacity(count)
  }

  /// The number of pictures.
  package var count: Int { dhashes.count }

  /// Adds a picture, which has the next number.
  package mutating func add(_ looks: Looks) {
    // Hashes that tell nothing are near to no other.
    let isTelling = looks.areTelling
    dhashes.append(isTelling ? looks.dhash : 0)
    phashes.append(isTelling ? looks.phash : 0)
    proportions.append(isTelling ? Self.proportion(looks) : 0)
    reds.append(looks.colour.red)
    greens.append(looks.colour.green)
    blues.append(looks.colour.blue)
  }

  /// The number, for each picture, of the first one that looks the same, perhaps by way of others. A picture without an
  /// earlier one has its own number.
  package func firsts() -> [UInt32] {
    var firsts = (0..<UInt32(count)).map { $0 }
    // Of fewer than six parts two would have too many bits to sort by.
    let parts = Self.parts(max(rule.bits + 2, 6))
    for one in parts.indices {
      for other in (one + 1)..<parts.count { link(&firsts, parts[one], parts[other]) }
    }
    // An earlier picture has a smaller number, so that one pass resolves all chains.
    for number in firsts.indices { firsts[number] = firsts[Int(firsts[number])] }
    return firsts
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

  /// Sorts all pictures by two parts of their dhashes, and links each to the first one alike in its bucket.
  private func link(_ firsts: inout [UInt32], _ one: (shift: Int, bits: Int), _ other: (shift: Int, bits: Int)) {
    // Few pictures need few buckets: a product spreads the parts over them.
    let bits = min(one.bits + other.bits, max(8, Int.bitWidth - count.leadingZeroBitCount))
    func bucket(_ dhash: UInt64) -> Int {
      let (low, high) = (dhash >> one.shift & (1 << one.bits - 1), dhash >> other.shift & (1 << other.bits - 1))
      return Int(((low | high << one.bits) &* 0x9E37_79B9_7F4A_7C15) >> (64 - bits))
    }
    var ends = [UInt32](repeating: 0, count: 1 << bits)
    for index in dhashes.indices where proportions[index] != 0 { ends[bucket(dhashes[index])] += 1 }
    var total: UInt32 = 0
    for index in ends.indices {
      let size = ends[index]
      ends[index] = total
      total += size
    }
    var order = [UInt32](repeating: 0, count: Int(total))
    for index in dhashes.indices where proportions[index] != 0 {
      let place = bucket(dhashes[index])
      order[Int(ends[place])] = UInt32(index)
      ends[place] += 1
    }
    var start = 0
    for end in ends {
      let range = start..<Int(end)
      start = range.upperBound
      if range.count > 1 { compare(order[range], &firsts) }
    }
  }

  private func compare(_ bucket: ArraySlice<UInt32>, _ firsts: inout [UInt32]) {
    for place in bucket.indices.dropFirst() {
      let number = Int(bucket[place])
      for earlier in max(bucket.startIndex, place - Self.mostCompared)..<place
      where bucket[earlier] < firsts[number] && areAlike(number, Int(bucket[earlier])) {
        firsts[number] = bucket[earlier]
        break
      }
    }
  }

  private func areAlike(_ one: Int, _ other: Int) -> Bool {
    rule.areNear(dhashes[one], dhashes[other], phashes[one], phashes[other])
      && Self.areNear(proportions[one], proportions[other]) && LooksRule.areNear(reds[one], reds[other])
      && LooksRule.areNear(greens[one], greens[other]) && LooksRule.areNear(blues[one], blues[other])
  }
}
