import ImgfetchCore

/// Prints what a `cache` command found or did: words for a terminal, TAB-separated fields for a pipe, or JSON.
struct CacheReport {
  enum Form: Sendable {
    case words
    case lines
    case json
  }

  let form: Form
  /// True if actions are reported. Answers to questions are always printed.
  let reportsActions: Bool
  private let printer: Printer
  private let printed = Guarded<Set<String>>([])
  /// The hashes of the keys that were printed: there may be a million.
  private let printedKeys = Guarded<Set<ContentHash>>([])

  init(_ settings: Settings) {
    form = settings.report.isJSON ? .json : ProcessEnvironment.isTerminal(1) ? .words : .lines
    reportsActions = !settings.messages.quiet || settings.report.isJSON
    printer = Printer(.standardOutput, flushing: .whenFull)
  }

  func print(_ line: String) { printer.print(line) }

  func print(_ append: (inout [UInt8]) -> Void) { printer.print(append) }

  /// Prints a line if it was not printed before: a heading.
  func printOnce(_ line: String) {
    if printed.withLock({ $0.insert(line).inserted }) { printer.print(line) }
  }

  /// Prints a key, ended by NUL, if it was not printed before: several answers of a URL have one key.
  func printOnce(key: CacheKey) {
    guard printedKeys.withLock({ $0.insert(key.hash).inserted }) else { return }
    printer.print { buffer in
      buffer.append(text: key.url)
      buffer.append(0)
    }
  }

  /// Reports an action in the selected form.
  func action(words: @autoclosure () -> String, lines: @autoclosure () -> [String], json: @autoclosure () -> String) {
    guard reportsActions else { return }
    switch form {
    case .words: print(words())
    case .lines: for line in lines() { print(line) }
    case .json: print(json())
    }
  }

  /// True if the reader has gone.
  var hasLostReader: Bool { printer.failure != nil }

  /// Writes everything out.
  func finish(_ code: Int32, _ messages: Messages) -> Int32 {
    printer.flush()
    guard let failure = printer.failure else { return code }
    if failure.code == .brokenPipe { return ExitCode.brokenPipe }
    messages.error(Printer.message(of: failure))
    return code == ExitCode.success ? ExitCode.file : code
  }
}

extension CacheUsage {
  /// `12 images, 3.4 MB`.
  var words: String { "\(Amount.count(Int(clamping: entries), "image")), \(Amount.size(bytes))" }
  /// `ENTRIES<TAB>BYTES`.
  var line: String { "\(entries)\t\(bytes)" }
  var json: String { "{\"entries\":\(entries),\"bytes\":\(bytes)}" }
}

/// Prints an entry of the cache in the forms of `cache list`.
enum EntryReport {
  /// `key  bytes  stored  last used  type  width  height`.
  static func append(fields entry: DiskCache.Listed, to buffer: inout [UInt8]) {
    let tab = UInt8(ascii: "\t")
    SafeText.append(entry.metadata.key.url, to: &buffer, for: .program)
    buffer.append(tab)
    buffer.append(number: entry.bytes)
    for time in [entry.stored, entry.lastUsed] {
      buffer.append(tab)
      buffer.append(text: time.timestamp)
    }
    buffer.append(tab)
    SafeText.append(entry.metadata.mime, to: &buffer, for: .program)
    for number in [entry.metadata.facts?.width, entry.metadata.facts?.height] {
      buffer.append(tab)
      if let number { buffer.append(number: number) } else { buffer.append(UInt8(ascii: "-")) }
    }
    buffer.append(UInt8(ascii: "\n"))
  }

  static func append(json entry: DiskCache.Listed, to buffer: inout [UInt8]) {
    let metadata = entry.metadata
    ObjectWriter.appendLine(to: &buffer) { object in
      object.text("key", metadata.key.url)
      object.text("final_url", metadata.finalURL)
      object.number("status", metadata.status)
      object.text("mime", metadata.mime)
      object.number("width", metadata.facts?.width)
      object.number("height", metadata.facts?.height)
      object.number("frames", metadata.facts?.frames)
      object.number("bytes", entry.bytes)
      object.text("stored", entry.stored.timestamp)
      object.text("last_used", entry.lastUsed.timestamp)
      object.text("path", entry.path)
      object.flag("derived", metadata.key.derivation != nil)
      object.flag("gone", metadata.gone != nil)
    }
  }

  /// Appends an entry in columns. The key comes last, since it may be long.
  static func append(forPerson entry: DiskCache.Listed, to buffer: inout [UInt8]) {
    let facts = entry.metadata.facts
    let columns = [
      ShownTime.local(entry.stored),
      ShownTime.local(entry.lastUsed),
      Cells.rightAligned(Amount.size(entry.bytes), in: 7),
      Cells.rightAligned(facts.map { "\($0.width)x\($0.height)" } ?? "-", in: 9),
      Cells.padded(facts?.format.rawValue ?? "-", to: 4),
      SafeText.text(entry.metadata.key.url),
    ]
    buffer.append(text: columns.joined(separator: "  "))
    buffer.append(UInt8(ascii: "\n"))
  }

  /// The line above the columns.
  static let heading = [
    Cells.padded("STORED", to: 22), Cells.padded("USED", to: 22), Cells.rightAligned("BYTES", in: 7),
    Cells.rightAligned("PIXELS", in: 9), "TYPE", "KEY",
  ].joined(separator: "  ")
}
