import ImgfetchCore

/// Finds the ends of a list's records, piece by piece: at each delimiter, or in a table at each line break that is not
/// inside quotation marks (RFC 4180).
struct RecordEnd: Sendable {
  private enum Place {
    case fieldStart, field, quoted
    /// The place after a quotation mark inside quotation marks: the next byte tells whether it was doubled.
    case quoteInQuoted
  }

  /// The number of times that each possible separator was seen outside quotation marks.
  private struct Counts {
    var counts = [0, 0, 0]
    var hasText = false

    mutating func add(_ byte: UInt8) -> Bool {
      guard let at = RecordEnd.separators.firstIndex(of: byte) else { return false }
      counts[at] += 1
      return true
    }

    /// The most frequent one; a comma where there is none.
    var best: UInt8 {
      var best = 0
      for at in counts.indices where counts[at] > counts[best] { best = at }
      return RecordEnd.separators[best]
    }
  }

  /// The separators that CSV may have between fields. Programs of many countries write semicolons, since their decimals
  /// have commas.
  static let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "\t")]

  let delimiter: UInt8
  /// The separator of a table whose fields may be quoted; nil if every delimiter ends a record.
  private var separator: UInt8?
  /// The counts for a table's first record, which decides on the separator; nil after that record, and for other lists.
  private var first: Counts?
  private var place = Place.fieldStart

  /// - Parameter table: the one whose records they are, once its first record is known.
  init(_ format: Choices.ListFormat, isNullEnded: Bool = false, of table: ListTable? = nil) {
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
    guard case .cells(let fixed) = format.form else { return }
    separator = table?.separator ?? fixed ?? UInt8(ascii: ",")
    if fixed == nil, table == nil { first = Counts() }
  }

  /// The index of the next end of a record at or after `start`; `count` if it is not in these bytes. The next call
  /// continues there.
  mutating func find(in bytes: Span<UInt8>, from start: Int) -> Int {
    guard let separator else { return bytes.place(of: delimiter, from: start) }
    if first != nil { return findFirst(in: bytes, from: start) }
    var at = start
    while at < bytes.count {
      let byte = bytes[at]
      if place == .quoted {
        at = bytes.place(of: UInt8(ascii: "\""), from: at)
        if at < bytes.count { place = .quoteInQuoted }
      } else if byte == delimiter {
        place = .fieldStart
        return at
      } else if byte == UInt8(ascii: "\""), place != .field {
        place = .quoted
      } else {
        place = byte == separator ? .fieldStart : .field
      }
      at += 1
    }
    return bytes.count
  }

  /// Finds the end of the first record, in which any of the separators may be the right one.
  private mutating func findFirst(in bytes: Span<UInt8>, from start: Int) -> Int {
    guard var counts = first else { return start }
    var at = start
    while at < bytes.count {
      let byte = bytes[at]
      if place == .quoted {
        if byte == UInt8(ascii: "\"") { place = .quoteInQuoted }
      } else if byte == delimiter {
        place = .fieldStart
        // A blank line, or the mark of a list of failures, is not the first record.
        if counts.hasText {
          separator = counts.best
          first = nil
        } else {
          first = Counts()
        }
        return at
      } else if byte == UInt8(ascii: "\""), place != .field {
        place = .quoted
        counts.hasText = true
      } else if counts.add(byte) {
        place = .fieldStart
        counts.hasText = true
      } else if !Self.isOfMark(byte) || counts.hasText {
        if byte != UInt8(ascii: " "), byte != UInt8(ascii: "\r") { counts.hasText = true }
        place = .field
      }
      at += 1
    }
    first = counts
    return bytes.count
  }

  /// True if the byte may belong to a byte order mark. A field in quotation marks may begin after one.
  private static func isOfMark(_ byte: UInt8) -> Bool { byte == 0xEF || byte == 0xBB || byte == 0xBF }

  /// The separator of a table, by its first record: the one with which that record names the wanted column, else the
  /// most frequent one.
  static func separator(
    of header: ArraySlice<UInt8>, _ format: Choices.ListFormat, isRight: ([[UInt8]]) -> Bool
  ) -> UInt8 {
    if let separator = format.separator { return separator }
    for separator in separators {
      if let cells = try? TableCells.split(header, separator), cells.count > 1, isRight(cells) { return separator }
    }
    var ends = RecordEnd(format)
    let record = Array(header) + [ends.delimiter]
    _ = ends.find(in: record.span, from: 0)
    return ends.separator ?? UInt8(ascii: ",")
  }

  /// Settles on a table, because the first record was another one than its header.
  mutating func settle(on table: ListTable) {
    separator = table.separator ?? separator
    first = nil
  }

  /// True if the bytes end inside quotation marks.
  var isQuoted: Bool { place == .quoted }

  /// True if every delimiter ends a record.
  var isPlain: Bool { separator == nil }

  /// Forgets an open quotation mark: the next line break ends the record.
  mutating func forget() { place = .field }
}

extension Choices.ListFormat {
  /// A form of records.
  enum Form {
    /// A URL and its fields.
    case line
    /// Cells of columns, which the first record names. Their separator is nil if that record shows it.
    case cells(separator: UInt8?)
    /// An object, which names its columns itself.
    case object
  }

  /// The form of its records. Code that reads tables asks for it, and not for the format.
  var form: Form {
    switch self {
    case .lines: .line
    case .tsv: .cells(separator: UInt8(ascii: "\t"))
    case .csv: .cells(separator: nil)
    case .jsonl: .object
    }
  }

  /// True if the first record names the columns of all.
  var hasHeader: Bool { if case .cells = form { true } else { false } }

  /// True if each record names its own columns.
  var isOfObjects: Bool { if case .object = form { true } else { false } }

  /// The separator of cells, or nil if there are none or the first record shows it.
  var separator: UInt8? { if case .cells(let separator) = form { separator } else { nil } }

  /// The length of a record, at which it is an error. A URL has at most 64 KiB, as has each mirror. In a table there
  /// may be long texts, each of whose characters may take six bytes in JSON.
  var recordLimit: Int { self == .lines ? 1 << 20 : 16 << 20 }

  /// The content of a record; nil for a blank one, and for a comment where there are comments.
  func content(of record: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    if self == .lines { return InputLine.content(of: record) }
    let content = record.last == UInt8(ascii: "\r") ? record.dropLast() : record
    if content.starts(with: FailedListMark.failure.utf8) { return nil }
    return content.allSatisfy { $0 == UInt8(ascii: " ") } ? nil : content
  }

  /// The range of the content in a record of lines or objects, as ``content(of:)`` returns it.
  func content(in record: borrowing Span<UInt8>) -> Range<Int>? {
    var (start, end) = (0, record.count)
    if self != .lines {
      if end > 0, record[end - 1] == UInt8(ascii: "\r") { end -= 1 }
      if FailedListMark.isFailure(record) { return nil }
      while start < end, record[start] == UInt8(ascii: " ") { start += 1 }
      return start < end ? 0..<end : nil
    }
    while end > 0, record[end - 1] == UInt8(ascii: " ") || record[end - 1] == UInt8(ascii: "\r") { end -= 1 }
    while start < end, record[start] == UInt8(ascii: " ") { start += 1 }
    if start < end, record[start] == UInt8(ascii: "#") { return nil }
    var first = start
    while first < end, record[first] == UInt8(ascii: "\t") { first += 1 }
    return first < end ? start..<end : nil
  }
}
