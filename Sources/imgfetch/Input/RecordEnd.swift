import ImgfetchCore

/// Finds the ends of a list's records, piece by piece: at each delimiter, or in a table at each line break that is not inside
/// quotation marks (RFC 4180).
struct RecordEnd: Sendable {
  private enum Place {
    case fieldStart, field, quoted
    /// Behind a quotation mark inside quotation marks: the next byte tells whether it was doubled.
    case quoteInQuoted
  }

  let delimiter: UInt8
  /// Between the fields of a table whose fields may be quoted; nil: every delimiter ends a record.
  private let separator: UInt8?
  private var place = Place.fieldStart

  init(_ format: Choices.ListFormat, isNullEnded: Bool = false) {
    delimiter = isNullEnded ? 0 : UInt8(ascii: "\n")
    separator = format.separator
  }

  /// The index of the next end of a record at or after `start`; `count` if it is not in these bytes. The next call continues there.
  mutating func find(in bytes: Span<UInt8>, from start: Int) -> Int {
    guard let separator else { return bytes.place(of: delimiter, from: start) }
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

  /// Whether every delimiter ends a record.
  var isPlain: Bool { separator == nil }

  /// The next line break ends the record, whatever came before.
  mutating func forget() { place = .field }
}

extension Choices.ListFormat {
  /// Between the fields of a table; nil: records have no such fields.
  var separator: UInt8? {
    switch self {
    case .csv: UInt8(ascii: ",")
    case .tsv: UInt8(ascii: "\t")
    case .lines, .jsonl: nil
    }
  }

  /// The length of a record, at which it is an error. A URL has at most 64 KiB, as has each mirror. In a table there may be long texts,
  /// each of whose characters may take six bytes in JSON.
  var recordLimit: Int { self == .lines ? 1 << 20 : 16 << 20 }

  /// The content of a record; nil for a blank one, and for a comment where there are comments.
  func content(of record: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    if self == .lines { return InputLine.content(of: record) }
    let content = record.last == UInt8(ascii: "\r") ? record.dropLast() : record
    return content.allSatisfy { $0 == UInt8(ascii: " ") } ? nil : content
  }

  /// Where the content of a record of lines or objects is, as ``content(of:)`` finds it.
  func content(in record: borrowing Span<UInt8>) -> Range<Int>? {
    var (start, end) = (0, record.count)
    if self != .lines {
      if end > 0, record[end - 1] == UInt8(ascii: "\r") { end -= 1 }
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
