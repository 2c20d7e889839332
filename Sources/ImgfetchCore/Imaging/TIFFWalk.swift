/// Walks a TIFF or a BigTIFF: its directories, and the places of each picture's strips or tiles. All of
/// their bytes must have come.
///
/// The file comes once, from its beginning to its end, while a TIFF's parts may be in any order. Writers put the values
/// of a directory behind it, or shortly before: so the bytes before the next directory are kept, up to a length. A
/// directory is judged when the last of its values has come, and then forgotten. All tables together are no longer than
/// the received part of the file, so none is read twice.
struct TIFFWalk: ImageWalk {
  private enum Phase: Sendable { case head, gap, count, content, end }

  private let limits: InspectionLimits
  private var phase = Phase.head
  private var order = ByteOrder.little
  /// True if offsets have 64 bits.
  private var isBig = false
  /// The bytes of the current structure, and the number that it needs.
  private var content: [UInt8] = []
  private var needed = 8
  private var current: TIFFAgenda.Item?
  private var agenda = TIFFAgenda()
  /// The directories that wait for values, with nil for a free slot.
  private var waiting: [TIFFDirectory?] = []
  private var free: [Int32] = []
  /// The number of directories that were read, and of inner ones that are still to be read.
  private var read: Int32 = 0
  private var inner = 0
  /// The length of all tables that were read.
  private var tablesLength = 0
  /// The bytes before the current place, which may contain values.
  private var window: [UInt8] = []
  private var position: Int64 = 0
  /// The place behind the last directory or table.
  private var tablesEnd: Int64 = 0
  private var end: Int64 = 0
  /// The end by what directories claim of their pictures.
  private var claimedEnd: Int64 = 0
  private var frames = 0
  /// The facts about the first picture in the order of the file, with its number.
  private var found: (number: Int32, facts: ImageFacts)?
  /// True if a directory stands before one that refers to it: programs that change the first page's put it at the end.
  /// Bytes that have passed cannot be read again, so the pages from there on are not counted.
  private var refersBackwards = false
  /// The first fault of a picture. It is reported after all directories have come, unless a worse one comes.
  private var fault: WalkFault?

  init(limits: InspectionLimits) { self.limits = limits }

  mutating func feed(_ bytes: Span<UInt8>) throws(InspectionFailure) {
    var at = 0
    while at < bytes.count {
      switch phase {
      case .gap:
        guard let next = agenda.first else { try complete(); break }
        pass(bytes, &at, count: Int(clamping: next.start - position))
        if position == next.start, let part = agenda.removeFirst() { begin(part.item) }
      case .head, .count, .content:
        let step = min(needed - content.count, bytes.count - at)
        content.append(copying: bytes.extracting(at..<at + step))
        if phase != .head { keep(bytes.extracting(at..<at + step)) }
        at += step
        position += Int64(step)
        guard content.count == needed else { break }
        try readPart()
        if phase == .gap, agenda.isEmpty { try complete() }
      case .end:
        position += Int64(bytes.count - at)
        at = bytes.count
      }
    }
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    guard phase == .end, position >= end else { throw .truncated(.tiff, at: position) }
    guard refersBackwards else { return .complete }
    return .doubtful(.damaged(.tiff, at: position, reason: "directories that overlap, or refer backwards"))
  }

  var facts: ImageFacts? {
    guard phase == .end, var facts = found?.facts else { return nil }
    facts.frames = max(1, frames)
    let isWrong = claimedEnd > position
    facts.trailingBytes = max(0, position - max(end, isWrong ? 0 : claimedEnd, tablesEnd))
    if isWrong { facts.flaws.insert(.wrongLength) }
    if refersBackwards { facts.flaws.insert(.uncountedPages) }
    return facts
  }

  private var word: Int { isBig ? 8 : 4 }

