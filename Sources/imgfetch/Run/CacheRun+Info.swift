import ImgfetchCore

// `cache info`.
extension CacheRun {
  func info(_ texts: [String]) throws -> Int32 {
    let now = SystemClock().wallTime()
    var code = ExitCode.success
    var isFirst = true
    for text in texts {
      let found = try first(meantBy: text) { cache.standing(of: $0, settings.fetch, now: now) }
      guard let found else {
        code = tellAbsent(text)
        continue
      }
      var others = 0
      try cache.list(of: found.metadata.key) { entry in
        if entry.metadata.key != found.metadata.key { others += 1 }
        return true
      }
      if report.form == .json {
        report.print { EntryInfo(found, others: others).append(json: &$0) }
      } else {
        if !isFirst { report.print("") }
        isFirst = false
        for line in EntryInfo(found, others: others).lines(isForPerson: report.form == .words) { report.print(line) }
      }
    }
    return code
  }
}
