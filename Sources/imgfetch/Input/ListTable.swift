import ImgfetchCore

/// The columns of a table: those of the URLs, `id` and `caption`. All others may accompany an image to its row.
final class ListTable: Sendable {
  private enum Column {
    case url, id, caption
    /// The page that the image is of, which also goes along.
    case referer([UInt8])
    case other([UInt8])

    init(_ name: String, at place: Int, _ usual: UsualColumns, _ wanted: ListColumns) {
      if place == usual.id || name.utf8.elementsEqual((wanted.id ?? "id").utf8) {
        self = .id
      } else if place == usual.caption || name.utf8.elementsEqual((wanted.caption ?? "caption").utf8) {
        self = .caption
      } else {
        var text: [UInt8] = []
        text.append(json: name)
        self = name.utf8.elementsEqual("referer".utf8) ? .referer(text) : .other(text)
      }
    }
  }

  /// The places of the columns that are not asked for by name, where their names are written in another case.
  private struct UsualColumns {
    let id: Int?
    let caption: Int?

    init(_ names: some Collection<String>, _ wanted: ListColumns) {
      id = wanted.id == nil ? Self.place(of: "id", in: names) : nil
      caption = wanted.caption == nil ? Self.place(of: "caption", in: names) : nil
    }

    /// The number of a column that has this name in another writing; nil if there is none, or if one has exactly this
    /// name.
    private static func place(of usual: String, in names: some Collection<String>) -> Int? {
      var place: Int?
      for (at, name) in names.enumerated() {
        if name.utf8.elementsEqual(usual.utf8) { return nil }
        if place == nil, ListTable.isSame(name, usual) { place = at }
      }
      return place
    }
  }

  let format: Choices.ListFormat
  /// The separator between the fields of a record; nil if records have no such fields.
  let separator: UInt8?
  /// The record that names the columns; nil if each record names its own.
  let header: [UInt8]?
  /// The columns of the fields; empty if each record names its own. There is no ``Column/url`` among them until the
  /// records have shown which one holds URLs.
  private let columns: [Column]
  private let names: [String]
  /// The place of the sums that images must have, whatever else that column is; nil if none is checked.
  private let hash: Int?
  private let wanted: ListColumns
  /// The member of each object that is its URL; nil until that is known.
  private let member: String?
  /// True if the column of the URLs is known.
  let isSettled: Bool

  /// Reads the URLs of its records.
  let urls: URLReader
  /// True if the records are rows of shards.
  private let isOfRows: Bool

  /// A list whose records name their columns.
  init(_ format: Choices.ListFormat, _ wanted: ListColumns = ListColumns(), _ urls: URLReader = URLReader()) {
    self.format = format
    self.wanted = wanted
    self.urls = urls
    (separator, header, columns, names, hash, isOfRows) = (nil, nil, [], [], nil, false)
    member = wanted.url
    isSettled = member != nil
  }

  /// The rows of lines that failed, to be tried once more: the facts that accompanied a line accompany it again, the
  /// rest comes from the new answer.
  init(rowsOfShards urls: URLReader) {
    format = .jsonl
    self.urls = urls
    wanted = ListColumns(goAlong: true)
    (separator, header, columns, names, hash) = (nil, nil, [], [], nil)
    (isOfRows, member, isSettled) = (true, nil, true)
  }

  /// - Parameter header: the first record, which names the columns.
  init(
    _ format: Choices.ListFormat, header: ArraySlice<UInt8>, _ wanted: ListColumns = ListColumns(),
    _ urls: URLReader = URLReader()
  ) throws(InputLine.Flaw) {
    let separator = RecordEnd.separator(of: header, format) { cells in
      Self.urlColumn(cells.map { String(decoding: $0, as: UTF8.self) }, wanted) != nil
    }
    var names: [String] = []
    for cell in try TableCells.split(header, separator) {
      guard let name = String(validating: cell, as: UTF8.self) else {
        throw InputLine.Flaw(reason: "the names of its columns are not UTF-8")
      }
      // Lines that end in it alone would all be the first one.
      if name.utf8.contains(UInt8(ascii: "\r")) {
        throw InputLine.Flaw(reason: "its first line has a carriage return inside; lines end in a line feed")
      }
      names.append(name)
    }
    if wanted.goAlong, let name = Self.repeated(names) {
      throw InputLine.Flaw(reason: "its first line names the column \(SafeText.text(name)) twice")
    }
    if names.contains(where: Self.isURL) {
      throw InputLine.Flaw(reason: "its first line holds a URL, and was to name the columns")
    }
    let place = Self.urlColumn(names, wanted)
    if let url = wanted.url, place == nil { throw InputLine.Flaw(reason: ColumnFlaw.missing(url, among: names)) }
    let known = Set(names.map { Array($0.utf8) })
    for name in wanted.named where !known.contains(Array(name.utf8)) {
      throw InputLine.Flaw(reason: "its first line does not name a column \(SafeText.text(name))")
    }
    self.format = format
    self.separator = separator
    self.header = Array(header)
    self.names = names
    self.wanted = wanted
    self.urls = urls
    (isOfRows, member) = (false, nil)
    hash = wanted.hash.flatMap { hash in names.firstIndex { $0.utf8.elementsEqual(hash.utf8) } }
    let usual = UsualColumns(names, wanted)
    columns = names.enumerated().map { $0.offset == place ? .url : Column($0.element, at: $0.offset, usual, wanted) }
    isSettled = place != nil
  }

