import ImgfetchCore

/// The numbers of a whole run.
struct Summary: Hashable, Sendable {
  var total = 0
  var caches = CacheCounts()
  var revalidated = 0
  var shared = 0
  var stale = 0
  var failed = 0
  /// Failed images that were cancelled by this program, after a signal or with --fail-fast.
  var brokenOff = 0
  /// Broken-off images of which something had come.
  var keptInPart = 0
  /// True if nothing was fetched: what is counted would have been.
  var isDryRun = false
  var unanswering = UnansweringHosts()
  /// The number of failures of each kind.
  var kinds: [FetchError.Kind: Int] = [:]
  var hosts = HostTally()
  /// Bytes of the images that were delivered.
  var bytes: Int64 = 0
  /// Bytes of bodies that came over the network.
  var downloaded: Int64 = 0
  /// Lines of lists that were read, including comments and blank lines, for comparison with a script's own count.
  var lines = 0
  /// Lines and operands that were not tried, since the run was interrupted.
  var untried = 0
  /// True if there was more input: the writer of a list had not finished.
  var hasMore = false
  /// True if every line of the lists was read and answered, and nothing interrupted the run.
  var isComplete = false
  /// Files, by what became of them.
  var written = WrittenCounts()
  /// Shards that are there; nil where no data set is made.
  var shards: Int?
  /// The time at which the run began.
  var started = WallTime(seconds: 0)

  /// Counts an image. The answer is what to tell, if it is the first that is given up with its host.
  @discardableResult
  mutating func add(_ result: FetchResult) -> String? {
    total += 1
    var message: String?
    if let error = result.error {
      failed += 1
      message = unanswering.add(error, at: result.failedURL)
      kinds[error.kind, default: 0] += 1
      if error.kind == .cancelled {
        brokenOff += 1
        if result.downloaded > 0 { keptInPart += 1 }
      }
    } else {
      caches.add(result.answerer)
      if result.isRevalidated { revalidated += 1 }
      if result.isShared { shared += 1 }
      if result.isStale { stale += 1 }
      bytes &+= result.bytes ?? 0
      written.add(result.written)
    }
    downloaded &+= result.downloaded
    hosts.add(result)
    return message
  }

  /// Images that were not requested, since their outputs existed.
  var kept: Int { total - caches.all - failed }

  /// Appends the last line of `--json`.
  func appendJSON(elapsedMilliseconds: Double, to buffer: inout [UInt8]) {
    ObjectWriter.appendLine(to: &buffer) { line in
      line.object("summary") { object in
        object.raw("started") { buffer in
          buffer.append(UInt8(ascii: "\""))
          started.appendExactTimestamp(to: &buffer)
          buffer.append(UInt8(ascii: "\""))
        }
        object.text("version", ImgfetchVersion.number)
        object.number("total", total)
        for (name, count) in caches.named { object.number(name, count) }
        object.flag("complete", isComplete)
        object.number("lines", lines)
        object.number("revalidated", revalidated)
        object.number("shared", shared)
        object.number("stale", stale)
        object.number("failed", failed)
        object.number("bytes", bytes)
        object.number("downloaded", downloaded)
        object.milliseconds("elapsed_ms", elapsedMilliseconds)
        written.append(to: &object)
        appendFailures(to: &object)
        if let shards { object.number("shards", shards) }
      }
    }
  }

  /// The number of hosts that messages name.
  private static let mostHosts = 20

  private func appendFailures(to object: inout ObjectWriter) {
    object.object("kinds") { object in
      for kind in FetchError.Kind.allCases { if let count = kinds[kind] { object.number(kind.rawValue, count) } }
    }
    object.array("hosts", hosts.hosts(atMost: Self.mostHosts)) {
      $0.text("host", $1.name)
      $0.number("failed", $1.failed)
      $0.number("total", $1.total)
      $0.text("message", $1.message)
    }
  }

  /// The summary for a person: `12 images: 9 downloaded, 2 from disk, 1 failed; 4.2 MB downloaded in 3.4 s`.
  func sentence(elapsedMilliseconds: Double) -> String {
    var parts: [String] = []
    func part(_ count: Int, _ what: String) { if count > 0 { parts.append("\(Amount.grouped(count)) \(what)") } }
    // Shared answers came over the network, too, but were downloaded once.
    part(caches.none, isDryRun ? "to be downloaded" : "downloaded")
    part(caches.memory, "from memory")
    part(caches.disk, "from disk")
    part(caches.remote, "from the remote cache")
    part(kept, "kept")
    part(failed - brokenOff, "failed")
    part(brokenOff, "broken off")
    var notes: [String] = []
    if shared > 0 { notes.append("\(Amount.grouped(shared)) shared a download") }
    if revalidated > 0 { notes.append("\(Amount.grouped(revalidated)) revalidated") }
    if stale > 0 { notes.append("\(Amount.grouped(stale)) stale") }
    if !unanswering.isEmpty { notes.append(unanswering.sentence) }
    let counts = parts.isEmpty ? "" : ": " + parts.joined(separator: ", ")
    let remark = notes.isEmpty ? "" : " (\(notes.joined(separator: ", ")))"
    let time = Amount.duration(milliseconds: elapsedMilliseconds)
    let sum = "\(Amount.count(total, "image"))\(counts)\(remark); \(Amount.size(downloaded)) downloaded in \(time)"
    if isComplete { return sum }
    var rest = lines > 0 ? [Amount.count(lines, "line") + " read"] : []
    if untried > 0 { rest.append("\(Amount.grouped(untried)) not tried") }
    if hasMore { rest.append("and more was to come") }
    return sum + "; not complete" + (rest.isEmpty ? "" : ": " + rest.joined(separator: ", "))
  }
}
