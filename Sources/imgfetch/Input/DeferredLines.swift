import ImgfetchCore
import ImgfetchDataSet

/// The input of a run: its lists, and the lines that wait for their hosts.
struct RunInput {
  var list: InputList
  var deferred: DeferredLines

  /// Lines that may wait at once; their positions take 3 MB. A list sorted by host takes as long as a shuffled one if
  /// no host has more lines than this.
  static let maxDeferred = 200_000

  /// - Parameters:
  ///   - retries: The rows that are tried once more, in place of the lists.
  ///   - remote: Opens the lists that are at URLs.
  ///   - sources: Opens the list of the images that sources name, or nil if there is none.
  init(
    _ settings: Settings, retries: RetryPlan? = nil, temporaryFolder: String, remote: @escaping RemoteLists,
    sources: SourceLists? = nil
  ) {
    let format = retries == nil ? settings.list.format : .jsonl
    if let retries {
      list = InputList(rows: retries.spool, urls: settings.list.urls)
    } else {
      list = InputList(
        operands: settings.operands, lists: settings.list.inputs, isNullEnded: settings.list.isNullEnded,
        format: format, columns: settings.list.columns, urls: settings.list.urls,
        refusesOthers: settings.product == .dataSet,
        remote: remote, sources: sources)
    }
    deferred = DeferredLines(
      operands: settings.operands, isNullEnded: settings.list.isNullEnded, format: format,
      urls: settings.list.urls, folder: temporaryFolder)
  }
}

extension Environment {
  var temporaryFolder: String { filled("TMPDIR") ?? "/tmp" }
}

/// The texts of deferred lines. Lines of a file are read again from it; lines of a stream are kept in an unnamed
/// temporary file.
struct DeferredLines {
  private struct Source {
    let file: SharedDescriptor
    let name: String
    /// The table that its records belong to; nil if they are lines.
    let table: ListTable?
    /// The number of its lines that wait.
    var waiting = 0
  }

  private let operands: [String]
  private let delimiter: UInt8
  private let format: Choices.ListFormat
  private let urls: URLReader
  private let isNullEnded: Bool
  private let folder: String
  /// The sources, by the number that a line has of its own; nil where a number is free. The first is for streams.
  private var sources: [Source?] = [nil]
  private var spooled: Int64 = 0
  private var cannotSpool = false
  /// The last piece read, since the lines of one host often follow one another.
  private var piece: (source: Int, offset: Int64, bytes: [UInt8]) = (-1, 0, [])

  private static let stream = 0
  /// Higher than every index of `sources`.
  private static let operand = DeferredLine.sources - 1
  /// The disk space for lines of streams.
  private static let mostSpooled: Int64 = 64 << 20
  /// About forty lines per read.
  private static let pieceSize = 4 << 10

  /// - Parameter folder: the folder for temporary files.
  init(
    operands: [String], isNullEnded: Bool, format: Choices.ListFormat = .lines, urls: URLReader = URLReader(),
    folder: String
  ) {
    self.urls = urls
    self.operands = operands
    self.format = format
    self.isNullEnded = isNullEnded
    delimiter = RecordEnd(format, isNullEnded: isNullEnded).delimiter
    self.folder = folder
  }

  /// Keeps a line; nil if that is not possible, and no other line may go first.
  mutating func keep(_ line: InputLine, at place: InputList.Place, index: Int, isRepeated: Bool) -> DeferredLine? {
    guard let (source, offset) = find(place, line) else { return nil }
    let kept = DeferredLine(
      source: source, offset: offset, check: Self.check(of: line.text.utf8Span.span), isRepeated: isRepeated,
      index: index, number: line.tag.number)
    if kept != nil, source < sources.count { sources[source]?.waiting += 1 }
    return kept
  }

  private mutating func find(_ place: InputList.Place, _ line: InputLine) -> (source: Int, offset: Int64)? {
    switch place {
    case .operand(let number): return (Self.operand, Int64(number))
    case .file(let file, let name, let offset): return number(of: file, name, line.table).map { ($0, offset) }
    case .stream(let name): return spool(line, name).map { (Self.stream, $0) }
    }
  }