  private mutating func readPart() throws(InspectionFailure) {
    var settled: [TIFFDirectory] = []
    do throws(WalkFault) {
      switch phase {
      case .head: try readHead()
      case .count: try readCount()
      default: try readContent(&settled)
      }
    } catch {
      throw .damaged(.tiff, at: position, reason: error.reason)
    }
    for directory in settled { try judge(directory) }
  }

  private mutating func readHead() throws(WalkFault) {
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
    guard first >= needed else { throw WalkFault("a directory that stands in the header, or nowhere") }
    agenda.insert(.directory(isPage: true), at: Int64(first))
    phase = .gap
  }

  private mutating func begin(_ item: TIFFAgenda.Item) {
    content = []
    current = item
    switch item {
    case .directory:
      needed = isBig ? 8 : 2
      phase = .count
    case .values(let values, _):
      needed = values.length
      phase = .content
      // Memory that is not written yet takes none, and one that grows takes twice as much.
      content.reserveCapacity(needed)
    }
  }

  private mutating func readCount() throws(WalkFault) {
    var fields = FieldReader(content, order: order)
    let count = fields.number(needed)
    guard 1...Self.mostEntries ~= count else { throw WalkFault("a directory of \(count) fields") }
    needed += count * (4 + 2 * word) + word
    phase = .content
  }

  /// Reads a directory or values. `settled` gets the directories that are complete with it.
  private mutating func readContent(_ settled: inout [TIFFDirectory]) throws(WalkFault) {
    phase = .gap
    tablesEnd = max(tablesEnd, position)
    let bytes = content
    content = []
    switch current {
    case .directory(let isPage): try readDirectory(bytes, isPage: isPage, &settled)
    case .values(let values, let slot): try set(bytes, values, slot, &settled)
    case nil: break
    }
    // Pieces before this place have already been passed.
    while let next = agenda.first, next.start < position {
      _ = agenda.removeFirst()
      guard case .values(let values, let slot) = next.item else {
        refersBackwards = true
        continue
      }
      let start = Int64(window.count) - (position - next.start)
      if start >= 0, start + Int64(values.length) <= window.count {
        try set(Array(window[Int(start)..<Int(start) + values.length]), values, slot, &settled)
      } else if values.tag.isTable {
        throw WalkFault("tables that stand too far before their directory to be checked")
      } else {
        settle(slot, &settled)
      }
    }
  }

  private mutating func set(
    _ bytes: [UInt8], _ values: TIFFDirectory.Reference, _ slot: Int32, _ settled: inout [TIFFDirectory]
  ) throws(WalkFault) {
    if values.tag.isTable {
      tablesLength += values.length
      guard tablesLength <= position else { throw WalkFault("tables that overlap") }
      guard tablesLength <= TIFFDirectory.longestTable else {
        throw WalkFault("tables of more than \(TIFFDirectory.longestTable >> 20) MB")
      }
    }
    let table = TIFFTable(bytes, count: Int(values.count), size: Int(values.size), order: order)
    if values.tag == .subdirectories { try wantDirectories(table) } else { waiting[Int(slot)]?.set(values.tag, table) }
    settle(slot, &settled)
  }

  /// Settles a value that a directory waits for, because it has come, or never will.
  private mutating func settle(_ slot: Int32, _ settled: inout [TIFFDirectory]) {
    waiting[Int(slot)]?.awaited -= 1
    guard let directory = waiting[Int(slot)], directory.awaited == 0 else { return }
    waiting[Int(slot)] = nil
    free.append(slot)
    settled.append(directory)
  }

