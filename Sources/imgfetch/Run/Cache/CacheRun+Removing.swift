import ImgfetchCore

// `cache clean`, `cache clear` and `cache remove`.
extension CacheRun {
  func clean(_ maxAge: Instant.Span, _ maxSize: Int, isDryRun: Bool) throws -> Int32 {
    let done = try cache.clean(maximumAge: maxAge.seconds, maximumSize: Int64(maxSize), isDryRun: isDryRun)
    let verb = isDryRun ? "would remove" : "removed"
    let litter = done.temporaries == 0 ? "" : " and \(Amount.count(done.temporaries, "leftover file"))"
    report.tell(
      words: "\(verb) \(done.removed.words)\(litter); \(done.left.words) left",
      lines: [done.removed.line, done.left.line],
      json: """
        {"removed":\(done.removed.json),"left":\(done.left.json),"leftovers":\(done.temporaries),"dry_run":\(isDryRun)}
        """)
    return ExitCode.success
  }

  func clear() throws -> Int32 {
    tell(gone: try cache.clear())
    return ExitCode.success
  }

  func remove(_ texts: [String]) throws -> Int32 {
    // All of them are looked at before any is removed: a mistyped one means that nothing was done.
    let all = try texts.flatMap { try keys(meantBy: $0) }
    var gone = CacheUsage()
    for key in all { gone += try cache.remove(key) }
    tell(gone: gone)
    return ExitCode.success
  }

  private func tell(gone: CacheUsage) {
    report.tell(words: "removed \(gone.words)", lines: [gone.line], json: "{\"removed\":\(gone.json)}")
  }
}
