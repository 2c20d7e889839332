import ImgfetchCore

/// Begins to download the list that is at a URL.
typealias RemoteLists = @Sendable (String) throws(InputList.Failure) -> RemoteList
/// Begins to read the sources whose images make a list.
typealias SourceLists = @Sendable () -> any ListStream

/// The input of a run: the operands, then the lists, read line by line, so that a list may have any length and may
/// still be written to.
struct InputList {
  /// The next part of the input.
  enum Item: Sendable {
    case line(InputLine)
    case invalid(InvalidLine)
    /// No line yet: the next read of this stream may block.
    case pending(SharedDescriptor)
  }

  /// The place from which a line can be read again.
  enum Place {
    /// The number of an operand, from 0.
    case operand(Int)
    case file(SharedDescriptor, name: String, offset: Int64)
    /// A stream, which cannot be read again.
    case stream(name: String)
  }

  /// A line as given.
  enum Text {
    case line(ArraySlice<UInt8>)
    case pending(SharedDescriptor)
  }

  /// A record before it is parsed.
  private enum Record {
    case operand(String)
    case line(ArraySlice<UInt8>)
    case tooLong
    case pending(SharedDescriptor)
  }

  /// A list that cannot be read, or not to its end.
  struct Failure: Error, Hashable {
    let name: String
    let reason: String
    /// The kind of failure of a list at a URL; nil for a list on this machine.
    var kind: FetchError.Kind?
    /// True if the list is what a source names, and not given as one.
    var isOfSource = false
    var message: String { isOfSource ? "\(name): \(reason)" : "\(name): the list cannot be read: \(reason)" }
  }

  private var operands: ArraySlice<String>
  private var paths: ArraySlice<String>
  private let isNullEnded: Bool
  private var format: Choices.ListFormat
  private let columns: ListColumns
  /// The format in which images of sources come.
  private let sourceFormat: Choices.ListFormat
  private let urls: URLReader
  /// True if a list that is something else by its bytes is an error, and not a list of invalid lines.
  private let refusesOthers: Bool
  /// The table that the records belong to; nil for a list of lines, and until the table's first record has come.
  private(set) var table: ListTable?
  /// The hash of the line that names the columns of the records, or nil if none does.
  var header: ContentHash? { table?.header.map { ContentHash(of: $0.span) } }
  private let standardInput: SharedDescriptor
  private let remote: RemoteLists?
  /// Opens the list that sources make, which is the last one, or nil if there is none.
  private var sources: SourceLists?
  private var isReadingSources = false
  private var reader: LineReader?
  /// The failure in an earlier run of the record of a table that ``next(isReady:)`` returned last, or nil if the list
  /// says nothing of it.
  private(set) var earlierFailure: String?
  /// The failure of the record that comes next.
  private var announced: String?
  private(set) var name = ""
  /// The columns that options name and no record of the current list has had so far. The first line of a table names
  /// all columns; each object of JSON Lines has its own.
  private var unseenColumns: [String] = []
  /// True if the current list has had a record that could have them.
  private var hasRecord = false
  /// The place of the first record that has fewer fields than its table has columns; nil if there was none.
  private(set) var shortRecord: String?
  /// Lines of the lists that were read completely.
  private var linesBefore = 0
  /// True if a part of the lists was not read.
  private var hasMissing = false
  /// The files that were read only in part.
  private(set) var unread: Set<FileStatus.Identity> = []

  /// The number of lines of lists that were read, including comments and blank lines.
  var lines: Int { linesBefore + (reader?.count ?? 0) }

