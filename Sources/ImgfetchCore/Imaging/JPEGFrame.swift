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
