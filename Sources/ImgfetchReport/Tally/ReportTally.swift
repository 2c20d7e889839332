/// The counts over any number of rows. A pure value of bounded size.
package struct ReportTally: Sendable {
  package struct Format: Sendable {
    package var count = 0
    package var bytes: Int64 = 0
    package var sizes = Quantiles()
    /// Counts by powers of two of their bytes.
    package var bySize = [Int](repeating: 0, count: 40)
  }

  /// The failures of one cause, with the message of the first.
  package struct Failures: Sendable {
    package var count = 0
    package var message = ""
    package var url = ""
  }

  package private(set) var rows = 0
  package private(set) var failed = 0
  package private(set) var summaries = 0
  package private(set) var incomplete = 0
  /// Runs whose rows end without a summary: they were broken off, or are still running.
  package private(set) var unended = 0
  /// True after a row of a run, until its summary comes.
  private var isInRun = false
  /// Objects about shards.
  package private(set) var shards = 0
  /// Lines that are not rows.
  package private(set) var strange = 0
  package private(set) var revalidated = 0
  package private(set) var shared = 0
  package private(set) var stale = 0
  package private(set) var flawed = 0
  /// Images that were not delivered, since another one is the same.
  package private(set) var leftOut = 0
  /// Images that were listed, and not fetched.
  package private(set) var listed = 0
  package private(set) var repeated = 0
  package private(set) var bytes: Int64 = 0
  package private(set) var downloaded: Int64 = 0
  package private(set) var firstTime: Int64?
  package private(set) var lastTime: Int64?

  package private(set) var caches = Counts<Int>(most: 16)
  package private(set) var timesByCache = Counts<Quantiles>(most: 16)
  package private(set) var written = Counts<Int>(most: 16)
  package private(set) var consent = Counts<Int>(most: 16)
  package private(set) var formats = Counts<Format>(most: 64)
  package private(set) var kinds = Counts<Int>(most: 64)
  package private(set) var causes = Counts<Failures>(most: 256)
  package private(set) var times = Quantiles()
  package private(set) var sizes = Quantiles()
  package private(set) var hosts = HostTable()
  package private(set) var timeline = Timeline()

  package private(set) var largest: TopSamples
  package private(set) var smallest: TopSamples
  package private(set) var slowest: TopSamples
  package private(set) var unfit: SeededSamples
  package private(set) var any: SeededSamples

  /// The kinds of failures of images that came and did not pass.
  private static let checks: Set<String> = ["not-image", "damaged", "limit", "checksum", "truncated"]

  /// - Parameters:
  ///   - samples: The number of rows that are kept of each sort.
  ///   - seed: The choice where there are more.
  package init(samples: Int = 24, seed: UInt64 = 1) {
    largest = TopSamples(most: samples)
    smallest = TopSamples(most: samples)
    slowest = TopSamples(most: samples)
    unfit = SeededSamples(most: samples, seed: seed)
    any = SeededSamples(most: 3 * samples, seed: seed)
  }

  package var images: Int { rows - failed }

  /// Counts a line that is not a row.
  package mutating func addStrange() { strange += 1 }

  /// Counts an object about a shard.
  package mutating func addShard() { shards += 1 }

  package mutating func addSummary(_ row: Row) {
    isInRun = false
    summaries += 1
    if !row.isComplete { incomplete += 1 }
  }

  /// Ends a file or a stream.
  package mutating func endInput() {
    if isInRun { unended += 1 }
    isInRun = false
  }

  /// True if all runs came to their ends, and read and answered every line.
  package var isComplete: Bool { incomplete == 0 && unended == 0 }

  /// Counts a row of an image or of a failure.
  package mutating func add(_ row: Row, in bytes: Span<UInt8>) {
    rows += 1
    let number = rows
    // Rows of shards, caches and files have no time, and no run of which they tell.
    if !row.time.isEmpty { isInRun = true }
    if let time = RowNumber.seconds(bytes, row.time) {
      firstTime = min(firstTime ?? time, time)
      lastTime = max(lastTime ?? time, time)
      timeline.add(time, failed: row.hasFailed, bytes: row.downloaded)
    }
    downloaded &+= row.downloaded
    if row.attempts > 1 { repeated += 1 }
    if !row.verdict.isEmpty { consent.add(row.verdict.string(in: bytes, most: 16)) }
    hosts.add(row, in: bytes)
    if row.hasFailed { addFailure(row, number, in: bytes) } else { addImage(row, number, in: bytes) }
  }

  private mutating func addFailure(_ row: Row, _ number: Int, in bytes: Span<UInt8>) {
    failed += 1
    let kind = row.errorKind.isEmpty ? "unknown" : row.errorKind.string(in: bytes, most: 32)
    kinds.add(kind)
    causes.change(
      row.cause(in: bytes),
      from: Failures(
        message: row.message.string(in: bytes, most: 512), url: row.address.string(in: bytes, most: 512))
    ) { $0.count += 1 }
    if Self.checks.contains(kind) { unfit.add(number) { Sample(row, number, in: bytes) } }
  }

  private mutating func addImage(_ row: Row, _ number: Int, in bytes: Span<UInt8>) {
    let size = row.bytes ?? 0
    self.bytes &+= size
    if row.isRevalidated { revalidated += 1 }
    if row.isShared { shared += 1 }
    if row.isStale { stale += 1 }
    if row.hasFlaws { flawed += 1 }
    if !row.duplicateOf.isEmpty { leftOut += 1 }
    if row.isListed { listed += 1 }
    let cache = row.cache.isEmpty ? "" : row.cache.string(in: bytes, most: 16)
    if !cache.isEmpty { caches.add(cache) }
    if !row.written.isEmpty { written.add(row.written.string(in: bytes, most: 16)) }
    if let elapsed = row.elapsed {
      times.add(elapsed)
      if !cache.isEmpty { timesByCache.change(cache, from: Quantiles()) { $0.add(elapsed) } }
      slowest.add(Int64(min(elapsed, 1e15) * 1_000)) { Sample(row, number, in: bytes) }
    }
    if row.bytes != nil {
      sizes.add(Double(size))
      largest.add(size) { Sample(row, number, in: bytes) }
      smallest.add(-size) { Sample(row, number, in: bytes) }
    }
    if let word = row.formatWord(in: bytes) {
      formats.change(word, from: Format()) { format in
        format.count += 1
        format.bytes &+= size
        format.sizes.add(Double(size))
        format.bySize[min(39, max(0, 63 - max(size, 1).leadingZeroBitCount))] += 1
      }
    }
    any.add(number) { Sample(row, number, in: bytes) }
  }
}
