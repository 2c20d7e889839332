import ImgfetchCore

/// What goes along with a record of a list to its row, and beside its image.
struct RecordNote: Hashable, Sendable {
  /// Members of a JSON object, each with a comma before it.
  var fields: [UInt8] = []
  /// The text beside its image, empty where the column is; nil: there is no such column.
  var caption: [UInt8]?
  /// The number of its record in the list from 0, where that is known by itself.
  var record: Int?

  init() {}

  /// Of a line that makes no sense.
  init(id: String?) { append("id", id) }

  /// Of a line: what it asks for goes along, so that it can be asked for again.
  init(of line: InputLine) {
    append("id", line.tag.id)
    append("name", line.name)
    if let sha256 = line.sha256 {
      append("expected_sha256")
      fields.append(UInt8(ascii: "\""))
      fields.append(hex: sha256)
      fields.append(UInt8(ascii: "\""))
    }
    if !line.mirrors.isEmpty { append("mirrors", line.mirrors.map(\.display).joined(separator: "\t")) }
  }

  private mutating func append(_ name: String, _ text: String?) {
    guard let text else { return }
    append(name)
    fields.append(json: text)
  }

  /// The bytes of a caption's value in JSON, as they become its text: nothing for null.
  static func caption(of value: ArraySlice<UInt8>) -> [UInt8] {
    if value.elementsEqual("null".utf8) { return [] }
    return JSONMembers.text(of: value).map { Array($0.utf8) } ?? Array(value)
  }

  /// The text of a record that makes no sense, without passwords.
  mutating func append(text: [UInt8]) {
    append("text")
    fields.append(json: String(decoding: MaskedText.bytes(text), as: UTF8.self))
  }

  mutating func append(_ name: String) { fields.append(text: ",\"\(name)\":") }
}

/// How a table's records are read: its columns `url`, `id` and `caption`; all others go along.
final class ListTable: Sendable {
  private enum Column {
    case url, id, caption, hash
    case other([UInt8])

    init(_ name: String, _ wanted: ListColumns) {
      if name.utf8.elementsEqual("url".utf8) {
        self = .url
      } else if name.utf8.elementsEqual((wanted.id ?? "id").utf8) {
        self = .id
      } else if name.utf8.elementsEqual((wanted.caption ?? "caption").utf8) {
        self = .caption
      } else if let hash = wanted.hash, name.utf8.elementsEqual(hash.utf8) {
        self = .hash
      } else {
        var text: [UInt8] = []
        text.append(json: name)
        self = .other(text)
      }
    }
  }

  let format: Choices.ListFormat
  private let columns: [Column]
  /// The names of the columns; empty if each record names its own.
  private let names: [String]
  private let wanted: ListColumns

  /// Reads the URLs of its records.
  let urls: URLReader
  /// Whether its records are rows of shards.
  private let isOfRows: Bool

  /// A list whose records name their columns.
  init(_ format: Choices.ListFormat, _ wanted: ListColumns = ListColumns(), _ urls: URLReader = URLReader()) {
    self.format = format
    self.urls = urls
    self.wanted = wanted
    (columns, names, isOfRows) = ([], [], false)
  }

  /// The rows of lines that failed, to be tried once more: what went along with a line goes along again, the rest is the answer's.
  init(rowsOfShards urls: URLReader) {
    format = .jsonl
    self.urls = urls
    wanted = ListColumns()
    (columns, names, isOfRows) = ([], [], true)
  }

