import ImgfetchCore
import ImgfetchDataSet

/// Compares finished shards with a list, as far as it consists of files. Shards of a pipe's lines are compared when
/// their last line has been read.
struct ListComparison: Sendable {
  private let packing: Packing
  private let found: Guarded<RunFailure?>
  /// The shards, among those compared so far, that cover only the beginning of their present lines.
  let grown = Guarded<Set<ShardName>>([])
  private let isByHost: Bool
  private let keyFilter: KeyFilter
  private var list: InputList
  private var record = 0
  private var passed: PassedLines?

  /// Nil if a list is no file.
  init?(_ settings: Settings, _ folder: any ShardStore) {
    guard settings.find.sources.isEmpty else { return nil }
    for list in settings.list.inputs {
      guard list != "-", (try? Descriptor.status(ofFile: list).kind) == .regular else { return nil }
    }
    let found = Guarded<RunFailure?>(nil)
    self.found = found
    packing = Packing(
      settings, folder, isTrial: true, grown: grown,
      events: PackEvents(
        report: { _ in }, refuse: { _ in }, fail: { _, _ in },
        end: { message, code in found.withLock { $0 = RunFailure(message: message, exitCode: code) } },
        warn: { _ in }, whenClosed: { _ in }))
    isByHost = settings.dataSet.shardBy == .host
    keyFilter = settings.fetch.keyFilter
    list = InputList(
      operands: [], lists: settings.list.inputs, isNullEnded: settings.list.isNullEnded, format: settings.list.format,
      columns: settings.list.columns, urls: settings.list.urls)
  }

  /// Reads on. Returns true once all of the list has been compared.
  ///
  /// - Parameters:
  ///   - most: The number of bytes after which to return; nil to read to the end.
  ///   - isStopped: Called for each piece of the list. It returns true to stop.
  mutating func run(atMost most: Int64? = nil, isStopped: () -> Bool) throws(RunFailure) -> Bool {
    var count: Int64 = 0
    // A list that cannot be read is told of in its turn.
    while let length = try? next() {
      if let failure = found.withLock({ $0 }) { throw failure }
      count += Int64(length)
      if let most, count > most { return false }
      if isStopped() { return true }
    }
    if list.isDone {
      if let passed { packing.pass(passed) }
      packing.noteEndOfInput()
    }
    if let failure = found.withLock({ $0 }) { throw failure }
    return true
  }

  /// The length of the next records; nil at the end.
  private mutating func next() throws(InputList.Failure) -> Int? {
    if !isByHost { return try pass() }
    defer { record += 1 }
    switch try list.next() {
    case .line(let line):
      let key = ContentHash(of: keyFilter.key(for: line.url))
      _ = packing.take(record, line.text.utf8Span.span, under: list.header) { $0.owns(line.url.origin, key: key) }
      return line.text.utf8.count
    case .invalid(let line):
      _ = packing.take(record, line.text.span, under: list.header) { $0.part.contains(ContentHash(of: line.text.span)) }
      return line.text.count
    case .pending, nil: return nil
    }
  }

  /// Lines of one shard. Each is its part of the list by its number, so that none is parsed.
  private mutating func pass() throws(InputList.Failure) -> Int? {
    guard var lines = passed ?? packing.passing(from: record) else { return nil }
    defer {
      record = lines.next
      passed = lines.isAtEnd ? nil : lines
      if lines.isAtEnd { packing.pass(lines) }
    }
    var length = 0
    let header = list.header
    let count = list.passLines(atMost: lines.left) { text in
      length += text.count
      lines.add(text, under: header)
    }
    if count > 0 { return length }
    guard let text = try list.nextLine() else { return nil }
    lines.add(text.span, under: list.header)
    return text.count
  }
}
