/// Which of a JPEG's tables have been defined. The tables themselves are of no interest here, only whether a decoder
/// would find those that a scan names, and could use them.
struct JPEGTables: Sendable {
  private var quantisation: UInt8 = 0
  private var first: UInt8 = 0
  private var rest: UInt8 = 0
  private var hasAnyHuffman = false

  // The Huffman table that is being read.
  private var isFirst = true
  private var slot: UInt8 = 0
  private(set) var valuesLeft = 0

  mutating func defineQuantisation(_ slot: UInt8) { quantisation |= 1 << slot }

  func hasQuantisation(_ slot: UInt8) -> Bool { quantisation & 1 << slot != 0 }

  /// Begins a Huffman table: class and slot, then how many codes there are of each length. False if they cannot be.
  mutating func beginHuffman(_ field: Gathered) -> Bool {
    isFirst = field[0] >> 4 == 0
    slot = field[0] & 15
    guard field[0] >> 4 < 2, slot < 4 else { return false }
    var free = 1
    valuesLeft = 0
    for length in 1...16 {
      // Each bit more doubles the codes that are free; those taken cannot be more than these.
      free = free * 2 - Int(field[length])
      valuesLeft += Int(field[length])
      guard free >= 0 else { return false }
    }
    return valuesLeft <= 256
  }

  /// The next of its values; false if no decoder could use it. A first coefficient has 15 bits at most, a sample of a
  /// lossless image 16; the others may have any.
  mutating func takeHuffman(_ value: UInt8) -> Bool {
    valuesLeft -= 1
    return !isFirst || value <= 16
  }

  /// Goes past those of its values that need not be looked at, which are nearly all; the answer is how many.
  mutating func passHuffman(atMost count: Int) -> Int {
    if isFirst { return 0 }
    let passed = min(count, valuesLeft)
    valuesLeft -= passed
    return passed
  }

  mutating func endHuffman() {
    hasAnyHuffman = true
    if isFirst { first |= 1 << slot } else { rest |= 1 << slot }
  }

  /// Whether a scan that names these slots finds its tables. Frames of Motion JPEG come without any: decoders then take
  /// those that the standard prints as examples, of which there are two each.
  func hasHuffman(first wantsFirst: UInt8?, rest wantsRest: UInt8?, mayBeImplied: Bool) -> Bool {
    if mayBeImplied, !hasAnyHuffman { return (wantsFirst ?? 0) < 2 && (wantsRest ?? 0) < 2 }
    if let wantsFirst, wantsFirst > 3 || first & 1 << wantsFirst == 0 { return false }
    if let wantsRest, wantsRest > 3 || rest & 1 << wantsRest == 0 { return false }
    return true
  }
}