  /// - Parameter header: the first record, which names the columns.
  init(
    _ format: Choices.ListFormat, header: ArraySlice<UInt8>, _ wanted: ListColumns = ListColumns(),
    _ urls: URLReader = URLReader()
  ) throws(InputLine.Flaw) {
    self.format = format
    self.urls = urls
    self.wanted = wanted
    isOfRows = false
    var names: [String] = []
    var seen: Set<[UInt8]> = []
    let (cells, flaw) = Self.cells(header, format)
    if let flaw { throw InputLine.Flaw(reason: flaw) }
    for cell in cells {
      guard let name = String(validating: cell, as: UTF8.self) else {
        throw InputLine.Flaw(reason: "the names of its columns are not UTF-8")
      }
      // Lines that end in it alone would all be the first one.
      if name.utf8.contains(UInt8(ascii: "\r")) {
        throw InputLine.Flaw(reason: "its first line has a carriage return inside; lines end in a line feed")
      }
      guard seen.insert(cell).inserted else {
        throw InputLine.Flaw(reason: "its first line names the column \(name) twice")
      }
      names.append(name)
    }
    for name in ["url"] + wanted.named where !seen.contains(Array(name.utf8)) {
      throw InputLine.Flaw(reason: "its first line does not name a column \(SafeText.text(name))")
    }
    self.names = names
    columns = names.map { Column($0, wanted) }
  }

  /// What a record says. A flaw has the record's note, since that record has a row, too.
  func line(_ content: ArraySlice<UInt8>) throws(InputLine.Flaw) -> InputLine {
    guard let checked = try? UTF8Span(validating: content.span) else {
      throw InputLine.Flaw(reason: "the record is not UTF-8")
    }
    if isOfRows { return try ShardRowLine.line(content, text: String(copying: checked), of: self) }
    let record = format == .jsonl ? readObject(content) : readCells(content)
    let note = record.note
    // What could be read of it goes into its row.
    if let flaw = record.flaw { throw InputLine.Flaw(reason: flaw, note: note) }
    guard let typed = record.url, !typed.isEmpty else {
      throw InputLine.Flaw(reason: "the record has no url", note: note)
    }
    do {
      var line = InputLine(try urls.url(typed), text: String(copying: checked), note: note, of: self)
      (line.sha256, line.md5, line.isWanted) = (record.sha256, record.md5, record.isWanted)
      return line
    } catch {
      let url = WebURL.masked(typed)
      throw InputLine.Flaw(
        reason: "\(InvalidLine.shown(url)): \(error)", url: url, note: note, remedy: error.remedy)
    }
  }

  /// The content of a record.
  private struct Content {
    var url: String?
    var note = RecordNote()
    /// Members of an object of all other columns.
    var others: [UInt8] = []
    /// Sums that the bytes must have.
    var sha256: [UInt8]?
    var md5: [UInt8]?
    /// False: it does not meet the conditions on its columns.
    var isWanted = true
    /// The reason why it cannot be read to its end.
    var flaw: String?

    mutating func add(_ name: [UInt8], _ append: (inout [UInt8]) -> Void) {
      if !others.isEmpty { others.append(UInt8(ascii: ",")) }
      others += name
      others.append(UInt8(ascii: ":"))
      append(&others)
    }

    /// Takes the sum of a table's column; an empty one is none.
    mutating func take(hash text: String) {
      if text.isEmpty { return }
      sha256 = InputLine.digest(text)
      // Of half the length it is an MD5.
      md5 = sha256 == nil ? InputLine.digest(text + text).map { Array($0.prefix(16)) } : nil
      guard let digest = sha256 ?? md5 else {
        flaw = flaw ?? "its hash is neither a SHA-256 (64 hex digits) nor an MD5 (32)"
        return
      }
      note.append(sha256 != nil ? "expected_sha256" : "expected_md5")
      note.fields.append(UInt8(ascii: "\""))
      note.fields.append(hex: digest)
      note.fields.append(UInt8(ascii: "\""))
    }
  }

  // MARK: - CSV and TSV

  private func readCells(_ record: ArraySlice<UInt8>) -> Content {
    let (cells, flaw) = Self.cells(record, format)
    var content = Content()
    content.flaw = flaw
    if flaw == nil, cells.count > columns.count {
      content.flaw = "the record has \(cells.count) fields, and the first line names \(columns.count)"
    }
    for (column, cell) in zip(columns, cells) {
      let text = String(decoding: cell, as: UTF8.self)
      switch column {
      case .url: content.url = text
      case .id:
        if text.isEmpty { continue }
        content.note.append("id")
        content.note.fields.append(json: text)
      case .caption:
        content.note.append("caption")
        content.note.fields.append(json: text)
        content.note.caption = cell
      case .hash: content.take(hash: text)
      case .other(let name): content.add(name) { $0.append(json: text) }
      }
    }
    content.note.add(columns: content.others)
    content.isWanted = wanted.filters.allSatisfy { filter in
      let place = names.firstIndex { $0.utf8.elementsEqual(filter.column.utf8) }
      return filter.holds(place.flatMap { $0 < cells.count ? cells[$0][...] : nil })
    }
    return content
  }

