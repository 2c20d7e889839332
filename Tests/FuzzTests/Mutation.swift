import TestSupport

/// The changes that a fuzzer makes to an input, from repeatable random numbers.
struct Mutation {
  private var random: SeededRandom
  private let words: [[UInt8]]
  /// Whole inputs to splice with.
  private let others: [[UInt8]]

  init(seed: UInt64, words: [String], others: [[UInt8]]) {
    random = SeededRandom(seed: seed)
    self.words = words.map { Array($0.utf8) }
    self.others = others
  }

  /// The bytes with one to eight changes.
  mutating func mutated(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0..<Int.random(in: 1...8, using: &random) { change(&bytes) }
    return bytes
  }

  private mutating func change(_ bytes: inout [UInt8]) {
    let place = Int.random(in: 0...bytes.count, using: &random)
    let count = Int.random(in: 0...min(16, bytes.count - place), using: &random)
    switch Int.random(in: 0..<8, using: &random) {
    case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    case 1 where place < bytes.count: bytes[place] = UInt8.random(in: 0...255, using: &random)
    // The values at which lengths and counts turn over.
    case 2 where place < bytes.count: bytes[place] = [0, 1, 0x7F, 0x80, 0xFE, 0xFF].randomElement(using: &random) ?? 0
    case 3: bytes.removeSubrange(place..<place + count)
    case 4: bytes.insert(contentsOf: bytes[place..<place + count], at: Int.random(in: 0...bytes.count, using: &random))
    case 5: bytes.insert(contentsOf: words.randomElement(using: &random) ?? [], at: place)
    case 6: bytes.removeSubrange(place...)
    case 7:
      guard let other = others.randomElement(using: &random), !other.isEmpty else { return }
      bytes.replaceSubrange(place..., with: other[Int.random(in: other.indices, using: &random)...].prefix(4096))
    default: break
    }
  }
}
