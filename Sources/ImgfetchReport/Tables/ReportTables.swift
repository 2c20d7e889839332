/// Makes the tables of a report from its findings. Each is short enough for a person to read.
package enum ReportTables {
  /// The number of hosts, causes and largest images in a table.
  package static let mostRows = 20
  /// The number of images that are named for each change.
  private static let mostExamples = 5

  package static func all(_ findings: ReportFindings, mostRows: Int = mostRows) -> [ReportTable] {
    let tally = findings.tally
    let tables: [ReportTable?] = [
      outcomes(tally), findings.changes.map(changes), causes(tally, mostRows), hosts(tally, mostRows), formats(tally),
      times(tally), sizes(tally), words("written", "Files", "file", tally.written, fileNames),
      words("consent", "What owners say of use", "verdict", tally.consent), duplicates(findings),
    ]
    return tables.compactMap(\.self).filter { !$0.rows.isEmpty }
  }

  private static func share(_ part: Int, _ whole: Int) -> ReportTable.Cell {
    whole > 0 ? .share(Double(part) / Double(whole)) : .nothing
  }

  private static func outcomes(_ tally: ReportTally) -> ReportTable {
    var table = ReportTable(
      id: "outcomes", title: "What became of them", columns: [.text("outcome"), .number("lines"), .number("share")],
      rows: [])
    func add(_ name: String, _ count: Int) {
      if count > 0 { table.rows.append([.text(name), .count(count), share(count, tally.rows)]) }
    }
    for (word, count) in tally.caches.sorted(by: { $0 }) { add(cacheNames[word] ?? word, count) }
    add("listed, not fetched", tally.listed)
    add("images of unknown cache", tally.images - tally.caches.total - tally.listed)
    add("failed", tally.failed)
    let notes = [
      ("revalidated", tally.revalidated), ("stale", tally.stale), ("shared a download", tally.shared),
      ("flawed, but whole", tally.flawed), ("left out, as duplicates", tally.leftOut),
      ("asked for more than once", tally.repeated),
    ]
    table.note = notes.filter { $0.1 > 0 }.map { "\($0.1) \($0.0)" }.joined(separator: ", ")
    return table
  }

  private static let cacheNames = [
    "none": "downloaded", "memory": "from memory", "disk": "from disk", "remote": "from the remote cache",
  ]

  private static func causes(_ tally: ReportTally, _ most: Int) -> ReportTable {
    let causes = tally.causes.sorted { $0.count }
    var table = ReportTable(
      id: "causes", title: "Failures by cause",
      columns: [.text("cause"), .number("failed"), .number("share"), .text("such as")],
      rows: causes.prefix(most).map { cause, failures in
        [.text(cause), .count(failures.count), share(failures.count, tally.failed), .text(failures.message)]
      })
    if causes.count > most { table.note = "and \(causes.count - most) other causes" }
    return table
  }

  private static func hosts(_ tally: ReportTally, _ most: Int) -> ReportTable {
    let count = tally.hosts.failing
    var table = ReportTable(
      id: "hosts", title: "Failures by host",
      columns: [
        .text("host"), .number("failed"), .number("of"), .number("share"), .text("causes"), .text("such as"),
      ],
      rows: tally.hosts.failing(most: most).map { failing in
        let (failed, total) = (Int(failing.host.failed), Int(failing.host.total))
        return [
          .text(failing.host.name), .count(failed), .count(total), share(failed, total),
          .text(failing.causes.prefix(3).map { "\($0.value) \($0.word)" }.joined(separator: ", ")),
          .text(failing.message),
        ]
      })
    if count > most { table.note = "and \(count - most) other hosts" }
    if !tally.hosts.isExact {
      table.note += (table.note.isEmpty ? "" : "; ") + "of so many hosts the counts are approximate: at least these"
    }
    return table
  }

  private static func formats(_ tally: ReportTally) -> ReportTable {
    ReportTable(
      id: "formats", title: "Formats",
      columns: [
        .text("format"), .number("images"), .number("share"), .number("bytes"), .number("median"), .number("largest"),
      ],
      rows: tally.formats.sorted { $0.count }.map { word, format in
        [
          .text(word), .count(format.count), share(format.count, tally.images), .bytes(format.bytes),
          bytes(format.sizes.value(at: 0.5)), bytes(format.sizes.count > 0 ? format.sizes.most : nil),
        ]
      })
  }

  private static func bytes(_ value: Double?) -> ReportTable.Cell {
    value.map { .bytes(Int64(min($0, 1e18))) } ?? .nothing
  }

  private static func times(_ tally: ReportTally) -> ReportTable {
    var table = ReportTable(
      id: "times", title: "Times",
      columns: [
        .text("cache"), .number("images"), .number("median"), .number("95 %"), .number("99 %"), .number("most"),
      ],
      rows: [])
    func add(_ name: String, _ times: Quantiles) {
      let cells = [0.5, 0.95, 0.99, 1].map { part in
        times.value(at: part).map { ReportTable.Cell.milliseconds($0) } ?? .nothing
      }
      if times.count > 0 { table.rows.append([.text(name), .count(times.count)] + cells) }
    }
    for (word, times) in tally.timesByCache.sorted(by: { $0.count }) { add(cacheNames[word] ?? word, times) }
    if table.rows.count != 1 { add("all", tally.times) }
    return table
  }

  private static func sizes(_ tally: ReportTally) -> ReportTable {
    sampleTable("largest", "The largest by bytes", Array(tally.largest.samples.prefix(mostRows)))
  }

  /// A table of images by their size.
  static func sampleTable(_ id: String, _ title: String, _ samples: [Sample]) -> ReportTable {
    ReportTable(
      id: id, title: title, columns: [.number("bytes"), .number("pixels"), .text("format"), .text("image")],
      rows: samples.map { sample in
        [
          sample.bytes.map { .bytes($0) } ?? .nothing, pixels(sample), .text(sample.format), .text(sample.url),
        ]
      })
  }

  static func pixels(_ sample: Sample) -> ReportTable.Cell {
    guard let width = sample.width, let height = sample.height else { return .nothing }
    return .text("\(width)x\(height)")
  }

  private static func words(
    _ id: String, _ title: String, _ name: String, _ counts: Counts<Int>, _ names: [String: String] = [:]
  ) -> ReportTable {
    ReportTable(
      id: id, title: title, columns: [.text(name), .number("images"), .number("share")],
      rows: counts.sorted { $0 }.map { word, count in
        [.text(names[word] ?? word), .count(count), share(count, counts.total)]
      })
  }

  /// Other words than those of the changes since an earlier run: a file is replaced when its image changes, and may be
  /// missing although its image is the same.
  private static let fileNames = [
    "new": "made", "changed": "replaced", "same": "up to date", "kept": "kept, not written",
  ]

  private static func changes(_ changes: ChangeFindings) -> ReportTable {
    let names: [(Change, String)] = [
      (.new, "new"), (.changed, "changed"), (.gone, "gone"), (.failing, "newly failing"), (.fixed, "fixed"),
      (.stillFailing, "still failing"), (.same, "the same"),
    ]
    var table = ReportTable(
      id: "changes", title: "Since \(changes.earlier)",
      columns: [.text("change"), .number("images"), .text("such as")], rows: [])
    for (change, name) in names where changes.count(change) > 0 || change == .changed {
      let examples = (changes.examples[change] ?? []).prefix(mostExamples).map { sample in
        sample.cause.isEmpty ? sample.url : "\(sample.url) (\(sample.cause))"
      }
      table.rows.append([.text(name), .count(changes.count(change)), .text(examples.first ?? "")])
      for example in examples.dropFirst() { table.rows.append([.text(name), .text(""), .text(example)]) }
    }
    let before = changes.before
    table.note = "then: \(before.images) image\(before.images == 1 ? "" : "s"), \(before.failed) failed"
    if changes.inexact > 0 {
      table.note += "; \(changes.inexact) compared by size and format, since a row has no checksum (--checksum)"
    }
    return table
  }

  private static func duplicates(_ findings: ReportFindings) -> ReportTable {
    var table = ReportTable(
      id: "duplicates", title: "Duplicates",
      columns: [
        .text("by"), .number("compared"), .number("groups"), .number("too many"), .number("bytes"), .text("such as"),
      ],
      rows: findings.duplicates.filter { $0.compared > 0 }.map { found in
        [
          .text(found.rule.text), .count(found.compared), .count(found.groups), .count(found.extra),
          .bytes(found.bytes),
          .text(found.shown.first?.prefix(2).map(\.url).joined(separator: " = ") ?? ""),
        ]
      })
    if findings.duplicates.contains(where: \.isOfFirst) {
      table.note = "Only the first images were compared; --duplicates compares all"
    }
    return table
  }
}
