/// The frame header of a JPEG, and which of its components have had a scan.
struct JPEGFrame: Sendable {
  /// The coding of the coefficients, as far as it matters to the walk.
  enum Coding: Sendable { case sequential, progressive, lossless }

  struct Component: Sendable {
    var name: UInt8 = 0
    var across = 1
    var down = 1
    var quantisation: UInt8 = 0
    /// True if a scan has brought its first coefficients, or its samples if it is lossless.
    var isSeen = false
    /// The coefficients whose last bits a scan has brought.
    var finished: UInt64 = 0
  }

  let coding: Coding
  /// Arithmetic coding needs no tables and has no minimum number of bits.
  let isArithmetic: Bool
  let bits: Int
  let width: Int
  let height: Int
  let count: Int
  private var components = InlineArray<4, Component>(repeating: Component())
  private var widest = 1
  private var highest = 1

  /// Parses the header after marker `mark`, or nil if it contradicts itself. `field` holds the whole segment.
  init?(mark: UInt8, _ field: FieldBuffer, length: Int) {
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

  /// True if scans have brought each coefficient to its last bit.
  var isPrecise: Bool { (0..<count).allSatisfy { components[$0].finished == .max } }

  /// True if the components are named R, G and B, by which some writers mark RGB data.
  var isNamedRGB: Bool {
    count == 3 && components[0].name == 82 && components[1].name == 71 && components[2].name == 66
  }

  func component(named name: UInt8) -> Int? { (0..<count).first { components[$0].name == name } }

  func quantisation(of index: Int) -> UInt8 { components[index].quantisation }

  /// The blocks of a component in each unit of an interleaved scan.
  func blocks(of index: Int) -> Int { components[index].across * components[index].down }

  /// Notes what a scan brings of a component.
  mutating func mark(_ index: Int, _ range: JPEGSpectrum) {
    if range.hasFirst { components[index].isSeen = true }
    components[index].finished |= range.finished
  }

  /// The number of coded units of a scan, which restart markers count. A scan of one component omits
  /// the blocks beyond its edge.
  func units(onlyComponent index: Int?) -> Int {
    let side = coding == .lossless ? 1 : 8
    guard let index else { return pieces(width, side * widest) * pieces(height, side * highest) }
    let across = pieces(width * components[index].across, widest)
    let down = pieces(height * components[index].down, highest)
    return pieces(across, side) * pieces(down, side)
  }

  private func pieces(_ whole: Int, _ part: Int) -> Int { (whole + part - 1) / part }
}

/// The tables of a JPEG that have been defined: only whether a decoder would find the tables that a scan names, and
/// could use them, matters.
struct JPEGTables: Sendable {
  private var quantisation: UInt8 = 0
  private var first: UInt8 = 0
  private var rest: UInt8 = 0
  private var hasAnyHuffman = false

  // The current Huffman table.
  private var isFirst = true
  private var slot: UInt8 = 0
  private(set) var valuesLeft = 0

  mutating func defineQuantisation(_ slot: UInt8) { quantisation |= 1 << slot }

  func hasQuantisation(_ slot: UInt8) -> Bool { quantisation & 1 << slot != 0 }

  /// Begins a Huffman table: class and slot, then the number of codes of each length. False if they are impossible.
  mutating func beginHuffman(_ field: FieldBuffer) -> Bool {
    isFirst = field[0] >> 4 == 0
    slot = field[0] & 15
    guard field[0] >> 4 < 2, slot < 4 else { return false }
    var free = 1
    valuesLeft = 0
    for length in 1...16 {
      // Each further bit doubles the number of free codes.
      free = free * 2 - Int(field[length])
      valuesLeft += Int(field[length])
      guard free >= 0 else { return false }
    }
    return valuesLeft <= 256
  }

  /// Takes the table's next value; false if no decoder could use it. A first coefficient has at most 15 bits, a sample
  /// of a lossless image 16; other values are not limited.
  mutating func takeHuffman(_ value: UInt8) -> Bool {
    valuesLeft -= 1
    return !isFirst || value <= 16
  }

  /// Skips the values that need no check, which are nearly all, and returns their number.
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

  /// True if a scan that names these slots finds its tables. Motion JPEG has none: decoders use the standard's
  /// examples, two of each class.
  func hasHuffman(first wantsFirst: UInt8?, rest wantsRest: UInt8?, mayBeImplied: Bool) -> Bool {
    if mayBeImplied, !hasAnyHuffman { return (wantsFirst ?? 0) < 2 && (wantsRest ?? 0) < 2 }
    if let wantsFirst, wantsFirst > 3 || first & 1 << wantsFirst == 0 { return false }
    if let wantsRest, wantsRest > 3 || rest & 1 << wantsRest == 0 { return false }
    return true
  }
}