  /// The table with a known column of URLs.
  private init(_ table: ListTable, place: Int?, member: String?) {
    format = table.format
    separator = table.separator
    header = table.header
    names = table.names
    hash = table.hash
    wanted = table.wanted
    urls = table.urls
    isOfRows = table.isOfRows
    self.member = member
    columns = table.columns.enumerated().map { $0.offset == place ? .url : $0.element }
    isSettled = true
  }

  /// The column that is named so, or `url` if none is asked for; first as it is written, then in any case.
  private static func urlColumn(_ names: [String], _ wanted: ListColumns) -> Int? {
    let name = wanted.url ?? "url"
    return names.firstIndex { $0.utf8.elementsEqual(name.utf8) } ?? names.firstIndex { isSame($0, name) }
  }

  /// True if both names are the same, without regard to case and to blanks around them.
  private static func isSame(_ one: String, _ other: String) -> Bool {
    func plain(_ text: String) -> some Sequence<UInt8> {
      text.utf8.lazy.filter { $0 != UInt8(ascii: " ") }.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    }
    return plain(one).elementsEqual(plain(other))
  }

  /// The first name that occurs twice; nil if none does. The list chooses the names: comparing each with each, or by
  /// `Character`, could take hours, so a set of their bytes finds it.
  private static func repeated(_ names: [String]) -> String? {
    var seen = Set<[UInt8]>()
    return names.first { !seen.insert(Array($0.utf8)).inserted }
  }

  private static func isURL(_ text: String) -> Bool {
    let start = text.utf8.prefix(8).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    return ["http://", "https://", "s3://"].contains { start.starts(with: $0.utf8) }
  }

  /// The table, once a record shows which column holds URLs; nil if this record does not.
  ///
  /// - Throws: The reason why that cannot be known.
  func settled(by record: ArraySlice<UInt8>) throws(InputLine.Flaw) -> ListTable? {
    if isSettled { return self }
    var found: [(place: Int?, name: String)] = []
    if format.isOfObjects {
      guard let members = JSONMembers.read(record) else { return nil }
      let names = members.map(\.name)
      if let place = Self.urlColumn(names, wanted) { return ListTable(self, place: nil, member: names[place]) }
      for member in members where JSONMembers.text(of: member.value).map(Self.isURL) == true {
        found.append((nil, member.name))
      }
    } else {
      guard let cells = try? TableCells.split(record, separator ?? 0) else { return nil }
      for (place, cell) in cells.enumerated() where place < names.count {
        if Self.isURL(String(decoding: cell, as: UTF8.self)) { found.append((place, names[place])) }
      }
    }
    guard let first = found.first else { return nil }
    guard found.count == 1 else { throw InputLine.Flaw(reason: ColumnFlaw.several(found.map { $0.name })) }
    return ListTable(self, place: first.place, member: first.name)
  }

