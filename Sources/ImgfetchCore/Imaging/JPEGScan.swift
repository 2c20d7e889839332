/// The coded data that the current scan must contain, and the part that has come so far.
struct JPEGScan: Sendable {
  /// The place at which its coded data begins.
  var start: Int64 = 0
  /// The fewest bytes that its data can have.
  var leastBytes: Int64 = 0
  /// Restart markers expected and seen; the first is nil if there is no restart interval.
  var expectedRestarts: Int?
  var restarts = 0
}

// A scan: its header, and the coded data up to the next marker.
extension JPEGWalk {
  /// Encoders write about ten scans, and the format's finest split of an 8-bit image a few hundred. Each costs a
  /// decoder a pass over the whole image. The tests of libjpeg-turbo stop at 500 too.
  static let mostScans = 500

  mutating func readScan(_ at: Int) throws(InspectionFailure) {
    guard var frame else { throw damaged(at, "a scan before the frame header") }
    let count = Int(field[0])
    guard 1...4 ~= count, count <= frame.count, length == 4 + 2 * count else {
      throw damaged(at, "a scan header that cannot be")
    }
    scans += 1
    guard scans <= Self.mostScans else { throw damaged(at, "more than \(Self.mostScans) scans") }
    let range = JPEGSpectrum(field, at: 1 + 2 * count, frame.coding)
    guard let range, count == 1 || !range.isAlone else { throw damaged(at, "a scan of coefficients that cannot be") }
    var blocks = 0
    var only: Int?
    for index in 0..<count {
      guard let component = frame.component(named: field[1 + 2 * index]) else {
        throw damaged(at, "a scan of a component that the frame does not have")
      }
      try requireTables(frame, component, slots: field[2 + 2 * index], range, at)
      frame.mark(component, range)
      blocks += frame.blocks(of: component)
      only = component
    }
    if count > 1 { only = nil } else { blocks = 1 }
    guard blocks <= 10 || frame.coding == .lossless else { throw damaged(at, "a scan of too many blocks in a unit") }
    let units = frame.units(onlyComponent: only)
    scan = JPEGScan(start: place(at))
    if restartInterval > 0 { scan.expectedRestarts = (units - 1) / restartInterval }
    if !frame.isArithmetic, range.hasFirst {
      scan.leastBytes = MinimumSize.huffman(blocks: units * blocks, codesPerBlock: range.codesPerBlock)
    }
    self.frame = frame
    phase = .coded
  }

  private func requireTables(
    _ frame: JPEGFrame, _ component: Int, slots: UInt8, _ range: JPEGSpectrum, _ at: Int
  ) throws(InspectionFailure) {
    if frame.coding != .lossless, !tables.hasQuantisation(frame.quantisation(of: component)) {
      throw damaged(at, "a scan without its quantisation table")
    }
    guard !frame.isArithmetic else { return }
    let hasTables = tables.hasHuffman(
      first: range.needsFirstTable ? slots >> 4 : nil, rest: range.needsRestTable ? slots & 15 : nil,
      mayBeImplied: frame.coding == .sequential)
    guard hasTables else { throw damaged(at, "a scan without its Huffman table") }
  }

  /// Reads coded data, in which 0xFF 0x00 encodes the byte 0xFF; any other 0xFF begins a marker.
  mutating func readCoded(_ bytes: Span<UInt8>, _ at: inout Int) throws(InspectionFailure) {
    if phase == .coded {
      at = FastBytes.mark(in: bytes, from: at)
      guard at < bytes.count else { return }
      at += 1
      phase = .codedMark
      guard at < bytes.count else { return }
    }
    let code = bytes[at]
    at += 1
    switch code {
    case 0x00: phase = .coded
    case 0xFF: break  // fill
    case 0xD0...0xD7:
      guard scan.expectedRestarts != nil, code & 7 == UInt8(scan.restarts & 7) else {
        throw damaged(at, "a restart mark out of its order")
      }
      scan.restarts += 1
      phase = .coded
    default:
      try endScan(at)
      try begin(code, at)
    }
  }

  private func endScan(_ at: Int) throws(InspectionFailure) {
    if let objection = objection(toScanEndingAt: place(at) - 2) { throw damaged(at, objection) }
  }

  /// The reason why the current scan cannot be complete with the coded data before `end`, or nil if it may be.
  func objection(toScanEndingAt end: Int64) -> String? {
    // Some encoders write one marker more, after the last unit.
    if let expected = scan.expectedRestarts, !(expected...expected + 1 ~= scan.restarts) {
      return "a scan with \(scan.restarts) of its \(expected) restart marks"
    }
    return end - scan.start < scan.leastBytes ? "a scan with too little data for its pixels" : nil
  }
}

/// The coefficients that a scan contains, and which bits of them.
struct JPEGSpectrum: Sendable {
  /// True if the scan contains the first bits of first coefficients (or samples).
  let hasFirst: Bool
  let needsFirstTable: Bool
  let needsRestTable: Bool
  /// True if such a scan may have only one component.
  let isAlone: Bool
  let codesPerBlock: Int
  /// The coefficients that are complete to their last bit after this scan, as bits.
  let finished: UInt64

  /// Parses the last three bytes of a scan header, or nil if they are impossible.
  init?(_ field: FieldBuffer, at place: Int, _ coding: JPEGFrame.Coding) {
    let (first, last) = (Int(field[place]), Int(field[place + 1]))
    let (before, after) = (Int(field[place + 2] >> 4), Int(field[place + 2] & 15))
    switch coding {
    case .sequential:
      // All coefficients, whatever the header says: decoders ignore it.
      (hasFirst, needsFirstTable, needsRestTable, isAlone, codesPerBlock) = (true, true, true, false, 2)
      finished = .max
    case .lossless:
      guard 1...7 ~= first else { return nil }
      (hasFirst, needsFirstTable, needsRestTable, isAlone, codesPerBlock) = (true, true, false, false, 1)
      finished = .max
    case .progressive:
      guard first == 0 ? last == 0 : first <= last && last < 64 else { return nil }
      guard after <= 13, before == 0 || before == after + 1 else { return nil }
      // Further bits of first coefficients are stored without a code, one bit for a block.
      hasFirst = first == 0
      needsFirstTable = first == 0 && before == 0
      needsRestTable = first > 0
      isAlone = first > 0
      codesPerBlock = 1
      finished = after > 0 ? 0 : (UInt64.max >> (63 - last)) & (UInt64.max << first)
    }
  }
}