  /// - Parameters:
  ///   - paths: The lists, in order; `-` is standard input.
  ///   - isNullEnded: True if records end in NUL instead of a line break.
  ///   - refusesOthers: True if a list whose bytes show another format is an error, and not a list of invalid lines.
  ///   - remote: Opens lists that are at URLs. Without it, every name is a file's.
  init(
    operands: [String], lists paths: [String], isNullEnded: Bool = false, format: Choices.ListFormat = .lines,
    columns: ListColumns = ListColumns(), urls: URLReader = URLReader(), refusesOthers: Bool = false,
    standardInput: SharedDescriptor = .standardInput, remote: RemoteLists? = nil, sources: SourceLists? = nil
  ) {
    sourceFormat = refusesOthers ? .tsv : .lines
    self.sources = sources
    self.operands = operands[...]
    self.paths = paths[...]
    self.isNullEnded = isNullEnded
    self.format = format
    self.columns = columns
    self.urls = urls
    self.refusesOthers = refusesOthers
    self.standardInput = standardInput
    self.remote = remote
  }

  /// - Parameter rows: The rows of shards, in place of a list; nil if there are none.
  init(rows: SharedDescriptor?, urls: URLReader = URLReader()) {
    self.init(operands: [], lists: [], format: .jsonl, urls: urls)
    guard let rows else { return }
    name = "failed lines"
    reader = LineReader(rows, .jsonl, isNullEnded: false)
    table = ListTable(rowsOfShards: urls)
  }

  /// The position of the last line that ``next(isReady:)`` returned.
  var place: Place {
    guard let reader else { return .operand(operands.startIndex - 1) }
    guard let file = reader.file, !reader.isReadOnce else { return .stream(name: name) }
    return .file(file, name: name, offset: reader.offset)
  }

  /// True if the whole input was read.
  var isDone: Bool { operands.isEmpty && paths.isEmpty && sources == nil && reader == nil && !hasMissing }

  /// The next image; nil at the end. After an error the next call continues with the next list.
  ///
  /// - Parameter isReady: True if the stream of the last ``Item/pending(_:)`` can now be read without blocking.
  mutating func next(isReady: Bool = false) throws(Failure) -> Item? {
    var isReady = isReady
    while let record = try nextRecord(isReady: &isReady) {
      switch record {
      case .operand(let text):
        do { return .line(try InputLine(operand: text, urls)) } catch {
          return .invalid(InvalidLine(operand: text, error))
        }
      case .line(let bytes):
        if let item = try item(bytes) { return item }
      case .tooLong: return .invalid(InvalidLine(tooLongAt: shownPlace, number: reader?.count, format))
      case .pending(let file): return .pending(file)
      }
    }
    return nil
  }

