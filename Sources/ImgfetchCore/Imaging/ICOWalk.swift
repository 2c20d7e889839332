/// Walks a Windows icon: its directory, and each of its pictures, which are bitmaps or PNGs. The largest one counts.
///
/// The directory says where pictures begin. Each picture itself says how long it is, as browsers see it; a directory
/// that says otherwise is a flaw.
struct ICOWalk: ImageWalk {
  private enum Phase: Sendable { case head, entry, gap, kind, bitmap, png, rest, behind, end }

  /// The location of a picture.
  private struct Entry: Sendable {
    let start: Int64
    /// The end of the picture, by the directory.
    let claimedEnd: Int64
  }

  /// The inspection of a picture, by its kind.
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
  /// The entries in the order of their places. The first one is the current one, or the next.
  private var entries: ArraySlice<Entry> = []
  private var kind: Kind?
  private var largest: ImageFacts?
  /// The place behind the current picture, where it says so in front.
  private var end: Int64 = 0
  /// The place behind all pictures, by the directory.
  private var claimedEnd: Int64 = 0
  /// The place behind the mask that the current picture may have and does not need.
  private var maskEnd: Int64 = 0
  private var isMisdirected = false
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
      case .behind:
        // Masks that are not needed, and what else the directory counts.
        let behind = max(claimedEnd, maskEnd)
        at = min(bytes.count, max(at, Int(clamping: behind - base)))
        if base + Int64(at) >= behind { phase = .end }
      case .end:
        trailingBytes += Int64(bytes.count - at)
        at = bytes.count
      }
    }
    base += Int64(bytes.count)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    guard phase == .end || phase == .behind else { throw .truncated(.ico, at: base) }
    return .complete
  }

  var facts: ImageFacts? {
    guard var facts = largest else { return nil }
    facts.trailingBytes = trailingBytes
    if isMisdirected || phase == .behind && base < claimedEnd { facts.flaws.insert(.wrongLength) }
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
    let entry = Entry(start: start, claimedEnd: start + Int64(field.little32(8)))
    guard entry.start >= directoryEnd else {
      throw .damaged(.ico, at: place, reason: "a picture that stands in the directory, or nowhere")
    }
    // Two entries may be one picture.
    if !entries.contains(where: { $0.start == entry.start }) { entries.append(entry) }
    claimedEnd = max(claimedEnd, entry.claimedEnd)
    entriesLeft -= 1
    field.begin(16)
    guard entriesLeft == 0 else { return }
    entries.sort { $0.start < $1.start }
    phase = .gap
    if entries.first?.start == place { begin() }
  }

  private mutating func begin() {
    kind = nil
    maskEnd = 0
    field.begin(Self.kindLength)
    phase = .kind
  }

  /// Takes as much as there is of the current picture, which must end before the next one begins.
  private mutating func feedPicture(_ bytes: Span<UInt8>, _ at: inout Int) throws(InspectionFailure) {
    guard let entry = entries.first else { phase = .end; return }
    let next = entries.dropFirst().first?.start ?? .max
    let room = Int(clamping: min(Int64(bytes.count), next - base))
    switch phase {
    case .kind:
      if field.take(bytes, &at, end: room) { try readKind(base + Int64(at)) }
    case .bitmap:
      if field.take(bytes, &at, end: room) { try readBitmap(entry, base + Int64(at)) }
    case .png:
      guard case .png(var walk) = kind else { return }
      defer { kind = .png(walk) }
      try Self.rename { () throws(InspectionFailure) in try walk.feed(bytes.extracting(at..<room)) }
      at = room
      guard walk.hasEnded else { break }
      at -= Int(clamping: walk.facts?.trailingBytes ?? 0)
      return try endPicture(entry, at: base + Int64(at), Self.facts(of: walk))
    default:
      at = max(at, min(room, Int(clamping: end - base)))
      guard base + Int64(at) == end, case .bitmap(let bitmap)? = kind else { break }
      return try endPicture(entry, at: end, bitmap.facts(of: .ico))
    }
    if base + Int64(at) == next { throw .damaged(.ico, at: next, reason: "pictures that overlap") }
  }

  private mutating func readKind(_ place: Int64) throws(InspectionFailure) {
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
    guard !overflow, !bitmap.isRunLength else {
      throw .damaged(.ico, at: entry.start, reason: "a picture that no icon can have")
    }
    end = max(place, entry.start.addingReportingOverflow(pixels).partialValue)
    maskEnd = end.addingReportingOverflow(bitmap.maskLength - mask).partialValue
    kind = .bitmap(bitmap)
    phase = .rest
  }

  /// The facts about a received PNG, or nil if it is incomplete.
  private static func facts(of walk: PNGWalk) -> ImageFacts? {
    guard case .complete = try? walk.finish() else { return nil }
    return walk.facts
  }

  private mutating func endPicture(
    _ entry: Entry, at place: Int64, _ facts: ImageFacts?
  ) throws(InspectionFailure) {
    guard var found = facts else { throw .damaged(.ico, at: place, reason: "a picture that breaks off") }
    found.format = .ico
    found.frames = 1
    found.trailingBytes = 0
    if let best = largest, (best.width * best.height, best.bits) >= (found.width * found.height, found.bits) {
    } else {
      largest = found
    }
    entries.removeFirst()
    let next = entries.first?.start
    isMisdirected = isMisdirected || entry.claimedEnd < place || next.map { entry.claimedEnd > $0 } ?? false
    phase = next == nil ? (place < max(claimedEnd, maskEnd) ? .behind : .end) : .gap
    if next == place { begin() }
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