  private mutating func readDirectory(
    _ bytes: [UInt8], isPage: Bool, _ settled: inout [TIFFDirectory]
  ) throws(WalkFault) {
    guard read < Self.mostDirectories else { throw WalkFault("more than \(Self.mostDirectories) directories") }
    var fields = FieldReader(bytes, order: order)
    let count = fields.number(isBig ? 8 : 2)
    var directory = TIFFDirectory(isPage: isPage, number: read)
    read += 1
    if !isPage { inner -= 1 }
    var elsewhere: [(values: TIFFDirectory.Reference, start: Int64)] = []
    for _ in 0..<count {
      switch try directory.read(&fields, isBig: isBig) {
      case .values(let values, let start): elsewhere.append((values, start))
      case .directories(let places): try wantDirectories(places)
      case .nothing: break
      }
    }
    end = max(end, directory.valuesEnd)
    let next = Int64(fields.number(word))
    if isPage, next != 0 { agenda.insert(.directory(isPage: true), at: next) }
    directory.awaited = UInt32(elsewhere.count)
    guard !elsewhere.isEmpty else { return settled.append(directory) }
    let slot = free.popLast() ?? Int32(clamping: waiting.count)
    guard slot < Self.mostWaiting else {
      throw WalkFault("more than \(Self.mostWaiting) directories whose values follow")
    }
    if Int(slot) == waiting.count { waiting.append(directory) } else { waiting[Int(slot)] = directory }
    for (values, start) in elsewhere { agenda.insert(.values(values, of: slot), at: start) }
  }

  private mutating func wantDirectories(_ places: TIFFTable) throws(WalkFault) {
    inner += places.count
    guard inner <= Self.mostInner else { throw WalkFault("more than \(Self.mostInner) directories within others") }
    for index in 0..<places.count { agenda.insert(.directory(isPage: false), at: Int64(places[index])) }
  }

  private mutating func judge(_ directory: TIFFDirectory) throws(InspectionFailure) {
    guard directory.hasPicture else { return }
    let facts = try directory.facts()
    try limits.admit(width: facts.width, height: facts.height, frames: 1)
    do throws(WalkFault) {
      let ends = try directory.ends()
      end = max(end, ends.pixels)
      claimedEnd = max(claimedEnd, ends.claimed)
    } catch { fault = fault ?? error }
    if directory.isFullPicture { frames += 1 }
    if found == nil || directory.number < found?.number ?? 0 { found = (directory.number, facts) }
  }

  /// Ends the walk when all directories and tables have come.
  private mutating func complete() throws(InspectionFailure) {
    phase = .end
    window = []
    waiting = []
    if let fault { throw .damaged(.tiff, at: position, reason: fault.reason) }
    guard found != nil else { throw .damaged(.tiff, at: position, reason: "it has no picture") }
  }

  /// Passes over bytes, of which the last ones before a directory are kept.
  private mutating func pass(_ bytes: Span<UInt8>, _ at: inout Int, count: Int) {
    let step = min(count, bytes.count - at)
    let ahead = (agenda.first?.start ?? 0) - position
    // Far from the next table nothing needs to be kept.
    let unkept = max(0, min(step, Int(clamping: ahead - Int64(Self.windowLength))))
    if unkept > 0 { window = [] }
    keep(bytes.extracting(at + unkept..<at + step))
    at += step
    position += Int64(step)
  }

  private mutating func keep(_ bytes: Span<UInt8>) {
    guard bytes.count < Self.windowLength else {
      window = []
      return window.append(copying: bytes.extracting(last: Self.windowLength))
    }
    // Dropped in large steps, so that a byte is moved once or twice.
    if window.count > 2 * Self.windowLength { window.removeFirst(window.count - Self.windowLength) }
    window.append(copying: bytes)
  }

  /// A directory of a camera has some 60.
  private static let mostEntries = 4096
  /// The most pages, more than a scanned book has.
  private static let mostDirectories: Int32 = 1 << 14
  /// The most incomplete directories, more than any writer leaves at a time: most write values beside their directory.
  private static let mostWaiting: Int32 = 1 << 11
  /// The most inner directories, more than the levels of detail of all pages of a slide.
  private static let mostInner = 1 << 11
  /// The tables of 16,000 strips.
  private static let windowLength = 128 << 10
}
