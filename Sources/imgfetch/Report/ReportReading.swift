import ImgfetchCore
import ImgfetchReport

/// Reads rows for a report: counts them, remembers what tells duplicates, compares them with earlier ones, and hands on
/// those that are listed.
struct ReportReading {
  /// The findings that are wanted besides the counts.
  struct Wanted {
    var checksums = false
    var looks: LooksRule?
    /// True if images in shards are to be read again.
    var images = false
    /// The number of images that are compared, the first ones, or nil if all are.
    var mostCompared: Int?
    /// Takes the rows that are listed as they come.
    var list: Choices.RowList?
  }

  private(set) var tally: ReportTally
  private(set) var changes: ChangeFindings?
  private(set) var checksums = ChecksumTable()
  private(set) var looks: LooksRows
  private(set) var archive: RowArchive
  /// The inputs whose rows come from shards, by the numbers in the places of their images.
  private(set) var shardInputs: [RowInput] = []
  /// True if there were more images that could be compared by this, and for which there was no room.
  private var hasMore = (checksums: false, looks: false)
  private var earlier = EarlierRows()
  /// The number of the run that the rows are of. A summary ends a run.
  private var run: UInt32 = 0
  private var lastRun: UInt32 = 0
  private var runsOfSets: [String: UInt32] = [:]
  private let wanted: Wanted
  private var scanner = RowScanner()
  private var row = Row()
  /// Takes rows that are to be listed at once.
  private let listing: (Row, Span<UInt8>) -> Void

  init(
    _ wanted: Wanted, tally: ReportTally, temporaryFolder: String, listing: @escaping (Row, Span<UInt8>) -> Void
  ) {
    self.wanted = wanted
    self.tally = tally
    self.listing = listing
    looks = LooksRows(wanted.looks ?? LooksRule())
    archive = RowArchive(temporaryFolder: temporaryFolder)
  }

  /// Reads what an earlier run has told.
  mutating func readEarlier(_ input: RowInput) throws(FetchError) {
    let number = input.file.flatMap { archive.add($0) }
    let shards = shardNumber(of: input)
    var (kept, rows, reader, current) = (archive, EarlierRows(), RowScanner(), Row())
    var isOfRun = true
    try input.forEach(number: shards) { (line, place) throws(FetchError) in
      guard reader.scan(line, &current), current.kind == .image || current.kind == .summary else {
        return isOfRun = false
      }
      guard current.kind == .image, !current.identity.isEmpty else { return }
      rows.add(current, in: line, place: try Self.place(place, number, line, &kept))
    }
    // The list of a run may have been empty.
    guard rows.count > 0 || isOfRun else { throw FetchError(.file, input.name, "there are no rows in it") }
    rows.sort()
    (archive, earlier) = (kept, rows)
    changes = ChangeFindings(
      earlier: input.name, before: (images: earlier.count - earlier.failed, failed: earlier.failed))
  }

  /// The number of an input in the places of images.
  private mutating func shardNumber(of input: RowInput) -> Int {
    if wanted.images, input.shardSet != nil { shardInputs.append(input) }
    return shardInputs.count - 1
  }

  private static func place(
    _ place: RowPlace, _ number: UInt64?, _ line: Span<UInt8>, _ archive: inout RowArchive
  ) throws(FetchError) -> UInt64 {
    if case .line(let offset) = place, let number { return RowArchive.place(offset, in: number) }
    return try archive.keep(line, image: place.image)
  }

  /// Begins the rows of a run. The shards of one set are of one run, however many of them are inputs by themselves.
  private mutating func beginRun(_ shardSet: String? = nil) {
    if let shardSet, let known = runsOfSets[shardSet] { return run = known }
    lastRun &+= 1
    run = lastRun
    if let shardSet { runsOfSets[shardSet] = run }
  }

  mutating func read(_ input: RowInput) throws(FetchError) {
    beginRun(input.shardSet)
    let number = input.file.flatMap { archive.add($0) }
    let shards = shardNumber(of: input)
    // One owner at a time, or all would be copied for each row.
    var reading = self
    self.tally = ReportTally()
    defer { self = reading }
    try input.forEach(number: shards) { (line, place) throws(FetchError) in try reading.take(line, place, number) }
    reading.tally.endInput()
  }

