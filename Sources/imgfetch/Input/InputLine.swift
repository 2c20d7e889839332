import ImgfetchCore

/// One image that an operand or a line of a list asks for: `URL` or `URL<TAB>name`, and further fields separated by
/// TABs.
struct InputLine: Sendable {
  let url: WebURL
  /// The name of its output, relative to the output folder, which it never leaves.
  var name: String?
  /// The name without its extension, which depends on the bytes.
  var stem: String?
  var priority = FetchRequest.Priority.normal
  /// The checksum that the bytes must have.
  var sha256: [UInt8]?
  /// A weaker one, of a table that has no other.
  var md5: [UInt8]?
  /// False if it does not meet the conditions on its columns, and is skipped.
  var isWanted = true
  /// Further URLs of the same image.
  var mirrors: [WebURL] = []
  /// The page that the image is of, sent along with the request.
  var referer: String?
  /// True of a record that ends before the last columns of its table.
  var lacksFields = false
  /// True if a page at a public address names it, which may lead to no other kind of address.
  var isNamedByPublicPage = false
  /// The texts of the line that its row repeats.
  var tag = LineTag()
  /// The whole line as given, for the list of failed lines.
  let text: String
  /// The table that the line is a record of; nil if it is not of a table.
  private(set) var table: ListTable?
  private var columns: RecordNote?

  /// The facts that accompany the image into a data set.
  var note: RecordNote { columns ?? RecordNote(of: self) }

  /// The number of the record in the list from which it first came; nil if that is its number in this list.
  var record: Int? { columns?.record }

  init(_ url: WebURL, id: String? = nil, text: String, note: RecordNote, of table: ListTable) {
    self.url = url
    tag.id = id
    self.text = text
    self.table = table
    columns = note
  }

  init(operand: String, _ urls: URLReader = URLReader()) throws(URLFailure) {
    url = try urls.url(operand)
    text = operand
  }

  /// The fault of a line, as a clause.
  struct Flaw: Error, Hashable {
    let reason: String
    /// The text to show in place of the line's URL, without secrets; nil if that is the beginning of the line.
    var url: String?
    /// The facts that accompany the record despite its fault; nil for a line that is not of a table.
    var note: RecordNote?
    /// The lack of this machine, where it is not the line's fault.
    var remedy: FetchError.Remedy?
    /// The record's own name for itself.
    var id: String?
  }

  /// A line of a list; nil for a comment and a blank line.
  init?(_ line: ArraySlice<UInt8>, _ urls: URLReader = URLReader()) throws(Flaw) {
    guard let line = InputLine.content(of: line) else { return nil }
    guard let checked = try? UTF8Span(validating: line.span) else { throw Flaw(reason: "the line is not UTF-8") }
    let text = String(copying: checked)
    self.text = text
    // Most lines are a URL and nothing else.
    if !line.contains(UInt8(ascii: "\t")) {
      url = try InputLine.url(text, urls)
      return
    }
    // Split by bytes: a TAB and a combining mark are one Character.
    let fields = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    let typed = InputLine.text(InputLine.trimmed(fields[0]))
    if typed.isEmpty { throw Flaw(reason: "the URL is missing before the first TAB") }
    url = try InputLine.url(typed, urls)
    for (at, field) in fields.enumerated().dropFirst() where !field.isEmpty {
      // The second field is the name, unless it is clearly one of the others.
      if let (kind, value) = LineField.split(field) {
        try take(kind, value, field, urls)
      } else if at == 1 {
        name = try InputLine.checked(name: field)
      } else {
        throw InputLine.unknown(field)
      }
    }
  }

  /// The content of a record; nil for a comment or a blank line.
  static func content(of record: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let line = trimmed(record)
    return line.first == UInt8(ascii: "#") || line.allSatisfy({ $0 == UInt8(ascii: "\t") }) ? nil : line
  }