  /// The line that a record stands for. A flaw carries the record's note, since that record has a row, too.
  func line(_ content: ArraySlice<UInt8>) throws(InputLine.Flaw) -> InputLine {
    guard let checked = try? UTF8Span(validating: content.span) else {
      throw InputLine.Flaw(reason: "the record is not UTF-8")
    }
    if isOfRows { return try ShardRowLine.line(content, text: String(copying: checked), of: self) }
    let record = format.isOfObjects ? readObject(content) : readCells(content)
    var note = record.note
    if wanted.goAlong { note.add(columns: record.others) }
    // The readable part of it goes into its row.
    if let flaw = record.flaw {
      throw InputLine.Flaw(reason: flaw, url: record.url.map(MaskedText.of), note: note, id: record.id)
    }
    guard let typed = record.url, !typed.isEmpty else {
      let name = member ?? wanted.url ?? "url"
      throw InputLine.Flaw(
        reason: isSettled ? "the record has no \(SafeText.text(name))" : "the record has no url, and no URL elsewhere",
        note: note, id: record.id)
    }
    do {
      var line = InputLine(
        try urls.url(typed), id: record.id, text: String(copying: checked), note: note, of: self)
      (line.sha256, line.md5, line.isWanted) = (record.sha256, record.md5, record.isWanted)
      line.lacksFields = record.lacksFields
      line.referer = record.referer.flatMap { try? urls.url($0) }?.requestURL
      return line
    } catch {
      let url = MaskedText.of(typed)
      throw InputLine.Flaw(
        reason: "\(InvalidLine.shown(url)): \(error)", url: url, note: note, remedy: error.remedy, id: record.id)
    }
  }

  /// The content of a record.
  private struct Content {
    var url: String?
    var id: String?
    var referer: String?
    var note = RecordNote()
    /// Members of an object of all other columns.
    var others: [UInt8] = []
    /// Sums that the bytes must have.
    var sha256: [UInt8]?
    var md5: [UInt8]?
    /// False: it does not meet the conditions on its columns.
    var isWanted = true
    /// True if it ends before the last columns.
    var lacksFields = false
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
      // A digest of half the length is an MD5.
      md5 = InputLine.digest(text, length: 16)
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
    let (cells, flaw) = TableCells.read(record, separator ?? 0)
    var content = Content()
    content.flaw = flaw
    if flaw == nil, cells.count > columns.count {
      content.flaw = "the record has \(cells.count) fields, and the first line names \(columns.count)"
    }
    for (place, (column, cell)) in zip(columns, cells).enumerated() {
      let text = String(decoding: cell, as: UTF8.self)
      if place == hash { content.take(hash: text) }
      switch column {
      case .url: content.url = text
      case .id:
        // A cell cannot say that there is none but by being empty.
        content.id = text.isEmpty ? nil : text
        content.note.append("id")
        content.note.fields.append(json: text)
      case .caption:
        content.note.append("caption")
        content.note.fields.append(json: text)
        content.note.caption = cell
      case .referer(let name):
        if !text.isEmpty { content.referer = text }
        if wanted.goAlong { content.add(name) { $0.append(json: text) } }
      case .other(let name): if wanted.goAlong { content.add(name) { $0.append(json: text) } }
      }
    }
    if flaw == nil { addMissing(to: &content, from: cells.count) }
    content.isWanted = wanted.filters.allSatisfy { filter in
      let place = names.firstIndex { $0.utf8.elementsEqual(filter.column.utf8) }
      return filter.holds(field: place.flatMap { $0 < cells.count ? cells[$0][...] : nil })
    }
    return content
  }

  /// Adds null for the columns of fields that a record does not have: some programs leave out empty ones at its end.
  private func addMissing(to content: inout Content, from count: Int) {
    guard count < columns.count else { return }
    content.lacksFields = true
    let null = Array("null".utf8)
    for column in columns[count...] {
      switch column {
      case .caption:
        content.note.append("caption")
        content.note.fields += null
        content.note.caption = []
      case .referer(let name), .other(let name): if wanted.goAlong { content.add(name) { $0 += null } }
      case .url, .id: break
      }
    }
  }

  // MARK: - JSON Lines

