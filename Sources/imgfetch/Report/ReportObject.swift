import ImgfetchCore
import ImgfetchReport

/// Writes a report as one JSON object, whose fields have the names that they have in the summary of a run.
enum ReportObject {
  /// The number of hosts and causes that are told.
  private static let mostRows = 100

  static func append(_ findings: ReportFindings, to buffer: inout [UInt8]) {
    let tally = findings.tally
    ObjectWriter.appendLine(to: &buffer) { append(findings, tally, to: &$0) }
  }

  private static func append(_ findings: ReportFindings, _ tally: ReportTally, to object: inout ObjectWriter) {
    object.number("rows", tally.rows)
    object.number("images", tally.images)
    object.number("failed", tally.failed)
    object.number("runs", tally.summaries)
    object.flag("complete", tally.isComplete)
    object.time("first", tally.firstTime)
    object.time("last", tally.lastTime)
    object.number("bytes", Int(tally.bytes))
    object.number("downloaded", Int(tally.downloaded))
    object.counts("caches", tally.caches)
    for (name, count) in [
      ("revalidated", tally.revalidated), ("shared", tally.shared), ("stale", tally.stale), ("flawed", tally.flawed),
      ("left_out", tally.leftOut),
    ] { object.number(name, count) }
    object.counts("written", tally.written)
    object.counts("kinds", tally.kinds)
    object.array("causes", tally.causes.sorted { $0.count }.prefix(mostRows)) { cause, failures in
      cause.text("cause", failures.word)
      cause.number("failed", failures.value.count)
      cause.text("message", failures.value.message)
      cause.text("url", failures.value.url)
    }
    object.array("hosts", tally.hosts.failing(most: mostRows)) { host, failing in
      host.text("host", failing.host.name)
      host.number("failed", Int(failing.host.failed))
      host.number("total", Int(failing.host.total))
      host.text("message", failing.message)
      host.object("causes") { causes in for (word, count) in failing.causes { causes.number(word, count) } }
    }
    object.flag("hosts_exact", tally.hosts.isExact)
    object.object("formats") { formats in
      for (word, format) in tally.formats.sorted(by: { $0.count }) {
        formats.object(word) {
          $0.number("images", format.count)
          $0.number("bytes", Int(format.bytes))
          $0.quantiles("sizes", format.sizes)
        }
      }
    }
    object.quantiles("sizes", tally.sizes)
    object.quantiles("times", tally.times)
    object.object("times_by_cache") { caches in
      for (word, times) in tally.timesByCache.sorted(by: { $0.count }) { caches.quantiles(word, times) }
    }
    object.counts("consent", tally.consent)
    object.object("duplicates") { duplicates in
      for found in findings.duplicates {
        duplicates.object(found.rule == .bytes ? "bytes" : "looks") { append(found, to: &$0) }
      }
    }
    if let changes = findings.changes { object.object("against") { append(changes, to: &$0) } }
    object.samples("largest", Array(tally.largest.samples.prefix(20)))
    object.samples("smallest", Array(tally.smallest.samples.prefix(20)))
  }

  private static func append(_ found: DuplicateFindings, to object: inout ObjectWriter) {
    object.number("compared", found.compared)
    object.flag("exact", !found.isOfFirst)
    object.number("groups", found.groups)
    object.number("extra", found.extra)
    object.number("bytes", Int(found.bytes))
    object.raw("examples") { buffer in
      buffer.append(UInt8(ascii: "["))
      for (place, group) in found.shown.enumerated() {
        if place > 0 { buffer.append(UInt8(ascii: ",")) }
        append(group, to: &buffer)
      }
      buffer.append(UInt8(ascii: "]"))
    }
  }

  private static func append(_ changes: ChangeFindings, to object: inout ObjectWriter) {
    object.text("rows", changes.earlier)
    for change in Change.allCases { object.number(change.rawValue, changes.count(change)) }
    object.number("inexact", changes.inexact)
    object.object("before") { before in
      before.number("images", changes.before.images)
      before.number("failed", changes.before.failed)
    }
    object.object("examples") { examples in
      for change in Change.allCases {
        guard let samples = changes.examples[change], !samples.isEmpty else { continue }
        examples.samples(change.rawValue, samples)
      }
    }
  }

  /// An array of rows, with what is shown of each.
  static func append(_ samples: [Sample], to buffer: inout [UInt8]) {
    ObjectWriter.appendArray(of: samples, to: &buffer) { append($1, to: &$0) }
  }

  private static func append(_ sample: Sample, to object: inout ObjectWriter) {
    object.text("url", sample.url)
    if !sample.place.isEmpty { object.text("output", sample.place) }
    if let line = sample.line { object.number("line", line) }
    if !sample.format.isEmpty { object.text("format", sample.format) }
    if let width = sample.width { object.number("width", width) }
    if let height = sample.height { object.number("height", height) }
    if let bytes = sample.bytes { object.number("bytes", Int(bytes)) }
    if !sample.cause.isEmpty { object.text("error", sample.cause) }
  }
}

extension ObjectWriter {
  mutating func time(_ name: String, _ seconds: Int64?) {
    text(name, seconds.map { WallTime(seconds: $0).timestamp })
  }

  mutating func samples(_ name: String, _ samples: [Sample]) { raw(name) { ReportObject.append(samples, to: &$0) } }

  mutating func counts(_ name: String, _ counts: Counts<Int>) {
    object(name) { for (word, count) in counts.sorted(by: { $0 }) { $0.number(word, count) } }
  }

  /// The least, the median, the 95th and 99th percentile and the most; null where there are no values.
  mutating func quantiles(_ name: String, _ quantiles: Quantiles) {
    guard quantiles.count > 0 else { return raw(name) { $0.append(text: "null") } }
    object(name) {
      for (name, part) in [("min", 0.0), ("median", 0.5), ("p95", 0.95), ("p99", 0.99), ("max", 1)] {
        $0.milliseconds(name, quantiles.value(at: part) ?? 0)
      }
    }
  }
}
