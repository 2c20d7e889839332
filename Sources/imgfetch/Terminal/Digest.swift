import ImgfetchCore

/// The last lines of a list's run, for a person: how many lines there were, which hosts and causes the failures have,
/// and what helps. A pure value.
struct Digest: Sendable {
  /// The place of the failures, which decides how their lines are tried once more.
  enum Failures: Sendable {
    /// Each was told when it happened. The file that `--failed-list` has written, or nil if the option was not given.
    case told(list: String?)
    /// Each was told, and no list has their lines: it could not be written, went to a stream, or the run was a trial.
    case toldOnly
    /// They are in the rows of shards, and were not told.
    case inShards
  }

  let summary: Summary
  let elapsedMilliseconds: Double
  /// The hosts of the failures that were told.
  let hosts: HostTally
  /// Failures that were known before, and so were not told.
  let known: Int
  /// True if the cache keeps the received part of a cancelled image.
  let keepsParts: Bool
  let failures: Failures

  /// The lines to print, at most eight.
  var lines: [String] {
    var lines = [summary.sentence(elapsedMilliseconds: elapsedMilliseconds)]
    let failed = summary.failed - summary.brokenOff - known
    if known > 0 { lines[0] += "; \(Amount.grouped(known)) failed as in the run before" }
    // One failure was told just before.
    let saysMore = failed > (wereTold ? 1 : 0)
    if saysMore {
      let all = hosts.hosts(atMost: .max)
      lines += all.prefix(Self.mostHosts).map(line)
      if all.count > Self.mostHosts { lines.append("  and others") }
    }
    if summary.keptInPart > 0, keepsParts {
      let verb = summary.keptInPart == 1 ? "was" : "were"
      lines.append(
        "what came of \(Amount.count(summary.keptInPart, "image")) that \(verb) broken off is kept for the next run")
    } else if saysMore, let help {
      lines.append(help)
    }
    return lines
  }

  /// True if each failure was told when it happened.
  private var wereTold: Bool { if case .inShards = failures { false } else { true } }

  /// The way to try the failed lines once more; nil if there is none, since nothing has them.
  private var help: String? {
    switch failures {
    case .told(list: let list?): "\(SafeText.text(list)) has the lines that failed, for another run"
    case .told(list: nil): "--failed-list FILE keeps the lines that failed, for another run"
    case .inShards where (summary.shards ?? 0) > 0:
      "pack --again, with the same options, tries the failed lines of finished shards once more"
    case .inShards, .toldOnly: nil
    }
  }

  private static let mostHosts = 5

  /// `  290 of 300 at example.org, such as http://example.org/a.png: the server answered 404 Not Found`. A single
  /// failure that was told just before is only counted.
  private func line(_ host: HostTally.Host) -> String {
    let count = "  \(Amount.grouped(host.failed)) of \(Amount.grouped(host.total)) at \(SafeText.text(host.name))"
    if wereTold, host.failed == 1 { return count }
    return "\(count), such as \(SafeText.text(host.message))"
  }
}
