/// Walks a JPEG XL: a codestream in boxes, which mark its end, or a bare one. Only the header of a bare one is read:
/// its end is in its coding, which only the decoder knows, so it ends where the transfer does.
struct JXLWalk: ImageWalk {
  private enum Phase: Sendable { case start, bare, boxes, behind }

  private let limits: InspectionLimits
  private var phase = Phase.start
  private var boxes = ISOBoxes()
  /// The beginning of the codestream, until its header has been read.
  private var head: [UInt8] = []
  private var found: ImageFacts?
  private var headerLength = 0
  /// True if the box with the codestream's last bytes has come.
  private var isComplete = false
  /// The bytes of earlier chunks.
  private var base: Int64 = 0

  init(limits: InspectionLimits) { self.limits = limits }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    guard bytes.count > 0 else { return }
    if phase == .start { phase = bytes[0] == 0xFF ? .bare : .boxes }
    defer {
      boxes.advance(bytes.count)
      base += Int64(bytes.count)
    }
    switch phase {
    case .bare:
      guard found == nil else { return }
      for place in 0..<min(bytes.count, Self.longestHead - head.count) { head.append(bytes[place]) }
      try readHead(head)
    case .boxes: try feedBoxes(bytes)
    case .start, .behind: return
    }
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    let isThere =
      switch phase {
      case .bare: base > headerLength
      // Behind the codestream anything may follow, a box that breaks off, too: it has no pixels.
      case .boxes: isComplete || isEndless
      case .behind: true
      case .start: false
      }
    guard found != nil, isThere else { throw .truncated(.jxl, at: base) }
    return .complete
  }

  var facts: ImageFacts? {
    var facts = found
    facts?.hasKnownEnd = phase != .bare && !isEndless
    if phase == .behind { facts?.trailingBytes = max(0, base - boxes.end) }
    return facts
  }

  /// True if the codestream's box continues to the end of the file.
  private var isEndless: Bool {
    guard phase == .boxes, let leaf = boxes.leaf else { return false }
    return leaf.isEndless && (leaf.type == "jxlc" || leaf.type == "jxlp")
  }

  private mutating func feedBoxes(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while true {
      let event: ISOBoxes.Event?
      do { event = try boxes.next(bytes, &at, kind: Self.kind) } catch {
        // Behind the last box anything may follow.
        guard isComplete else { throw .damaged(.jxl, at: error.place, reason: error.reason) }
        phase = .behind
        return
      }
      guard let event else { break }
      guard case .leaf(let type, let kept, _) = event else { continue }
      switch type {
      case "jxlc":
        try readHead(kept)
        isComplete = true
      case "jxlp":
        if found == nil { head += kept.dropFirst(4) }
        try readHead(head)
        // The highest bit of a part's number says that it is the last one.
        isComplete = isComplete || (kept.first ?? 0) & 0x80 != 0
      default: break
      }
    }
    // The size is known before the box has ended.
    guard found == nil, let leaf = boxes.leaf else { return }
    if leaf.type == "jxlc" { try readHead(leaf.head) }
    if leaf.type == "jxlp" { try readHead(head + leaf.head.dropFirst(4)) }
  }

  private static func kind(_ type: BoxType, _ parent: BoxType?) -> ISOBoxes.Kind {
    type == "jxlc" || type == "jxlp" ? .leaf(kept: longestHead) : .passed
  }

  private mutating func readHead(_ bytes: [UInt8]) throws(InspectionFailure) {
    guard found == nil else { return }
    if bytes.count >= 2, bytes[0] != 0xFF || bytes[1] != 0x0A {
      throw .damaged(.jxl, at: base, reason: "its codestream does not begin as one")
    }
    guard let header = JXLHeader(bytes) else {
      if bytes.count < Self.longestHead { return }
      throw .damaged(.jxl, at: base, reason: "its header does not end")
    }
    guard header.width > 0, header.height > 0 else { throw .noPixels(.jxl) }
    try limits.admit(width: header.width, height: header.height, frames: 1)
    let isTurned = header.orientation > 4
    found = ImageFacts(
      format: .jxl, width: isTurned ? header.height : header.width, height: isTurned ? header.width : header.height,
      bits: header.bits, hasAlpha: header.hasAlpha, loopCount: header.loopCount)
    headerLength = header.length
    head = []
  }

  /// The longest header, unless its channels have long names.
  private static let longestHead = 4096
}