  /// A record without surrounding blanks, and without the CR of a Windows line.
  static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let last = line.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\r") { line.removeLast() }
    while line.first == UInt8(ascii: " ") { line.removeFirst() }
    return line
  }

  private static func url(_ text: String, _ urls: URLReader, of field: String = "") throws(Flaw) -> WebURL {
    do { return try urls.url(text) } catch {
      throw Flaw(reason: "\(field)\(InvalidLine.shown(MaskedText.of(text))): \(error)", remedy: error.remedy)
    }
  }

  private mutating func take(
    _ kind: LineField, _ value: ArraySlice<UInt8>, _ field: ArraySlice<UInt8>, _ urls: URLReader
  ) throws(Flaw) {
    switch kind {
    case .priority:
      guard let level = InputLine.priorities.first(where: { $0.word.utf8.elementsEqual(value) })?.level else {
        throw Flaw(reason: "'\(InputLine.shown(field))': high or low is wanted")
      }
      priority = level
    case .sha256:
      guard let digest = InputLine.digest(InputLine.text(value)) else {
        throw Flaw(reason: "'\(InputLine.shown(field))': 64 hex digits are wanted")
      }
      sha256 = digest
    case .mirror: mirrors.append(try InputLine.url(InputLine.text(InputLine.trimmed(value)), urls, of: "mirror="))
    case .referer:
      let url = try InputLine.url(InputLine.text(InputLine.trimmed(value)), urls, of: "referer=")
      // Without its fragment, its name and its password, as browsers send it.
      referer = url.requestURL
    case .stem:
      if value.isEmpty { throw Flaw(reason: "a name is wanted behind stem=") }
      stem = try InputLine.checked(name: value)
    case .reach:
      guard value.elementsEqual("public".utf8) else {
        throw Flaw(reason: "'\(InputLine.shown(field))': public is wanted")
      }
      isNamedByPublicPage = true
    case .id: tag.id = value.isEmpty ? nil : InputLine.text(value)
    // It is for readers of the list, and for the next run's comparison with it.
    case .was: break
    }
  }

  private static let priorities: [(word: String, level: FetchRequest.Priority)] = [
    ("high", .high), ("low", .low), ("normal", .normal),
  ]

  private static func unknown(_ field: ArraySlice<UInt8>) -> Flaw {
    // Only the name of the field: its value may be a URL with a password.
    let equals = field.firstIndex(of: UInt8(ascii: "="))
    let name = equals.map { InputLine.shown(field[...$0]) } ?? SafeText.text(MaskedText.of(text(field)))
    let names = LineField.allCases.filter { $0 != .was && $0 != .reach }.map { $0.rawValue + "=" }
    return Flaw(
      reason: "'\(name)' is no field; behind the name there may be \(names.dropLast().joined(separator: ", ")) and "
        + (names.last ?? ""))
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func shown(_ bytes: ArraySlice<UInt8>) -> String { SafeText.text(text(bytes)) }

  /// Returns the name if it is valid. It is compared as bytes: a slash and a combining mark are one Character, and
  /// still end a folder's name.
  private static func checked(name: ArraySlice<UInt8>) throws(Flaw) -> String {
    if name.contains(0) { throw Flaw(reason: "the name '\(shown(name: name))' holds NUL") }
    if StoreAddress.isURL(text(name)) {
      throw Flaw(reason: "the name '\(shown(name: name))' is a URL; mirror=URL is another one of the same image")
    }
    let slash = UInt8(ascii: "/")
    if name.first == slash || name.split(separator: slash).contains(where: { $0.elementsEqual("..".utf8) }) {
      throw Flaw(reason: "the name '\(shown(name: name))' leads out of the output folder")
    }
    if name.last == slash || name.split(separator: slash).last?.elementsEqual(".".utf8) == true {
      throw Flaw(reason: "the name '\(shown(name: name))' is a folder's")
    }
    return text(name)
  }

  /// A name in a message. One that is a URL was meant for a mirror, and may have a password.
  private static func shown(name: ArraySlice<UInt8>) -> String {
    let text = text(name)
    return SafeText.text(StoreAddress.isURL(text) ? MaskedText.of(text) : text)
  }

  /// The bytes of a sum, a SHA-256 by default, in hex digits.
  static func digest(_ text: String, length: Int = 32) -> [UInt8]? {
    text.utf8.count == 2 * length ? Hex.bytes(text) : nil
  }
}

/// The fields that may follow a URL and a name, each behind its word and an equals sign.
enum LineField: String, CaseIterable {
  case priority, sha256, mirror, id, stem, referer, reach, was

  /// The field and its value; nil if the text is none.
  static func split(_ text: ArraySlice<UInt8>) -> (LineField, value: ArraySlice<UInt8>)? {
    guard let equals = text.firstIndex(of: UInt8(ascii: "=")),
      let field = allCases.first(where: { $0.rawValue.utf8.elementsEqual(text[..<equals]) })
    else { return nil }
    return (field, text[(equals + 1)...])
  }
}