  private mutating func number(of file: SharedDescriptor, _ name: String, _ table: ListTable?) -> Int? {
    if let last = sources.lastIndex(where: { $0?.file === file }) { return last }
    let source = Source(file: file, name: name, table: table)
    if let free = sources.dropFirst().firstIndex(where: { $0 == nil || $0?.waiting == 0 }) {
      sources[free] = source
      if piece.source == free { piece.source = -1 }
      return free
    }
    guard sources.count < Self.operand else { return nil }
    sources.append(source)
    return sources.count - 1
  }

  private mutating func spool(_ line: InputLine, _ name: String) -> Int64? {
    if cannotSpool { return nil }
    if sources[Self.stream]?.waiting == 0 { spooled = 0 }
    if let source = sources[Self.stream], source.table !== line.table {
      // Another stream, whose columns are others.
      guard source.waiting == 0 else { return nil }
      sources[Self.stream] = Source(file: source.file, name: name, table: line.table)
    }
    let text = Array(line.text.utf8) + [delimiter]
    guard spooled + Int64(text.count) <= Self.mostSpooled else { return nil }
    do throws(SystemError) {
      if sources[Self.stream] == nil {
        let file = try TemporaryFile.scratch(in: folder)
        sources[Self.stream] = Source(file: SharedDescriptor(file), name: name, table: line.table)
      }
      try sources[Self.stream]?.file.file.write(text.span, at: spooled)
    } catch {
      cannotSpool = true
      return nil
    }
    if piece.source == Self.stream { piece.source = -1 }
    defer { spooled += Int64(text.count) }
    return spooled
  }

  /// The line, which no longer waits; or an invalid line in its place if the list has changed.
  mutating func remove(_ line: DeferredLine) -> InputList.Item {
    if line.source == Self.operand {
      let text = operands[Int(line.offset)]
      do { return .line(try InputLine(operand: text, urls)) } catch {
        return .invalid(InvalidLine(operand: text, error))
      }
    }
    let table = sources[line.source]?.table
    guard let bytes = read(line), var found = table == nil ? try? InputLine(bytes, urls) : try? table?.line(bytes)
    else {
      return .invalid(changed(line))
    }
    found.tag.number = line.number
    return .line(found)
  }

  /// The table that the line is a record of; nil if it is of none.
  func table(of line: DeferredLine) -> ListTable? { line.source == Self.operand ? nil : sources[line.source]?.table }

  /// The text of the line, for the list of lines to try again.
  mutating func removeText(of line: DeferredLine) -> ArraySlice<UInt8> {
    if line.source == Self.operand { return Array(operands[Int(line.offset)].utf8)[...] }
    return read(line) ?? changed(line).text[...]
  }

  private func changed(_ line: DeferredLine) -> InvalidLine {
    InvalidLine(changedAt: "\(sources[line.source]?.name ?? ""):\(line.number ?? 0)", number: line.number)
  }

  private mutating func read(_ line: DeferredLine) -> ArraySlice<UInt8>? {
    defer { sources[line.source]?.waiting -= 1 }
    guard
      let record = text(of: line),
      let bytes = format.content(of: line.offset == 0 ? InputList.withoutMark(record) : record),
      Self.check(of: bytes.span) == line.check
    else { return nil }
    return bytes
  }

  private static func check(of text: borrowing Span<UInt8>) -> UInt16 {
    UInt16(truncatingIfNeeded: ContentHash(of: text).low) & DeferredLine.checkMask
  }

  private func end(in bytes: [UInt8], from start: Int, _ source: Int) -> Int {
    var ends = RecordEnd(format, isNullEnded: isNullEnded, of: sources[source]?.table)
    return ends.find(in: bytes.span, from: start)
  }

  private mutating func text(of line: DeferredLine) -> ArraySlice<UInt8>? {
    if piece.source == line.source, line.offset >= piece.offset,
      case let start = Int(line.offset - piece.offset), start < piece.bytes.count,
      case let end = end(in: piece.bytes, from: start, line.source), end < piece.bytes.count
    {
      return piece.bytes[start..<end]
    }
    guard let file = sources[line.source]?.file else { return nil }
    var size = Self.pieceSize
    while size <= 8 * format.recordLimit {
      var bytes: [UInt8] = []
      guard let count = try? file.file.read(into: &bytes, count: size, at: line.offset) else { return nil }
      if case let end = end(in: bytes, from: 0, line.source), end < bytes.count {
        piece = (line.source, line.offset, bytes)
        return bytes[..<end]
      }
      // The last line of a file may lack a line break.
      if count < size { return bytes[...] }
      size *= 8
    }
    return nil
  }
}
