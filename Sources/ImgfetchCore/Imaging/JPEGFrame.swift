/// What a JPEG's frame header says, and which scans its components have had.
struct JPEGFrame: Sendable {
  /// How the coefficients are coded: the three that matter to the walk.
  enum Coding: Sendable { case sequential, progressive, lossless }

  struct Component: Sendable {
    var name: UInt8 = 0
    var across = 1
    var down = 1
    var quantisation: UInt8 = 0
    /// Whether a scan has brought its first coefficients (its samples, where it is lossless).
    var isSeen = false
  }

  let coding: Coding
  /// Arithmetic coding has no tables that must be there, and no least number of bits.
  let isArithmetic: Bool
  let bits: Int
  let width: Int
  let height: Int
  let count: Int
  private var components = InlineArray<4, Component>(repeating: Component())
  private var widest = 1
  private var highest = 1

  /// Reads the header behind mark `mark`; nil if it contradicts itself. `field` holds the whole segment.
  init?(mark: UInt8, _ field: Gathered, length: Int) {
    switch mark {
    case 0xC0, 0xC1, 0xC9: coding = .sequential
    case 0xC2, 0xCA: coding = .progressive
    default: coding = .lossless
    }
    isArithmetic = mark >= 0xC9
    bits = Int(field[0])
    height = field.big16(1)
    width = field.big16(3)
    count = Int(field[5])
    guard 1...4 ~= count, length == 6 + 3 * count else { return nil }
    switch coding {
    case .sequential: guard bits == 8 || (bits == 12 && mark != 0xC0) else { return nil }
    case .progressive: guard bits == 8 || bits == 12 else { return nil }
    case .lossless: guard 2...16 ~= bits else { return nil }
    }
    for index in 0..<count {
      let place = 6 + 3 * index
      let sampling = field[place + 1]
      let component = Component(
        name: field[place], across: Int(sampling >> 4), down: Int(sampling & 15), quantisation: field[place + 2])
      guard 1...4 ~= component.across, 1...4 ~= component.down, component.quantisation < 4 else { return nil }
      widest = max(widest, component.across)
      highest = max(highest, component.down)
      components[index] = component
    }
  }

  var isComplete: Bool { (0..<count).allSatisfy { components[$0].isSeen } }

  /// Whether the components are named by the letters R, G and B, as some writers mark that they hold just these.
  var isNamedRGB: Bool {
    count == 3 && components[0].name == 82 && components[1].name == 71 && components[2].name == 66
  }

  func component(named name: UInt8) -> Int? { (0..<count).first { components[$0].name == name } }

  func quantisation(of index: Int) -> UInt8 { components[index].quantisation }

  /// Blocks that a component has in each unit of an interleaved scan.
  func blocks(of index: Int) -> Int { components[index].across * components[index].down }

  mutating func markSeen(_ index: Int) { components[index].isSeen = true }

  /// Coded units of a scan: between two restart marks stand as many of them as the interval says. A scan of one
  /// component alone leaves out what lies beyond that component's edge.
  func units(onlyComponent index: Int?) -> Int {
    let side = coding == .lossless ? 1 : 8
    guard let index else { return pieces(width, side * widest) * pieces(height, side * highest) }
    let across = pieces(width * components[index].across, widest)
    let down = pieces(height * components[index].down, highest)
    return pieces(across, side) * pieces(down, side)
  }

  private func pieces(_ whole: Int, _ part: Int) -> Int { (whole + part - 1) / part }
}

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