  /// The fields of a record: those that begin with a quotation mark end with one, and have it doubled inside (RFC 4180). With a flaw there
  /// are those before it.
  private static func cells(
    _ record: ArraySlice<UInt8>, _ format: Choices.ListFormat
  ) -> (cells: [[UInt8]], flaw: String?) {
    let (quote, separator) = (UInt8(ascii: "\""), format.separator ?? 0)
    var cells: [[UInt8]] = []
    var at = record.startIndex
    while true {
      var cell: [UInt8] = []
      if at < record.endIndex, record[at] == quote {
        at += 1
        while true {
          guard let end = record[at...].firstIndex(of: quote) else {
            return (cells, "the quotation mark of field \(cells.count + 1) is not closed")
          }
          cell += record[at..<end]
          at = end + 1
          guard at < record.endIndex, record[at] == quote else { break }
          cell.append(quote)
          at += 1
        }
        guard at == record.endIndex || record[at] == separator else {
          return (cells, "text follows the closing quotation mark of field \(cells.count + 1)")
        }
      } else {
        let end = record[at...].firstIndex(of: separator) ?? record.endIndex
        cell += record[at..<end]
        at = end
      }
      cells.append(cell)
      if at == record.endIndex { return (cells, nil) }
      at += 1
    }
  }

  // MARK: - JSON Lines

  private func readObject(_ record: ArraySlice<UInt8>) -> Content {
    let (members, isWhole) = JSONMembers.readFirst(record)
    var content = Content()
    if !isWhole { content.flaw = "the record is no JSON object" }
    // A column that was asked for is there for each record.
    if wanted.caption != nil { content.note.caption = [] }
    for member in members {
      let isNull = member.value.elementsEqual("null".utf8)
      switch Column(member.name, wanted) {
      case .url: content.url = JSONMembers.text(of: member.value)
      case .id:
        if isNull { continue }
        content.note.append("id")
        content.note.fields.append(json: member.value)
      case .caption:
        content.note.append("caption")
        content.note.fields.append(json: member.value)
        content.note.caption = RecordNote.caption(of: member.value)
      case .hash:
        if isNull { continue }
        content.take(hash: JSONMembers.text(of: member.value) ?? String(decoding: member.value, as: UTF8.self))
      case .other(let name): content.add(name) { $0.append(json: member.value) }
      }
    }
    content.note.add(columns: content.others)
    content.isWanted = wanted.filters.allSatisfy { filter in
      let value = members.last { $0.name.utf8.elementsEqual(filter.column.utf8) }?.value
      guard let value, !value.elementsEqual("null".utf8) else { return filter.holds(nil) }
      return filter.holds(JSONMembers.text(of: value).map { Array($0.utf8)[...] } ?? value)
    }
    return content
  }
}

extension RecordNote {
  fileprivate mutating func add(columns: [UInt8]) {
    if columns.isEmpty { return }
    append("columns")
    fields += [UInt8(ascii: "{")] + columns + [UInt8(ascii: "}")]
  }
}

extension [UInt8] {
  /// Appends the text of a JSON value as it is, but for what could harm a terminal, which outside ASCII stands in strings only.
  fileprivate mutating func append(json value: ArraySlice<UInt8>) {
    if value.allSatisfy({ $0 < 0x7F }) { return append(contentsOf: value) }
    for scalar in String(decoding: value, as: UTF8.self).unicodeScalars {
      if scalar.value >= 0x7F, Unprintable.contains(scalar), scalar != "\u{FFFD}" {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
          append(text: "\\u")
          append(hex: [UInt8(unit >> 8), UInt8(unit & 0xFF)])
        }
      } else {
        append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
      }
    }
  }
}