  private func readObject(_ record: ArraySlice<UInt8>) -> Content {
    let (members, flaw) = JSONMembers.readFirst(record, deepest: JSONMembers.deepestOfLists)
    let url =
      members.lastIndex { member in self.member.map { member.name.utf8.elementsEqual($0.utf8) } ?? false }
      ?? Self.urlColumn(members.map(\.name), ListColumns(url: member ?? wanted.url))
    var content = Content()
    content.flaw = flaw
    // A column that was asked for is there for each record.
    if wanted.caption != nil { content.note.caption = [] }
    let usual = UsualColumns(members.lazy.map(\.name), wanted)
    for (index, member) in members.enumerated() {
      let isNull = member.value.elementsEqual("null".utf8)
      if !isNull, let hash = wanted.hash, member.name.utf8.elementsEqual(hash.utf8) {
        content.take(hash: JSONMembers.text(of: member.value) ?? String(decoding: member.value, as: UTF8.self))
      }
      if index == url {
        content.url = JSONMembers.text(of: member.value)
        continue
      }
      switch Column(member.name, at: index, usual, wanted) {
      case .url: break
      case .id:
        content.note.append("id")
        content.note.fields.append(json: member.value)
        if isNull { continue }
        content.id = JSONMembers.text(of: member.value) ?? String(decoding: member.value, as: UTF8.self)
      case .caption:
        content.note.append("caption")
        content.note.fields.append(json: member.value)
        content.note.caption = RecordNote.caption(of: member.value)
      case .referer(let name):
        content.referer = isNull ? nil : JSONMembers.text(of: member.value)
        if wanted.goAlong { content.add(name) { $0.append(json: member.value) } }
      case .other(let name): if wanted.goAlong { content.add(name) { $0.append(json: member.value) } }
      }
    }
    content.isWanted = wanted.filters.allSatisfy { filter in
      let value = members.last { $0.name.utf8.elementsEqual(filter.column.utf8) }?.value
      guard let value, !value.elementsEqual("null".utf8) else { return filter.holds(nil) }
      return filter.holds(JSONMembers.text(of: value).map { Array($0.utf8)[...] } ?? value)
    }
    return content
  }
}

// Lines of other forms among the records of a table.
extension ListTable {
  /// A table for lines that are of none; nil if there is none that options would read.
  ///
  /// - Parameter wanted: The columns that options name.
  static func forLines(_ format: Choices.ListFormat, _ wanted: ListColumns) -> ListTable? {
    guard format.hasHeader else { return ListTable(format, wanted) }
    let separator = format.separator ?? UInt8(ascii: ",")
    let names = [wanted.url ?? "url", "id", "referer"].map { cell($0, separator) }
    return try? ListTable(format, header: Array(names.joined(separator: [separator]))[...], wanted)
  }

  /// True if a record of the other table is a record of this one as it stands.
  func hasColumns(of other: ListTable) -> Bool {
    guard header == other.header else { return false }
    guard isSettled, other.isSettled, let member, let its = other.member else { return true }
    return member.utf8.elementsEqual(its.utf8)
  }

  /// The facts of a record that a table of other columns has, too.
  func essentials(of record: ArraySlice<UInt8>) -> LineEssentials {
    let content = format.isOfObjects ? readObject(record) : readCells(record)
    return LineEssentials(url: content.url, id: content.id, referer: content.referer)
  }

  /// A record of this table for a line that is of none, or of another.
  func record(of line: LineEssentials) -> [UInt8] { format.isOfObjects ? object(of: line) : cells(of: line) }

  private func object(of line: LineEssentials) -> [UInt8] {
    var record: [UInt8] = []
    ObjectWriter.append(to: &record) { object in
      object.text(member ?? wanted.url ?? "url", line.url ?? "")
      if let id = line.id { object.text("id", id) }
      if let referer = line.referer { object.text("referer", referer) }
    }
    return record
  }

  private func cells(of line: LineEssentials) -> [UInt8] {
    let separator = separator ?? UInt8(ascii: ",")
    // Where no record has shown a column of URLs, that of the first one will be it.
    let place = columns.firstIndex { if case .url = $0 { true } else { false } } ?? 0
    let cells = columns.enumerated().map { at, column in
      if at == place { return Self.cell(line.url, separator) }
      switch column {
      case .id: return Self.cell(line.id, separator)
      case .referer: return Self.cell(line.referer, separator)
      case .url, .caption, .other: return []
      }
    }
    return Array(cells.joined(separator: [separator]))
  }

  /// A field, between quotation marks where it needs them (RFC 4180).
  private static func cell(_ text: String?, _ separator: UInt8) -> [UInt8] {
    let bytes = Array((text ?? "").utf8)
    let quote = UInt8(ascii: "\"")
    let needsMarks = bytes.contains {
      $0 == quote || $0 == separator || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r")
    }
    guard needsMarks || bytes.first == UInt8(ascii: "#") || bytes.first == UInt8(ascii: " ") else { return bytes }
    return [quote] + bytes.flatMap { $0 == quote ? [quote, quote] : [$0] } + [quote]
  }
}

extension [UInt8] {
  /// Appends the text of a JSON value as it is, but for characters that could harm a terminal, which outside
  /// ASCII occur in strings only.
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
