import ImgfetchCore
import TestSupport

// The conditions that hold after every failure.
extension FaultedOperation {
  /// The flaws in the state that a run has left, or none.
  func flaws(of run: FaultedRun, _ fault: Fault, _ origin: String, in place: TemporaryFolder) throws -> [String] {
    try outputFlaws(run, in: place) + endingFlaws(run, fault) + cacheFlaws(run, fault, origin, in: place)
      + litter(run, fault, in: place)
  }

  /// A file is the image, or unchanged.
  private func outputFlaws(_ run: FaultedRun, in place: TemporaryFolder) -> [String] {
    var flaws: [String] = []
    for name in names {
      let found = place.read("work/\(name)")
      if found == Self.image(name) { continue }
      let isAsBefore = found == before(name)
      let isStale = found == Self.image(name, isNew: false) && run.error.contains("a stored image is served")
      if !isStale, run.exitCode == 0 || !isAsBefore { flaws.append("\(name) is wrong") }
    }
    return flaws
  }

  private func endingFlaws(_ run: FaultedRun, _ fault: Fault) -> [String] {
    if run.signal != nil { return fault == .end && run.signal == 9 ? [] : ["signal \(run.signal ?? 0)"] }
    var flaws = run.leaks.isEmpty ? [] : ["\(run.leaks) stayed open"]
    guard let code = fault.code, !fault.isHarmless, run.call != nil else {
      if run.exitCode != 0 || !run.error.isEmpty { flaws.append("exit \(run.exitCode ?? -1): \(run.error)") }
      return flaws
    }
    let expected: Int32 =
      switch run.error {
      case let said where said.contains("the configuration cannot be read"): 2
      case let said where said.contains("the stored image cannot be read"): 7
      case let said where said.contains(".jpg: cannot be written") || said.contains("standard output"): 7
      case let said where said.contains("no connection could be opened"): 7
      case let said where said.contains("warning: ") || said.isEmpty: 0
      default: 3
      }
    if run.exitCode != expected { flaws.append("exit \(run.exitCode ?? -1): \(run.error)") }
    if expected != 0, !run.error.lowercased().contains(code.description.lowercased()) { flaws.append(run.error) }
    return flaws
  }

  private func cacheFlaws(
    _ run: FaultedRun, _ fault: Fault, _ origin: String, in place: TemporaryFolder
  ) throws -> [String] {
    var flaws: [String] = []
    let namespace = "home/.cache/imgfetch/v1/default"
    let stored = place.files(in: namespace).filter {
      $0 != "ledger" && !$0.hasSuffix(".part") && !$0.contains(".imgfetch-")
    }
    let lengths = stored.map { Command.size(of: place.path("\(namespace)/\($0)")) ?? 0 }
    let cache = try DiskCache.open(root: place.path("home/.cache/imgfetch"))
    let noted = try cache.size()
    let isNoted = noted == CacheUsage(bytes: Int64(lengths.reduce(0, +)), entries: Int64(stored.count))
    // A process that cannot open the ledger, or ask for the length of a replaced file, notes nothing. When a process
    // ends, both threads that write may be between a change and its note. It stays so until the next cleaning.
    let mayBeOff = fault == .end ? 2 : run.call == nil ? 0 : 1
    if !isNoted, mayBeOff == 0 || abs(Int(noted.entries) - stored.count) > mayBeOff {
      flaws.append("\(noted) is noted, \(lengths) are there")
    }
    // A look-up checks the hash of so small an entry, and removes damaged ones.
    let entries = urls(origin).compactMap { cache.lookup(CacheKey(url: $0)) }
    if entries.count < stored.count { flaws.append("of \(stored) some are damaged") }
    for entry in entries {
      guard case .bytes(let body) = entry.body.content, Self.images.values.contains(body) else {
        flaws.append("\(entry.key.url) is stored wrongly")
        continue
      }
    }
    return flaws
  }

  /// The files that should not be left.
  private func litter(_ run: FaultedRun, _ fault: Fault, in place: TemporaryFolder) -> [String] {
    let unfinished = place.files().filter { name in
      // If it cannot be told whether the part is the one that was locked, an empty part is left for the next process.
      name.contains("/.imgfetch-") || (name.hasSuffix(".part") && Command.size(of: place.path(name)) != 0)
    }
    let others = (place.files(in: "work") + place.files(in: "tmp")).filter { !names.contains($0) }
    let litter = Set(unfinished + others.filter { !$0.hasPrefix(".imgfetch-") })
    let allowed =
      switch fault {
      // Each of the two threads that write may have had one in hand.
      case .end: 2
      // A file that cannot be removed stays; a part that is not whole is kept for the next run.
      default:
        run.call == SystemCall.unlinkat.rawValue || run.exitCode != 0 || (self == .resume && run.call != nil) ? 1 : 0
      }
    return litter.count > allowed ? ["\(litter.sorted()) stayed"] : []
  }
}
