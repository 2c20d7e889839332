import ImgfetchCore

/// What became of a whole run, in numbers.
struct Summary: Hashable, Sendable {
  var total = 0
  var none = 0
  var memory = 0
  var disk = 0
  var revalidated = 0
  var shared = 0
  var stale = 0
  var failed = 0
  /// Of those that failed, what this side broke off: a signal came, or one failure was enough.
  var brokenOff = 0
  /// Bytes of the images that were delivered.
  var bytes: Int64 = 0
  /// Bytes of bodies that came over the network.
  var downloaded: Int64 = 0
  /// Lines of lists that were read, comments and blank ones too: what a script compares with its own count.
  var lines = 0
  /// Lines and operands that were not tried, since the run was broken off.
  var untried = 0
  /// Whether there was more than them: the writer of a list had not come to its end.
  var hasMore = false
  /// Whether every line of the lists was read and had its answer, and nothing broke the run off.
  var isComplete = false

  mutating func add(_ result: FetchResult) {
    total += 1
    if let error = result.error {
      failed += 1
      if error.kind == .cancelled { brokenOff += 1 }
    } else {
      switch result.cache {
      case .some(.none): none += 1
      case .memory: memory += 1
      case .disk: disk += 1
      case nil: break
      }
      if result.isRevalidated { revalidated += 1 }
      if result.isShared { shared += 1 }
      if result.isStale { stale += 1 }
      bytes &+= result.bytes ?? 0
    }
    downloaded &+= result.downloaded
  }

  /// Images for which nothing was asked, since their outputs were there.
  var kept: Int { total - none - memory - disk - failed }

  /// The last line of `--json`.
  func appendJSON(elapsedMilliseconds: Double, to buffer: inout [UInt8]) {
    buffer.append(text: "{\"summary\":{\"total\":")
    buffer.append(number: total)
    // Nothing answers as a remote cache yet. The place is taken, so that the fields keep their order.
    append([("none", none), ("memory", memory), ("disk", disk), ("remote", 0)], to: &buffer)
    buffer.append(text: ",\"complete\":")
    buffer.append(json: isComplete)
    append(
      [("lines", lines), ("revalidated", revalidated), ("shared", shared), ("stale", stale), ("failed", failed)],
      to: &buffer)
    buffer.append(text: ",\"bytes\":")
    buffer.append(number: bytes)
    buffer.append(text: ",\"downloaded\":")
    buffer.append(number: downloaded)
    buffer.append(text: ",\"elapsed_ms\":")
    buffer.append(milliseconds: elapsedMilliseconds)
    buffer.append(text: "}}\n")
  }

  private func append(_ counts: [(name: String, count: Int)], to buffer: inout [UInt8]) {
    for (name, count) in counts {
      buffer.append(text: ",\"\(name)\":")
      buffer.append(number: count)
    }
  }

  /// For a person: `12 images: 9 downloaded, 2 from disk, 1 failed; 4.2 MB downloaded in 3.4 s`.
  func sentence(elapsedMilliseconds: Double) -> String {
    var parts: [String] = []
    func part(_ count: Int, _ what: String) { if count > 0 { parts.append("\(Amount.grouped(count)) \(what)") } }
    // Those that rode along were answered over the network too, but downloaded once.
    part(none, "downloaded")
    part(memory, "from memory")
    part(disk, "from disk")
    part(kept, "kept")
    part(failed - brokenOff, "failed")
    part(brokenOff, "broken off")
    var notes: [String] = []
    if shared > 0 { notes.append("\(Amount.grouped(shared)) shared a download") }
    if revalidated > 0 { notes.append("\(Amount.grouped(revalidated)) revalidated") }
    if stale > 0 { notes.append("\(Amount.grouped(stale)) stale") }
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
