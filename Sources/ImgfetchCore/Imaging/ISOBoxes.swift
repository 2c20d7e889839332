/// Walks the boxes of an ISO base media file, of which HEIF and JPEG XL are made, while its bytes arrive.
///
/// The meaning of a box depends on the format: each call is given the format's rule. Boxes of no interest are skipped,
/// so that memory is taken for the tables alone, and only for bytes that have come.
struct ISOBoxes: Sendable {
  /// The treatment of a box.
  enum Kind: Sendable {
    /// The box contains boxes, behind a header of this many bytes.
    case container(header: Int)
    /// The box's first bytes are kept, up to this number.
    case leaf(kept: Int)
    /// Nothing of it matters: it is passed over without an event.
    case passed
  }

  enum Event: Sendable {
    /// A box that contains others has begun, or ended.
    case began(BoxType)
    case ended(BoxType)
    /// A box without others has ended. `head` is the kept beginning, `length` the length of its content.
    case leaf(BoxType, head: [UInt8], length: Int64)
  }

  /// A box's header is impossible.
  struct Misfit: Error {
    let place: Int64
    let reason: String
  }

  private struct Open: Sendable {
    let type: BoxType
    /// The place behind it, or nil at the end of the file.
    let end: Int64?
  }

  private enum Phase: Sendable { case size, length, header, leaf }

  private var phase = Phase.size
  private var field = FieldBuffer()
  /// The boxes around the current place, the outermost first.
  private var open: [Open] = []
  private var current = Open(type: BoxType(code: 0), end: nil)
  private var kept: [UInt8] = []
  private var keptAtMost = 0
  private var isPassed = false
  private var start: Int64 = 0
  /// The bytes of earlier chunks.
  private var base: Int64 = 0

  init() { field.begin(Self.shortHeader) }

  /// True if the place is between two boxes of the file itself.
  var isBetween: Bool { open.isEmpty && phase == .size && field.count == 0 }

  /// The box that is being skipped: its kept bytes so far, and whether it extends to the end of the file.
  var leaf: (type: BoxType, head: [UInt8], isEndless: Bool)? {
    phase == .leaf ? (current.type, kept, current.end == nil) : nil
  }

  /// The place behind the last complete box of the file itself.
  private(set) var end: Int64 = 0

  /// Returns the next event in these bytes, from `at` on, which moves behind the consumed ones, or
  /// nil if all were consumed.
  mutating func next(
    _ bytes: Span<UInt8>, _ at: inout Int, kind: (_ type: BoxType, _ parent: BoxType?) -> Kind
  ) throws(Misfit) -> Event? {
    while true {
      let place = base + Int64(at)
      if phase == .size, field.count == 0, let inner = open.last, inner.end == place {
        open.removeLast()
        if open.isEmpty { end = place }
        return .ended(inner.type)
      }
      if phase == .leaf, current.end == place {
        guard isPassed else { return endLeaf(place) }
        pass(place)
        continue
      }
      guard at < bytes.count else { return nil }
      switch phase {
      case .size:
        guard take(bytes, &at) else { break }
        try readSize(base + Int64(at))
        if phase == .header, let event = begin(base + Int64(at), kind) { return event }
      case .length:
        guard take(bytes, &at) else { break }
        try open(length: longLength, header: Self.longHeader, base + Int64(at))
        if let event = begin(base + Int64(at), kind) { return event }
      case .header:
        guard take(bytes, &at) else { break }
        if let event = enter() { return event }
      case .leaf:
        let rest = current.end.map { Int(clamping: $0 - place) } ?? Int.max
        let step = min(rest, bytes.count - at)
        let wanted = min(step, keptAtMost - kept.count)
        if wanted > 0 { for offset in 0..<wanted { kept.append(bytes[at + offset]) } }
        at += step
      }
    }
  }

  /// Ends a chunk of `count` bytes.
  mutating func advance(_ count: Int) { base += Int64(count) }

  /// Takes bytes of the current field, within the box around it.
  private mutating func take(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool { field.take(bytes, &at, end: bytes.count) }

  private mutating func readSize(_ place: Int64) throws(Misfit) {
    let size = field.big32(0)
    current = Open(type: BoxType(code: UInt32(truncatingIfNeeded: field.big32(4))), end: nil)
    switch size {
    case 1:
      field.begin(Self.longHeader - Self.shortHeader)
      phase = .length
    case 0:
      // To the end of the file: only the last box may say so.
      guard open.isEmpty else { throw Misfit(place: place, reason: "a box without an end within another") }
      phase = .header
    default: try open(length: Int64(size), header: Self.shortHeader, place)
    }
  }

  private var longLength: Int64 { Int64(clamping: UInt64(field.big32(0)) << 32 | UInt64(field.big32(4))) }

  /// Opens a box of this length, whose header has been read.
  private mutating func open(length: Int64, header: Int, _ place: Int64) throws(Misfit) {
    let (end, overflow) = (place - Int64(header)).addingReportingOverflow(length)
    guard length >= header, !overflow, open.last?.end.map({ end <= $0 }) ?? true else {
      throw Misfit(place: place - Int64(header), reason: "a box of an impossible length")
    }
    current = Open(type: current.type, end: end)
    phase = .header
  }

  /// Finds out what the current box is.
  private mutating func begin(_ place: Int64, _ kind: (BoxType, BoxType?) -> Kind) -> Event? {
    switch kind(current.type, open.last?.type) {
    case .leaf(let count):
      keptAtMost = count
      // Memory that is not written yet takes none, and a table that grows takes twice as much.
      let length = current.end.map { Int(clamping: $0 - place) } ?? 0
      if min(count, length) > 64 { kept.reserveCapacity(min(count, length)) }
      isPassed = false
      start = place
      phase = .leaf
      return nil
    case .passed:
      keptAtMost = 0
      isPassed = true
      phase = .leaf
      return nil
    case .container(let header):
      field.begin(header)
      return header == 0 ? enter() : nil
    }
  }

  private mutating func enter() -> Event? {
    open.append(current)
    field.begin(Self.shortHeader)
    phase = .size
    return .began(current.type)
  }

  /// Ends a box of no interest.
  private mutating func pass(_ place: Int64) {
    field.begin(Self.shortHeader)
    phase = .size
    if open.isEmpty { end = place }
  }

  private mutating func endLeaf(_ place: Int64) -> Event {
    defer { kept = [] }
    field.begin(Self.shortHeader)
    phase = .size
    if open.isEmpty { end = place }
    return .leaf(current.type, head: kept, length: place - start)
  }

  /// A length of 32 bits and a type.
  private static let shortHeader = 8
  /// The same with a length of 64 bits behind.
  private static let longHeader = 16
}
