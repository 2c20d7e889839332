/// Walks a TIFF or a BigTIFF: its directories, and where the strips or tiles of each picture stand. All of their bytes must have come.
///
/// The file comes once, from its beginning to its end, while a TIFF's parts may stand in any order. Writers put the values of a directory
/// behind it, or shortly before: so what precedes the next directory is kept, up to a length.
struct TIFFWalk: Sendable {
  /// What is read next, and where.
  private enum Item: Sendable {
    case directory(isPage: Bool)
    case values(TIFFDirectory.Reference, of: Int)
  }

  private struct Wanted: Sendable {
    let item: Item
    let start: Int64
  }

  private enum Phase: Sendable { case head, gap, count, content, end }

  private let limits: InspectionLimits
  private var phase = Phase.head
  private var order = FieldReader.Order.little
  /// Whether offsets have 64 bits.
  private var isBig = false
  /// The bytes of what is read now, and how many there must be.
  private var content: [UInt8] = []
  private var needed = 8
  private var current: Item?
  /// In the order of their places.
  private var wanted: [Wanted] = []
  private var seen: Set<Int64> = []
  private var directories: [TIFFDirectory] = []
  /// The bytes before the current place that values may stand in.
  private var window: [UInt8] = []
  private var position: Int64 = 0
  /// The place behind the last directory or table.
  private var tablesEnd: Int64 = 0
  private var end: Int64 = 0
  private var found: ImageFacts?

