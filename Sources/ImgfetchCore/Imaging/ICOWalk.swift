/// Walks a Windows icon: its directory, and each of its pictures, which are bitmaps or PNGs. The largest one counts.
struct ICOWalk: Sendable {
  private enum Phase: Sendable { case head, entry, gap, kind, bitmap, png, rest, end }

  /// Where a picture stands.
  private struct Entry: Sendable {
    let start: Int64
    let end: Int64
  }

  /// What a picture is inspected by.
  private enum Kind: Sendable {
    case bitmap(Bitmap)
    case png(PNGWalk)
  }

  private let limits: InspectionLimits
  private var phase = Phase.head
  private var field = FieldBuffer()
  private var base: Int64 = 0
  private var entriesLeft = 0
  private var directoryEnd: Int64 = 0
  /// In the order of their places; the first one is looked at, or comes next.
  private var entries: ArraySlice<Entry> = []
  private var kind: Kind?
  private var largest: ImageFacts?
  private var trailingBytes: Int64 = 0

  init(limits: InspectionLimits) {
    self.limits = limits
    field.begin(6)
  }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .head: if field.take(bytes, &at, end: bytes.count) { try readHead() }
      case .entry: if field.take(bytes, &at, end: bytes.count) { try readEntry(base + Int64(at)) }
      case .gap:
        guard let next = entries.first else { phase = .end; break }
        at = min(bytes.count, at + Int(clamping: next.start - (base + Int64(at))))
        if base + Int64(at) == next.start { begin() }
      case .kind, .bitmap, .png, .rest: try feedPicture(bytes, &at)
      case .end:
        trailingBytes += Int64(bytes.count - at)
        at = bytes.count
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    guard phase == .end else { throw .truncated(.ico, at: base) }
    return .complete
  }

  var facts: ImageFacts? {
    guard var facts = largest else { return nil }
    facts.trailingBytes = trailingBytes
    return facts
  }

  private mutating func readHead() throws(InspectionFailure) {
    entriesLeft = field.little16(4)
    guard 1...Self.mostEntries ~= entriesLeft else {
      throw .damaged(.ico, at: 4, reason: "a directory of \(entriesLeft) pictures")
    }
    directoryEnd = 6 + 16 * Int64(entriesLeft)
    field.begin(16)
    phase = .entry
  }

  private mutating func readEntry(_ place: Int64) throws(InspectionFailure) {
    let start = Int64(field.little32(12))
    let entry = Entry(start: start, end: start + Int64(field.little32(8)))
    guard entry.start >= directoryEnd, entry.end > entry.start else {
      throw .damaged(.ico, at: place, reason: "a picture that stands in the directory, or nowhere")
    }
    // Two entries may be one picture.
    if !entries.contains(where: { $0.start == entry.start && $0.end == entry.end }) { entries.append(entry) }
    entriesLeft -= 1
    field.begin(16)
    guard entriesLeft == 0 else { return }
    entries.sort { $0.start < $1.start }
    for (one, next) in zip(entries, entries.dropFirst()) where next.start < one.end {
      throw .damaged(.ico, at: next.start, reason: "pictures that overlap")
    }
    phase = .gap
    if entries.first?.start == place { begin() }
  }

  private mutating func begin() {
    kind = nil
    field.begin(Self.kindLength)
    phase = .kind
  }

  /// Takes as much as there is of the current picture.
  private mutating func feedPicture(_ bytes: Span<UInt8>, _ at: inout Int) throws(InspectionFailure) {
    guard let entry = entries.first else { phase = .end; return }
    let end = Int(clamping: min(Int64(bytes.count), entry.end - base))
    switch phase {
    case .kind:
      if field.take(bytes, &at, end: end) { try readKind(entry, base + Int64(at)) }
    case .bitmap:
      if field.take(bytes, &at, end: end) { try readBitmap(entry, base + Int64(at)) }
    case .png:
      if case .png(var walk) = kind {
        defer { kind = .png(walk) }
        try Self.rename { () throws(InspectionFailure) in try walk.feed(bytes.extracting(at..<end)) }
      }
      at = end
    default: at = end
    }
    if base + Int64(at) == entry.end { try endPicture(entry) }
  }

  private mutating func readKind(_ entry: Entry, _ place: Int64) throws(InspectionFailure) {
    if field[0] == 0x89, field.holds("PNG", at: 1) {
      var walk = PNGWalk(limits: limits)
      let head: [UInt8] = (0..<Self.kindLength).map { field[$0] }
      try Self.rename { () throws(InspectionFailure) in try walk.feed(head.span) }
      kind = .png(walk)
      phase = .png
      return
    }
    // The pictures of icons have the header of 40 bytes.
    guard field.little32(0) == 40, let length = Bitmap.fieldLength(headerSize: 40) else {
      throw .damaged(.ico, at: place, reason: "a picture that is neither a bitmap nor a PNG")
    }
    kind = .bitmap(Bitmap(headerSize: 40))
    field.begin(length)
    phase = .bitmap
  }

  private mutating func readBitmap(_ entry: Entry, _ place: Int64) throws(InspectionFailure) {
    guard case .bitmap(var bitmap) = kind else { return }
    try bitmap.read(field, of: .ico, at: place)
    bitmap.halveHeight()
    guard bitmap.height > 0 else { throw .noPixels(.ico) }
    try limits.admit(width: bitmap.width, height: bitmap.height, frames: 1)
    // With 32 bits a pixel has its own alpha, and some writers leave the mask away.
    let mask = bitmap.bitsPerPixel == 32 ? 0 : bitmap.maskLength
    let (pixels, overflow) = bitmap.rowsLength.addingReportingOverflow(
      mask + bitmap.headerLength + bitmap.paletteLength)
    guard !overflow, !bitmap.isRunLength, pixels <= entry.end - entry.start else {
      throw .damaged(.ico, at: entry.start, reason: "a picture that does not fit into its place")
    }
    kind = .bitmap(bitmap)
    phase = .rest
  }

  private mutating func endPicture(_ entry: Entry) throws(InspectionFailure) {
    let found: ImageFacts?
    switch (phase, kind) {
    case (.rest, .bitmap(let bitmap)?): found = bitmap.facts(of: .ico)
    case (.png, .png(let walk)?):
      let isWhole: Bool
      do throws(InspectionFailure) {
        isWhole = if case .complete = try walk.finish() { true } else { false }
      } catch { isWhole = false }
      guard isWhole else { throw .damaged(.ico, at: entry.end, reason: "a picture that breaks off") }
      found = walk.facts
    default: throw .damaged(.ico, at: entry.end, reason: "a picture that breaks off")
    }
    if var found {
      found.format = .ico
      found.frames = 1
      if let best = largest, (best.width * best.height, best.bits) >= (found.width * found.height, found.bits) {
      } else {
        largest = found
      }
    }
    entries.removeFirst()
    phase = entries.isEmpty ? .end : .gap
    if entries.first?.start == entry.end { begin() }
  }

  /// A failure of a picture is the icon's.
  private static func rename(_ body: () throws(InspectionFailure) -> Void) throws(InspectionFailure) {
    do throws(InspectionFailure) { try body() } catch {
      switch error {
      case .damaged(_, let place, let reason): throw .damaged(.ico, at: place, reason: "its PNG: \(reason)")
      case .noPixels: throw .noPixels(.ico)
      default: throw error
      }
    }
  }

  /// Ten times what any icon has.
  private static let mostEntries = 256
  /// The signature of a PNG; of a bitmap only the length of its header is read here.
  private static let kindLength = 4
}
