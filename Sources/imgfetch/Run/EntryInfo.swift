import ImgfetchCore

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
    add("address", metadata.provenance.addressKind)
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
    let facts = metadata.facts
    ObjectWriter.appendLine(to: &buffer) { object in
      object.text("key", metadata.key.url)
      object.text("final_url", metadata.finalURL)
      object.number("status", metadata.status)
      object.text("mime", metadata.mime)
      object.text("format", facts?.format.rawValue)
      object.number("width", facts?.width)
      object.number("height", facts?.height)
      object.number("bytes", standing.entry.body.count)
      object.text("verification", metadata.verification.name)
      object.text("stored", standing.stored.timestamp)
      object.text("confirmed", standing.confirmed?.timestamp)
      object.text("last_used", standing.lastUsed.timestamp)
      object.text("etag", standing.validators.etag)
      object.text("last_modified", standing.validators.lastModified)
      if let gone = metadata.gone {
        object.object("gone") {
          $0.number("status", gone.status)
          $0.text("since", gone.since.timestamp)
        }
      } else {
        object.text("gone", nil)
      }
      object.text("fresh_until", standing.freshUntil?.timestamp)
      object.text("would", standing.deed.rawValue)
      object.text("rule", standing.rule)
      object.text("address", metadata.provenance.addressKind)
      object.texts("origins", metadata.provenance.otherOrigins)
      object.flag("read_only", standing.entry.isReadOnly)
      object.number("others", others)
      object.text("path", standing.path)
    }
  }
}
