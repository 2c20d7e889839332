import ImgfetchCore

/// The last lines of a list's run, for a person: how many lines there were, which hosts and causes the failures have,
/// and what helps. A pure value.
struct Digest: Sendable {
  let summary: Summary
  let elapsedMilliseconds: Double
  /// The hosts of the failures that were told.
  let hosts: HostTally
  /// Failures that were known before, and so were not told.
  let known: Int
  /// True if the cache keeps the received part of a cancelled image.
  let keepsParts: Bool
  /// The value of `--failed-list`.
  let failedList: String?

  /// The lines to print, at most eight.
  var lines: [String] {
    var lines = [summary.sentence(elapsedMilliseconds: elapsedMilliseconds)]
    let failed = summary.failed - summary.brokenOff
    if known > 0 { lines[0] += "; \(Amount.grouped(known)) failed as in the run before" }
    // One failure was told just before.
    if failed - known > 1 {
      let all = hosts.hosts(atMost: .max)
      lines += all.prefix(Self.mostHosts).map(line)
      if all.count > Self.mostHosts { lines.append("  and others") }
    }
    if summary.keptInPart > 0, keepsParts {
      let verb = summary.keptInPart == 1 ? "was" : "were"
      lines.append(
        "what came of \(Amount.count(summary.keptInPart, "image")) that \(verb) broken off is kept for the next run")
    } else if failed - known > 1 {
      lines.append(
        failedList.map { "\(SafeText.text($0)) has the lines that failed, for another run" }
          ?? "--failed-list FILE keeps the lines that failed, for another run")
    }
    return lines
  }

  private static let mostHosts = 5

  /// `  290 of 300 at example.org, such as http://example.org/a.png: the server answered 404 Not Found`. A single
  /// failure was told just before.
  private func line(_ host: HostTally.Host) -> String {
    let count = "  \(Amount.grouped(host.failed)) of \(Amount.grouped(host.total)) at \(SafeText.text(host.name))"
    return host.failed == 1 ? count : "\(count), such as \(SafeText.text(host.message))"
  }
}
