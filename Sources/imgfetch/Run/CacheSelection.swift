import ImgfetchCore

/// The entries that the arguments of `cache list` and `cache remove` mean. An argument that is the URL of an entry
/// means that entry; in any other, a `*` stands for any text.
struct CacheSelection {
  /// The keys of whole URLs.
  private(set) var keys: [CacheKey] = []
  private(set) var patterns: [KeyPattern] = []

  init(_ texts: [String], in run: CacheRun) throws {
    for text in texts {
      guard text.utf8.contains(Glob.wildcard) else {
        keys += try run.keys(meantBy: text)
        continue
      }
      let meant = (try? run.keys(meantBy: text)) ?? []
      let present = try meant.filter { try run.has($0) }
      if present.isEmpty { patterns.append(KeyPattern(text)) } else { keys += present }
    }
  }

  /// Passes each entry that is meant to `take`, until that returns false.
  func each(in cache: DiskCache, _ take: (DiskCache.Listed) -> Bool) throws {
    var isWanted = true
    func pass(_ entry: DiskCache.Listed) -> Bool {
      isWanted = isWanted && take(entry)
      return isWanted
    }
    guard !patterns.isEmpty else {
      var seen: Set<String> = []
      for key in keys where isWanted && seen.insert(key.url).inserted { try cache.list(of: key, pass) }
      return
    }
    let urls = Set(keys.map(\.url))
    try cache.list { entry in
      let url = entry.metadata.key.url
      return urls.contains(url) || patterns.contains { $0.matches(url) } ? pass(entry) : isWanted
    }
  }
}

extension CacheRun {
  /// True if there is an entry under a key, for any identity.
  func has(_ key: CacheKey) throws -> Bool {
    var isThere = false
    try cache.list(of: key) { _ in
      isThere = true
      return false
    }
    return isThere
  }
}

// `cache list` and `cache remove`.
extension CacheRun {
  func list(_ patterns: [String]) throws -> Int32 {
    let selection = try patterns.isEmpty ? nil : CacheSelection(patterns, in: self)
    try printAll { take in if let selection { try selection.each(in: cache, take) } else { try cache.list(take) } }
    return ExitCode.success
  }

  /// Prints entries, in the order that is wanted.
  private func printAll(_ each: ((DiskCache.Listed) -> Bool) throws -> Void) throws {
    guard let order = settings.cache.order else {
      return try each { entry in
        print(listed: entry)
        return !report.hasLostReader
      }
    }
    var entries: [DiskCache.Listed] = []
    try each { entry in
      entries.append(entry)
      return true
    }
    entries.sort { order.puts($0, before: $1) }
    for entry in entries where !report.hasLostReader { print(listed: entry) }
  }

  private func print(listed entry: DiskCache.Listed) {
    guard settings.cache.printsKeysOnly else { return print(entry) }
    // A derived entry has its image's key. Keys are printed to be fetched again, so each is printed once.
    if entry.metadata.key.derivation == nil { report.printOnce(key: entry.metadata.key) }
  }

  func remove(_ patterns: [String]) throws -> Int32 {
    // All are checked before any is removed: after a mistyped one, nothing has been done.
    let selection = try CacheSelection(patterns, in: self)
    if settings.cache.isDryRun {
      try printAll { try selection.each(in: cache, $0) }
      return ExitCode.success
    }
    var urls = Set(selection.keys.map(\.url))
    if !selection.patterns.isEmpty {
      try selection.each(in: cache) { entry in
        urls.insert(entry.metadata.key.url)
        return true
      }
    }
    var removed = CacheUsage()
    var obstacle: CacheFailure?
    for url in urls {
      do throws(CacheFailure) { removed += try cache.remove(CacheKey(url: url)) } catch {
        guard case .notRemoved = error else { throw error }
        obstacle = obstacle ?? error
      }
    }
    report(removed: removed)
    if let obstacle { throw obstacle }
    return ExitCode.success
  }
}

extension Choices.EntryOrder {
  /// Equal ones are in the order of their keys.
  func puts(_ left: DiskCache.Listed, before right: DiskCache.Listed) -> Bool {
    switch self {
    case .key: break
    case .size where left.bytes != right.bytes: return left.bytes > right.bytes
    case .stored where left.stored != right.stored: return left.stored > right.stored
    case .used where left.lastUsed != right.lastUsed: return left.lastUsed > right.lastUsed
    case .size, .stored, .used: break
    }
    return left.metadata.key.url.utf8.lexicographicallyPrecedes(right.metadata.key.url.utf8)
  }
}