  init(limits: InspectionLimits) { self.limits = limits }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .gap:
        guard let next = wanted.first else { try complete(); break }
        pass(bytes, &at, count: Int(clamping: next.start - position))
        if position == next.start { begin(wanted.removeFirst().item) }
      case .head, .count, .content:
        let step = min(needed - content.count, bytes.count - at)
        for place in at..<at + step { content.append(bytes[place]) }
        if phase != .head { keep(bytes, at, step) }
        at += step
        position += Int64(step)
        guard content.count == needed else { break }
        do throws(TIFFFault) {
          switch phase {
          case .head: try readHead()
          case .count: try readCount()
          default: try readContent()
          }
        } catch {
          throw .damaged(.tiff, at: position, reason: error.reason)
        }
        if phase == .gap, wanted.isEmpty { try complete() }
      case .end:
        position += Int64(bytes.count - at)
        at = bytes.count
      }
    }
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    guard phase == .end, position >= end else { throw .truncated(.tiff, at: position) }
    return .complete
  }

  var facts: ImageFacts? {
    guard var facts = found else { return nil }
    if phase == .end { facts.trailingBytes = max(0, position - max(end, tablesEnd)) }
    return facts
  }

  private var word: Int { isBig ? 8 : 4 }

  private mutating func readHead() throws(TIFFFault) {
    order = content[0] == UInt8(ascii: "I") ? .little : .big
    var fields = FieldReader(content, order: order)
    fields.skip(2)
    if fields.number(2) == 43, !isBig {
      isBig = true
      needed = 16
      return
    }
    if isBig { fields.skip(4) }
    let first = fields.number(word)
    guard first >= needed else { throw TIFFFault("a directory that stands in the header, or nowhere") }
    wanted = [Wanted(item: .directory(isPage: true), start: Int64(first))]
    seen = [Int64(first)]
    phase = .gap
  }

  private mutating func begin(_ item: Item) {
    content = []
    current = item
    switch item {
    case .directory:
      needed = isBig ? 8 : 2
      phase = .count
    case .values(let reference, _):
      needed = reference.count * reference.size
      phase = .content
    }
  }

  private mutating func readCount() throws(TIFFFault) {
    var fields = FieldReader(content, order: order)
    let count = fields.number(needed)
    guard 1...Self.mostEntries ~= count else { throw TIFFFault("a directory of \(count) fields") }
    needed += count * (4 + 2 * word) + word
    phase = .content
  }

  private mutating func readContent() throws(TIFFFault) {
    phase = .gap
    tablesEnd = max(tablesEnd, position)
    switch current {
    case .directory(let isPage): try readDirectory(isPage: isPage)
    case .values(let reference, let index): try set(content[...], reference, index)
    case nil: break
    }
    // What stands before this place was passed already.
    while let next = wanted.first, next.start < position {
      guard case .values(let reference, let index) = next.item else { throw Self.backwards }
      wanted.removeFirst()
      let start = Int64(window.count) - (position - next.start)
      let length = Int64(reference.count * reference.size)
      if start >= 0, start + length <= window.count {
        try set(window[Int(start)..<Int(start + length)], reference, index)
      } else if reference.tag.isTable {
        throw TIFFFault("tables that stand too far before their directory to be checked")
      }
    }
  }

  private static let backwards = TIFFFault("directories that overlap, or refer backwards")

  private mutating func set(
    _ bytes: ArraySlice<UInt8>, _ reference: TIFFDirectory.Reference, _ index: Int
  ) throws(TIFFFault) {
    var fields = FieldReader(bytes, order: order)
    let values = (0..<reference.count).map { _ in fields.number(reference.size) }
    directories[index].set(reference.tag, values)
    guard reference.tag == .subdirectories else { return }
    for place in values { try wantDirectory(at: Int64(place), isPage: false) }
  }

  private mutating func readDirectory(isPage: Bool) throws(TIFFFault) {
    var fields = FieldReader(content, order: order)
    let count = fields.number(isBig ? 8 : 2)
    var directory = TIFFDirectory(isPage: isPage)
    var references: [TIFFDirectory.Reference] = []
    for _ in 0..<count {
      if let reference = try directory.read(&fields, isBig: isBig) { references.append(reference) }
    }
    let next = Int64(fields.number(word))
    let index = directories.count
    directories.append(directory)
    for reference in references { want(.values(reference, of: index), at: reference.start) }
    for place in directory.subdirectories { try wantDirectory(at: place, isPage: false) }
    if isPage, next != 0 { try wantDirectory(at: next, isPage: true) }
  }

  private mutating func wantDirectory(at place: Int64, isPage: Bool) throws(TIFFFault) {
    guard seen.insert(place).inserted else { throw Self.backwards }
    guard seen.count <= Self.mostDirectories else { throw TIFFFault("more than \(Self.mostDirectories) directories") }
    want(.directory(isPage: isPage), at: place)
  }

  private mutating func want(_ item: Item, at place: Int64) {
    let index = wanted.firstIndex { $0.start > place } ?? wanted.count
    wanted.insert(Wanted(item: item, start: place), at: index)
  }

  /// All directories and tables are there: what they tell is looked at.
  private mutating func complete() throws(InspectionFailure) {
    phase = .end
    window = []
    var frames = 0
    for directory in directories { end = max(end, directory.valuesEnd) }
    for directory in directories where directory.hasPicture {
      let facts = try directory.facts()
      try limits.admit(width: facts.width, height: facts.height, frames: 1)
      do throws(TIFFFault) { end = max(end, try directory.end()) } catch {
        throw .damaged(.tiff, at: position, reason: error.reason)
      }
      if directory.isFullPicture { frames += 1 }
      if found == nil { found = facts }
    }
    guard found != nil else { throw .damaged(.tiff, at: position, reason: "it has no picture") }
    found?.frames = max(1, frames)
    if let found { try limits.admit(width: found.width, height: found.height, frames: found.frames) }
  }

  /// Passes over bytes, of which the last ones before a directory are kept.
  private mutating func pass(_ bytes: Span<UInt8>, _ at: inout Int, count: Int) {
    let step = min(count, bytes.count - at)
    let ahead = (wanted.first?.start ?? 0) - position
    // Far from the next table nothing needs to be kept.
    let unkept = max(0, min(step, Int(clamping: ahead - Int64(Self.windowLength))))
    if unkept > 0 { window = [] }
    keep(bytes, at + unkept, step - unkept)
    at += step
    position += Int64(step)
  }

  private mutating func keep(_ bytes: Span<UInt8>, _ at: Int, _ count: Int) {
    // Dropped in large steps, so that a byte is moved once or twice.
    if window.count > 2 * Self.windowLength { window.removeFirst(window.count - Self.windowLength) }
    for place in at..<at + count { window.append(bytes[place]) }
  }

  /// A directory of a camera has some 60.
  private static let mostEntries = 4096
  /// More pages than a scanned book has.
  private static let mostDirectories = 1 << 14
  /// The tables of 16,000 strips.
  private static let windowLength = 128 << 10
}
