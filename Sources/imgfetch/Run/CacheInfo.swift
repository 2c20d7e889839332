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

/// All that is known of an entry, for a person, a pipe or a program.
struct EntryInfo {
  private let standing: EntryStanding
  /// Further entries of its URL.
  private let others: Int

  init(_ standing: EntryStanding, others: Int) {
    self.standing = standing
    self.others = others
  }

  private var metadata: EntryMetadata { standing.metadata }

  /// A name and a value each: in columns for a person, with a TAB between for a pipe.
  func lines(isForPerson: Bool) -> [String] {
    func time(_ time: WallTime) -> String { isForPerson ? ShownTime.local(time) : time.timestamp }
    let facts = metadata.facts
    let (etag, lastModified) = standing.validators
    var lines: [String] = []
    func add(_ name: String, _ value: String?) {
      guard let value else { return }
      let shown = SafeText.text(value)
      lines.append(isForPerson ? Cells.padded(name + ":", to: 15) + shown : "\(name)\t\(shown)")
    }
    let key = metadata.key.url
    add("key", key)
    add("came from", metadata.finalURL == key ? nil : metadata.finalURL)
    add("status", "\(metadata.status)")
    add("type", metadata.mime)
    add("size", facts.map { "\($0.width)x\($0.height)" })
    add("bytes", "\(standing.entry.body.count)")
    add("verified", metadata.verification.name)
    add("stored", time(standing.stored))
    add("confirmed", standing.confirmed.map(time))
    add("used", time(standing.lastUsed))
    add("etag", etag)
    add("last modified", lastModified)
    add("gone", metadata.gone.map { "since \(time($0.since)): \($0.reason)" })
    add("fresh until", standing.freshUntil.map(time))
    add("get would", deed)
    add("because", standing.rule)
    add("address", metadata.provenance.place)
    switch metadata.provenance.otherOrigins {
    case nil: add("by way of", "unknown")
    case let origins? where origins.isEmpty: break
    case let origins?: add("by way of", origins.joined(separator: " "))
    }
    add("read-only", standing.entry.isReadOnly ? "yes" : nil)
    add("others", others == 0 ? nil : "\(others) more of this URL: of other askers, or made of it")
    add("file", standing.path)
    return lines
  }

  private var deed: String {
    let (etag, lastModified) = standing.validators
    switch standing.deed {
    case .serve: return "serve it"
    case .ask: return etag == nil && lastModified == nil ? "ask for it anew" : "ask whether it is right"
    case .fetch: return "fetch it"
    }
  }

  func append(json buffer: inout [UInt8]) {
    var isFirst = true
    func name(_ name: String) {
      buffer.append(text: isFirst ? "{\"\(name)\":" : ",\"\(name)\":")
      isFirst = false
    }
    func put(_ field: String, _ text: String?) {
      name(field)
      if let text { buffer.append(json: text) } else { buffer.append(text: "null") }
    }
    func put(_ field: String, raw: String) {
      name(field)
      buffer.append(text: raw)
    }
    func put(_ field: String, _ number: Int?) { put(field, raw: number.map { "\($0)" } ?? "null") }
    let facts = metadata.facts
    put("key", metadata.key.url)
    put("final_url", metadata.finalURL)
    put("status", metadata.status)
    put("mime", metadata.mime)
    put("format", facts?.format.rawValue)
    put("width", facts?.width)
    put("height", facts?.height)
    put("bytes", Int(clamping: standing.entry.body.count))
    put("verification", metadata.verification.name)
    put("stored", standing.stored.timestamp)
    put("confirmed", standing.confirmed?.timestamp)
    put("last_used", standing.lastUsed.timestamp)
    put("etag", standing.validators.etag)
    put("last_modified", standing.validators.lastModified)
    name("gone")
    if let gone = metadata.gone {
      buffer.append(text: "{\"status\":\(gone.status),\"since\":\"\(gone.since.timestamp)\"}")
    } else {
      buffer.append(text: "null")
    }
    put("fresh_until", standing.freshUntil?.timestamp)
    put("would", standing.deed.rawValue)
    put("rule", standing.rule)
    put("address", metadata.provenance.place)
    name("origins")
    if let origins = metadata.provenance.otherOrigins {
      buffer.append(text: "[")
      for (place, origin) in origins.enumerated() {
        if place > 0 { buffer.append(text: ",") }
        buffer.append(json: origin)
      }
      buffer.append(text: "]")
    } else {
      buffer.append(text: "null")
    }
    put("read_only", raw: standing.entry.isReadOnly ? "true" : "false")
    put("others", others)
    put("path", standing.path)
    buffer.append(text: "}\n")
  }
}
