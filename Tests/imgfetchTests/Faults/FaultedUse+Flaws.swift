import ImgfetchCore
import TestSupport

// The conditions that hold afterwards, by a row of the table with the outcome.
extension FaultedUse {
  /// The flaws in the state that a run has left, or none.
  func flaws(
    of run: FaultedRun, _ row: CallTable.Row, _ code: Errno, _ stage: Stage, in place: TemporaryFolder
  ) throws -> [String] {
    var flaws = run.hits == 0 ? ["the call was never made"] : []
    flaws += endingFlaws(of: run, row.outcome.ending(ending))
    if row.outcome.ending(ending) != ending, !run.error.lowercased().contains(code.description.lowercased()) {
      flaws.append("the error is not named")
    }
    if !run.leaks.isEmpty { flaws.append("\(run.leaks) stayed open") }
    flaws += try contentFlaws(
      file: row.outcome.writes ? file.after : file.before, entry: row.outcome.stores ? entry.after : entry.before,
      stage, in: place)
    let left = litter(in: place)
    let part = left.filter { $0.hasSuffix(".part") }
    switch (row.call, row.outcome) {
    // A file that cannot be removed stays.
    case (.unlinkat, _): break
    case (_, .nothing) where self == .breakOff: if part.count != 1 || left != part { flaws.append("left: \(left)") }
    default: if !left.isEmpty { flaws.append("left: \(left)") }
    }
    return flaws.isEmpty ? [] : flaws + ["exit \(run.exitCode ?? -1), signal \(run.signal ?? 0): \(run.error)"]
  }

  /// The flaws of a later run in which nothing fails.
  func flaws(
    ofNext run: FaultedRun, after outcome: FaultedOutcome, _ stage: Stage, in place: TemporaryFolder
  ) throws -> [String] {
    // The broken-off body is resumed, and its rest is short enough for the server.
    let isRest = if case .nothing = outcome { self == .breakOff } else { false }
    var flaws = endingFlaws(of: run, isRest ? .wordless : ending)
    flaws += try contentFlaws(
      file: isRest ? Self.largeImage : file.after, entry: isRest ? Self.largeImage : entry.after, stage, in: place)
    return flaws.isEmpty ? [] : flaws + ["exit \(run.exitCode ?? -1), signal \(run.signal ?? 0): \(run.error)"]
  }

  private func endingFlaws(of run: FaultedRun, _ expected: FaultedOutcome.Ending) -> [String] {
    var flaws: [String] = []
    if run.exitCode != expected.code { flaws.append("not exit \(expected.code)") }
    // Hints and a summary may go with it. A failure at every closing of a file happens at that of standard output, too.
    let said = run.error.split(separator: "\n").filter { line in
      !line.hasPrefix("Try '") && !line.hasPrefix("1 image: ")
        && (!line.hasPrefix("imgfetch: standard output: ") || expected.words == FaultedOutcome.reportFailure)
    }
    if let words = expected.words {
      if said.count != 1 || !run.error.contains(words) { flaws.append("not one message with '\(words)'") }
    } else if !said.isEmpty {
      flaws.append("not silent")
    }
    return flaws
  }

  private func contentFlaws(
    file: [UInt8]?, entry: [UInt8]?, _ stage: Stage, in place: TemporaryFolder
  ) throws -> [String] {
    var flaws: [String] = []
    let found = self == .toSocket ? file : place.read("work/\(name)")
    if found != file { flaws.append("the file is \(found.map { "\($0.count) bytes" } ?? "missing")") }
    let cache = try DiskCache.open(root: place.path("home/.cache/imgfetch"))
    var stored: [UInt8]?
    if let body = cache.lookup(key(stage))?.body {
      var bytes: [UInt8] = []
      try body.read { piece in bytes.append(copying: piece) }
      stored = bytes
    }
    if stored != entry { flaws.append("the cache has \(stored.map { "\($0.count) bytes" } ?? "nothing")") }
    return flaws
  }

  /// The files that should not be left, or that were made and got no bytes.
  private func litter(in place: TemporaryFolder) -> [String] {
    let unfinished = place.files().filter { $0.hasSuffix(".part") || $0.contains("/.imgfetch-") }
    let known = ["work/\(name)", "work/list.txt"]
    let others = place.files().filter { ($0.hasPrefix("work/") || $0.hasPrefix("tmp/")) && !known.contains($0) }
    let empty = place.files(in: "home").map { "home/\($0)" }.filter { Command.size(of: place.path($0)) == 0 }
    return Set(unfinished + others + empty).sorted()
  }
}
