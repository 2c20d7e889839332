/// Finds the fields of rows that a report counts, in one pass over their bytes and without memory for any.
///
/// Rows of one file have their fields in one order, so the fields of the row before are looked for first.
package struct RowScanner: Sendable {
  /// A field, by its name in a row.
  private enum Field: String, CaseIterable {
    case none
    case url, key, file, output, path, id, time, cache, written, mime, format, sha256
    case finalURL = "final_url"
    case duplicateOf = "duplicate_of"
    case sourceSHA256 = "source_sha256"
    case line, record, status, width, height, bytes, downloaded, attempts
    case elapsed = "elapsed_ms"
    case revalidated, shared, stale, whole, flaws
    case error, fingerprints, consent, summary, shard, page
    // Within those.
    case kind, message, thumbhash, blurhash, dhash, phash, verdict, started, complete
  }

  /// The bytes of a name of up to sixteen.
  private struct Name: Hashable {
    var first: UInt64 = 0
    var second: UInt64 = 0

    init(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) {
      guard end - start <= 16 else { return }
      for at in start..<end {
        second = second << 8 | first >> 56
        first = first << 8 | UInt64(bytes[at])
      }
    }

    init(_ text: String) { self.init(Array(text.utf8).span, 0, text.utf8.count) }
  }

  private static let inner: Set<Field> = [
    .kind, .message, .thumbhash, .blurhash, .dhash, .phash, .verdict, .started, .complete,
  ]
  private static let names = table(Set(Field.allCases).subtracting(inner))
  /// A shard's failure has its status within.
  private static let innerNames = table(inner.union([.status]))

  private static func table(_ fields: Set<Field>) -> [Name: Field] {
    Dictionary(uniqueKeysWithValues: fields.map { (Name($0.rawValue), $0) })
  }

  private var order: [(name: Name, field: Field)] = []
  private static let longestOrder = 64

  package init() {}

  /// Reads a line. False: it is no JSON object.
  package mutating func scan(_ bytes: Span<UInt8>, _ row: inout Row) -> Bool {
    row = Row()
    guard bytes.count < Int(Int32.max) else { return false }
    var at = 0
    skipBlanks(bytes, &at)
    guard take(UInt8(ascii: "{"), bytes, &at) else { return false }
    var isOfShard = false
    var place = 0
    if !take(UInt8(ascii: "}"), bytes, &at) {
      repeat {
        guard let name = self.name(bytes, &at) else { return false }
        let field = field(name, place)
        if field == .shard { isOfShard = true }
        guard value(of: field, bytes, &at, &row) else { return false }
        place += 1
      } while take(UInt8(ascii: ","), bytes, &at)
      guard take(UInt8(ascii: "}"), bytes, &at) else { return false }
    }
    skipBlanks(bytes, &at)
    guard at == bytes.count else { return false }
    if row.kind == .other {
      if isOfShard {
        row.kind = .shard
      } else if !row.address.isEmpty || (row.hasFailed && !row.errorKind.isEmpty) {
        // The failure of a line that makes no sense has no address.
        row.kind = .image
      }
    }
    return true
  }

  private mutating func field(_ name: Name, _ place: Int) -> Field {
    if place < order.count, order[place].name == name { return order[place].field }
    let field = Self.names[name] ?? .none
    if place < order.count {
      order[place] = (name, field)
    } else if place == order.count, place < Self.longestOrder {
      order.append((name, field))
    }
    return field
  }

  // MARK: Values

  private func value(of field: Field, _ bytes: Span<UInt8>, _ at: inout Int, _ row: inout Row) -> Bool {
    skipBlanks(bytes, &at)
    guard at < bytes.count else { return false }
    switch field {
    case .url: return text(bytes, &at, &row.url)
    case .finalURL: return text(bytes, &at, &row.finalURL)
    case .key: return text(bytes, &at, &row.key)
    case .file: return text(bytes, &at, &row.file)
    case .output: return text(bytes, &at, &row.output)
    case .path: return text(bytes, &at, &row.path)
    case .id: return text(bytes, &at, &row.id)
    case .time: return text(bytes, &at, &row.time)
    case .cache: return text(bytes, &at, &row.cache)
    case .written: return text(bytes, &at, &row.written)
    case .duplicateOf: return text(bytes, &at, &row.duplicateOf)
    case .mime: return text(bytes, &at, &row.mime)
    case .format: return text(bytes, &at, &row.format)
    case .sha256: return text(bytes, &at, &row.sha256)
    case .sourceSHA256: return text(bytes, &at, &row.sourceSHA256)
    case .record: return text(bytes, &at, &row.record)
    case .kind: return text(bytes, &at, &row.errorKind)
    case .message: return text(bytes, &at, &row.message)
    case .thumbhash: return text(bytes, &at, &row.thumbhash)
    case .blurhash: return text(bytes, &at, &row.blurhash)
    case .dhash: return text(bytes, &at, &row.dhash)
    case .phash: return text(bytes, &at, &row.phash)
    case .verdict: return text(bytes, &at, &row.verdict)
    case .started: return text(bytes, &at, &row.started)
    case .line, .status, .width, .height, .bytes, .downloaded, .attempts, .elapsed:
      return number(of: field, bytes, &at, &row)
    case .revalidated: return flag(bytes, &at, &row.isRevalidated)
    case .shared: return flag(bytes, &at, &row.isShared)
    case .stale: return flag(bytes, &at, &row.isStale)
    case .complete: return flag(bytes, &at, &row.isComplete)
    case .flaws:
      row.hasFlaws = bytes[at] == UInt8(ascii: "[")
      return skipValue(bytes, &at)
    case .error:
      row.hasFailed = bytes[at] == UInt8(ascii: "{")
      return members(bytes, &at, &row)
    case .summary:
      row.kind = .summary
      return members(bytes, &at, &row)
    case .page:
      row.hasPage = bytes[at] == UInt8(ascii: "\"")
      return skipValue(bytes, &at)
    case .fingerprints, .consent: return members(bytes, &at, &row)
    case .none, .whole, .shard: return skipValue(bytes, &at)
    }
  }

  /// The members of an object within a row, or any other value.
  private func members(_ bytes: Span<UInt8>, _ at: inout Int, _ row: inout Row) -> Bool {
    guard take(UInt8(ascii: "{"), bytes, &at) else { return skipValue(bytes, &at) }
    if take(UInt8(ascii: "}"), bytes, &at) { return true }
    repeat {
      guard let name = self.name(bytes, &at) else { return false }
      guard value(of: Self.innerNames[name] ?? .none, bytes, &at, &row) else { return false }
    } while take(UInt8(ascii: ","), bytes, &at)
    return take(UInt8(ascii: "}"), bytes, &at)
  }

  private func text(_ bytes: Span<UInt8>, _ at: inout Int, _ text: inout Row.Text) -> Bool {
    guard bytes[at] == UInt8(ascii: "\"") else { return skipValue(bytes, &at) }
    let start = at + 1
    guard skipString(bytes, &at) else { return false }
    text = Row.Text(start: Int32(start), end: Int32(at - 1))
    return true
  }

  private func flag(_ bytes: Span<UInt8>, _ at: inout Int, _ flag: inout Bool) -> Bool {
    flag = bytes[at] == UInt8(ascii: "t")
    return skipValue(bytes, &at)
  }

  private func number(of field: Field, _ bytes: Span<UInt8>, _ at: inout Int, _ row: inout Row) -> Bool {
    let start = at
    guard skipValue(bytes, &at) else { return false }
    guard let value = RowNumber.value(bytes, start, at) else { return true }
    // No picture has as many of anything.
    let whole = Int64(min(max(value, -1e15), 1e15))
    switch field {
    case .line: row.line = Int(whole)
    case .status: row.status = Int(whole)
    case .width: row.width = Int(whole)
    case .height: row.height = Int(whole)
    case .bytes: row.bytes = whole
    case .downloaded: row.downloaded = whole
    case .attempts: row.attempts = Int(whole)
    case .elapsed: row.elapsed = value
    default: break
    }
    return true
  }

  // MARK: The grammar

  private func skipBlanks(_ bytes: Span<UInt8>, _ at: inout Int) {
    while at < bytes.count, bytes[at] <= 32 { at += 1 }
  }

  private func take(_ byte: UInt8, _ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
    skipBlanks(bytes, &at)
    guard at < bytes.count, bytes[at] == byte else { return false }
    at += 1
    return true
  }

  private func name(_ bytes: Span<UInt8>, _ at: inout Int) -> Name? {
    skipBlanks(bytes, &at)
    guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else { return nil }
    let start = at + 1
    guard skipString(bytes, &at) else { return nil }
    let name = Name(bytes, start, at - 1)
    return take(UInt8(ascii: ":"), bytes, &at) ? name : nil
  }

  /// Goes behind a string that begins here.
  private func skipString(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
    at += 1
    while at < bytes.count {
      let byte = bytes[at]
      at += 1
      if byte == UInt8(ascii: "\"") { return true }
      if byte == UInt8(ascii: "\\") { at += 1 }
    }
    return false
  }

  /// Goes behind any value. Depth costs nothing.
  private func skipValue(_ bytes: Span<UInt8>, _ at: inout Int) -> Bool {
    var depth = 0
    while at < bytes.count {
      switch bytes[at] {
      case UInt8(ascii: "\""):
        guard skipString(bytes, &at) else { return false }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        depth += 1
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return false }
        depth -= 1
        at += 1
      case UInt8(ascii: ","), UInt8(ascii: ":"):
        if depth == 0 { return false }
        at += 1
        continue
      case 0...32:
        at += 1
        continue
      default:
        while at < bytes.count, Self.isOfLiteral(bytes[at]) { at += 1 }
      }
      if depth == 0 { return true }
      // A byte that belongs to nothing would not be passed.
      if at < bytes.count, !Self.isMark(bytes[at]) { return false }
    }
    return false
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte <= 32 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: ":") || byte == UInt8(ascii: "}")
      || byte == UInt8(ascii: "]") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[")
      || byte == UInt8(ascii: "\"") || isOfLiteral(byte)
  }

  /// True for bytes of numbers and words.
  private static func isOfLiteral(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")
      || byte == UInt8(ascii: ".")
  }
}

/// Days of the Gregorian calendar, counted from 1970.
enum Day {
  static func number(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    // Years that begin in March have their leap day at the end.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let ofEra = year - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