  /// The item of a line; nil for a comment and a blank line.
  private mutating func item(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Item? {
    if format != .lines, bytes.starts(with: FailedListMark.failure.utf8) {
      announced = String(decoding: bytes.dropFirst(FailedListMark.failure.utf8.count).prefix(32), as: UTF8.self)
      return nil
    }
    (earlierFailure, announced) = (announced, nil)
    try settle(bytes)
    if !unseenColumns.isEmpty, let record = format.content(of: bytes) { noteColumns(of: record) }
    do throws(InputLine.Flaw) {
      var line: InputLine?
      if let table { line = try format.content(of: bytes).map(table.line) } else { line = try InputLine(bytes, urls) }
      line?.tag.number = reader?.count
      if line?.lacksFields ?? false, shortRecord == nil { shortRecord = shownPlace }
      return line.map(Item.line)
    } catch {
      guard table != nil else {
        return .invalid(InvalidLine(bytes, number: reader?.count, at: shownPlace, ofLine: error))
      }
      return .invalid(InvalidLine(format.content(of: bytes) ?? [], number: reader?.count, at: shownPlace, error))
    }
  }

  /// A column that options name, and that no record of the current list has had so far, be it as null. Nil if there is
  /// none, or no record.
  var missingColumn: String? { hasRecord ? unseenColumns.first : nil }

  /// Takes all columns as seen, since an earlier attempt has seen them.
  mutating func noteAllColumns() { unseenColumns = [] }

  private mutating func noteColumns(of record: ArraySlice<UInt8>) {
    guard (try? UTF8Span(validating: record.span)) != nil else { return }
    let names = Set(JSONMembers.readFirst(record).members.map { Array($0.name.utf8) })
    hasRecord = hasRecord || !names.isEmpty
    unseenColumns.removeAll { names.contains(Array($0.utf8)) }
  }

  /// Returns true if the record names the columns of a table, which only the first one does.
  private mutating func isHeader(_ record: ArraySlice<UInt8>) throws(Failure) -> Bool {
    if !format.hasHeader || table != nil { return false }
    guard let content = format.content(of: record) else { return true }
    var columns = columns
    // The URLs of a table that is a source were taken from that column of it.
    if isReadingSources { columns.url = nil }
    do throws(InputLine.Flaw) {
      let table = try ListTable(format, header: content, columns, urls)
      reader?.settle(on: table)
      self.table = table
    } catch {
      skipList()
      throw Failure(name: name, reason: error.reason)
    }
    return true
  }

  /// Finds out which column of a table holds the URLs, if no column is named so.
  private mutating func settle(_ record: ArraySlice<UInt8>) throws(Failure) {
    guard let table, !table.isSettled, let content = format.content(of: record) else { return }
    do throws(InputLine.Flaw) {
      if let settled = try table.settled(by: content) {
        self.table = settled
      } else if refusesOthers, format.hasHeader {
        throw InputLine.Flaw(
          reason: "its first line names no column url, and no column of its first record holds a URL")
      }
    } catch {
      skipList()
      throw Failure(name: name, reason: error.reason)
    }
  }

  /// Refuses a list whose first bytes show that it cannot be read.
  private mutating func checkBeginning(_ record: ArraySlice<UInt8>) throws(Failure) {
    guard let signature = ListSignature.of(record) else { return }
    skipList()
    throw Failure(name: name, reason: signature.reason)
  }

  /// The URL of a line that ``nextText(isReady:)`` returned; nil if the line has none.
  func url(of text: ArraySlice<UInt8>) -> WebURL? {
    guard let table else { return (try? InputLine(text, urls))?.url }
    let settled = try? table.settled(by: text)
    return (try? (settled ?? table).line(text))?.url
  }

  /// The number of the last line in its list; nil for an operand.
  var number: Int? { reader?.count }

  /// The next line as given, without comments, for the list of lines to try again.
  mutating func nextText(isReady: Bool = false) throws(Failure) -> Text? {
    var isReady = isReady
    while let record = try nextRecord(isReady: &isReady) {
      switch record {
      case .operand(let text): return .line(Array(text.utf8)[...])
      case .line(let bytes): if let line = format.content(of: bytes) { return .line(line) }
      case .tooLong: return .line(InvalidLine(tooLongAt: shownPlace, number: reader?.count, format).text[...])
      case .pending(let file): return .pending(file)
      }
    }
    return nil
  }

  /// The next line as ``nextText(isReady:)`` returns it, if there is one without waiting and without an error. After
  /// nil, the next call of that has the reason.
  mutating func nextLine() throws(Failure) -> ArraySlice<UInt8>? {
    guard case .line(let line)? = try nextText() else { return nil }
    return line
  }

  /// Skips lines that are in memory already, as ``nextLine()`` would return them one by one.
  ///
  /// - Returns: The number of lines skipped, at most `most`. After 0, ``nextLine()`` has the next line.
  mutating func passLines(atMost most: Int, _ take: (borrowing Span<UInt8>) -> Void) -> Int {
    guard operands.isEmpty, var reader else { return 0 }
    // One owner at a time, or its buffer would be copied.
    self.reader = nil
    defer { self.reader = reader }
    let format = format
    return reader.passWhole(atMost: most) { record in
      guard let content = format.content(in: record) else { return false }
      take(record.extracting(content))
      return true
    }
  }

  /// Abandons the current list and continues with the next one.
  mutating func skipList() {
    hasMissing = true
    close()
  }

  private mutating func nextRecord(isReady: inout Bool) throws(Failure) -> Record? {
    if let operand = operands.popFirst() { return .operand(operand) }
    while true {
      if reader == nil {
        if let path = paths.popFirst() {
          try open(path)
        } else if let list = sources.take() {
          open(list)
        } else {
          return nil
        }
      }
      let next: LineReader.Next?
      do throws(LineReader.Failure) {
        next = try reader?.next(isReady: &isReady)
        switch next {
        case .line: break
        case .pending: if let file = reader?.awaited { return .pending(file) }
        case .end, nil: close()
        }
      } catch {
        return try record(after: error)
      }
      if case .line(let bytes)? = next {
        try checkNature()
        guard reader?.count == 1 else {
          if try isHeader(bytes) { continue }
          return .line(bytes)
        }
        try checkBeginning(bytes)
        let record = Self.withoutMark(bytes)
        // A list of failures begins with a comment in every format.
        if format != .lines, record.starts(with: FailedListMark.beginning.utf8) { continue }
        if try !isHeader(record) { return .line(record) }
      } else if table == nil, format.hasHeader {
        hasMissing = true
        throw Failure(name: name, reason: "it is empty, and its first line was to name its columns")
      }
    }
  }

  /// The record of a line that is too long. Any other failure ends the list.
  private mutating func record(after error: LineReader.Failure) throws(Failure) -> Record {
    try checkNature()
    switch error {
    case .tooLong: return .tooLong
    case .unreadable(let error):
      if let file = try? reader?.file?.file.status().identity { unread.insert(file) }
      skipList()
      throw Failure(name: name, reason: "\(error.code)")
    case .packed(let damage):
      skipList()
      throw Failure(name: name, reason: damage.reason)
    case .unclosed:
      let number = reader?.count ?? 0
      skipList()
      // All that follows it counts as one field. A table that was cut short looks the same.
      throw Failure(name: name, reason: "a quotation mark of record \(number) is not closed until its end")
    case .brokenOff(let error):
      skipList()
      guard isReadingSources else { throw Failure(name: name, reason: error.reason, kind: error.kind) }
      throw Failure(name: error.subject, reason: error.reason, kind: error.kind, isOfSource: true)
    }
  }

  /// Checks the kind of the list, which shows with its first record.
  private mutating func checkNature() throws(Failure) {
    guard refusesOthers, let reader, reader.count <= 1, !reader.beginning.isEmpty, !isNullEnded else { return }
    guard let objection = ListNature.objection(to: reader.beginning, as: format) else { return }
    skipList()
    throw Failure(name: name, reason: objection)
  }

  private mutating func open(_ path: String) throws(Failure) {
    if let remote, StoreAddress.isURL(path) { return try open(remote, path) }
    name = path == "-" ? "standard input" : path
    do throws(SystemError) {
      // Opening a named pipe must not block, since that could not be interrupted. The pipe is pending until it has a
      // writer.
      let file = path == "-" ? standardInput : SharedDescriptor(try .open(path, [.read, .nonBlocking]))
      reader = LineReader(file, format, isNullEnded: isNullEnded)
      beginTable()
    } catch {
      hasMissing = true
      throw Failure(name: name, reason: "\(error.code)")
    }
  }

  private mutating func open(_ sources: SourceLists) {
    (format, isReadingSources) = (sourceFormat, true)
    let lines = sources()
    name = lines.name
    reader = LineReader(lines, format, isNullEnded: false)
    (table, unseenColumns) = (nil, [])
  }

  private mutating func open(_ remote: RemoteLists, _ url: String) throws(Failure) {
    do throws(Failure) {
      let list = try remote(url)
      name = list.name
      reader = LineReader(list, format, isNullEnded: isNullEnded)
      beginTable()
    } catch {
      hasMissing = true
      throw error
    }
  }

  /// The first line of other tables begins them.
  private mutating func beginTable() {
    table = format.isOfObjects ? ListTable(format, columns, urls) : nil
    unseenColumns = format.isOfObjects ? columns.named : []
    hasRecord = false
  }

  private mutating func close() {
    linesBefore = lines
    reader = nil
  }

  /// The line without the byte order mark that some editors begin a file with.
  static func withoutMark(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    return line.starts(with: mark) ? line.dropFirst(mark.count) : line
  }

  /// `list.txt:12`.
  var shownPlace: String { "\(name):\(reader?.count ?? 0)" }
}