  private mutating func take(_ line: Span<UInt8>, _ place: RowPlace, _ number: UInt64?) throws(FetchError) {
    guard scanner.scan(line, &row) else { return tally.addStrange() }
    row.image = place.image
    switch row.kind {
    case .summary:
      tally.addSummary(row)
      beginRun()
    case .shard: tally.addShard()
    case .other: tally.addStrange()
    case .image:
      tally.add(row, in: line)
      let change = compare(line)
      switch wanted.list {
      case .failed? where row.hasFailed: listing(row, line)
      case .changed? where changes != nil ? change == .changed : row.isChanged(in: line): listing(row, line)
      default: break
      }
      if row.isImage { try remember(line, place, number) }
    }
  }

  private mutating func compare(_ line: Span<UInt8>) -> Change? {
    guard changes != nil, !row.identity.isEmpty, let change = earlier.change(row, in: line) else { return nil }
    let (row, number) = (row, tally.rows)
    changes?.add(change) { Sample(row, number, in: line) }
    return change
  }

  /// True if a further image is compared.
  private var hasRoom: Bool {
    guard let most = wanted.mostCompared else { return true }
    return max(checksums.count, looks.count) < most
  }

  /// Remembers what tells duplicates.
  private mutating func remember(_ line: Span<UInt8>, _ place: RowPlace, _ number: UInt64?) throws(FetchError) {
    let hasChecksum = wanted.checksums && !row.checksum.isEmpty
    let hasLooks = wanted.looks != nil && !row.dhash.isEmpty && !row.phash.isEmpty
    guard hasRoom else {
      hasMore = (hasMore.checksums || hasChecksum, hasMore.looks || hasLooks)
      return
    }
    guard hasChecksum || hasLooks else { return }
    let place = try Self.place(place, number, line, &archive)
    let key = UInt32(truncatingIfNeeded: RowKey.hash(row.identity, in: line))
    if hasChecksum {
      _ = checksums.add(row.checksum, in: line, place: place, line: row.order(in: line), key: key, run: run)
    }
    if hasLooks { _ = looks.add(row, in: line, place: place, key: key, run: run) }
  }

  // MARK: Afterwards

  /// Ends the reading: counts what is gone.
  mutating func finish() {
    guard changes != nil else { return }
    let places = earlier.gone
    var scanner = scanner
    let samples = places.prefix(ChangeFindings.mostExamples).map { Self.sample(at: $0, archive, &scanner) }
    changes?.end(gone: places.count, samples, inexact: earlier.inexact)
  }

  /// The row at a place, as a sample for the page.
  func sample(at place: UInt64) -> Sample {
    var scanner = scanner
    return Self.sample(at: place, archive, &scanner)
  }

  private static func sample(at place: UInt64, _ archive: RowArchive, _ scanner: inout RowScanner) -> Sample {
    let bytes = archive.row(at: place)
    var row = Row()
    guard scanner.scan(bytes.span, &row) else { return Sample() }
    row.image = archive.image(at: place)
    return Sample(row, 0, in: bytes.span)
  }

  /// Takes each group of duplicates, as places of rows, the one that counts first.
  func forEachGroup(_ rule: DuplicateRule, _ kept: KeptDuplicate, _ take: ([UInt64]) -> Void) {
    func order(_ group: [UInt64]) { take(kept == .first ? group : Self.sorted(group, group.map { sample(at: $0) })) }
    switch rule {
    case .bytes: checksums.forEachGroup(order)
    case .looks: looks.forEachGroup(order)
    }
  }

  /// The largest first.
  private static func sorted(_ group: [UInt64], _ samples: [Sample]) -> [UInt64] {
    var numbered = samples
    for place in numbered.indices { numbered[place].row = place }
    return KeptDuplicate.largest.sorted(numbered).map { group[$0.row] }
  }

  /// Counts the duplicates by a rule, and keeps some groups to be shown.
  func duplicates(_ rule: DuplicateRule, _ kept: KeptDuplicate, shown most: Int) -> DuplicateFindings {
    let (compared, isOfFirst) =
      if case .bytes = rule { (checksums.count, hasMore.checksums) } else { (looks.count, hasMore.looks) }
    var findings = DuplicateFindings(rule: rule, compared: compared, isOfFirst: isOfFirst)
    forEachGroup(rule, kept) { group in
      findings.groups += 1
      findings.extra += group.count - 1
      var samples: [Sample] = []
      for place in group.dropFirst().prefix(Self.mostMeasured) {
        let sample = sample(at: place)
        findings.bytes &+= sample.bytes ?? 0
        if findings.shown.count < most, samples.count < 7 { samples.append(sample) }
      }
      if findings.shown.count < most { findings.shown.append([sample(at: group[0])] + samples) }
    }
    return findings
  }

  /// More duplicates of one image are not read again to be measured.
  private static let mostMeasured = 100_000
}

extension Sample {
  var pixels: Int { (width ?? 0) &* (height ?? 0) }
}
