import ImgfetchCore

/// One image that the command line or a list asks for: `URL`, or `URL<TAB>name`, and further fields between TABs.
struct InputLine: Sendable {
  let url: WebURL
  /// The name that its output is to have, relative to the output folder; it never leads out of it.
  var name: String?
  /// The same without its extension, which follows the bytes.
  var stem: String?
  var priority = FetchRequest.Priority.normal
  /// The checksum that its bytes must have.
  var sha256: [UInt8]?
  /// Further URLs of the same image.
  var mirrors: [WebURL] = []
  /// What comes back in its row.
  var tag = LineTag()
  /// The whole line as it was given, for the list of those that failed.
  let text: String

  /// An operand.
  init(operand: String) throws(URLFailure) {
    url = try WebURL(operand)
    text = operand
  }

  /// What is wrong with a line, as a clause.
  struct Flaw: Error, Hashable {
    let reason: String
  }

  /// A line of a list; nil for a comment and a blank line.
  init?(_ line: ArraySlice<UInt8>) throws(Flaw) {
    guard let line = InputLine.content(of: line) else { return nil }
    guard let checked = try? UTF8Span(validating: line.span) else { throw Flaw(reason: "the line is not UTF-8") }
    let text = String(copying: checked)
    self.text = text
    // Most lines are a URL and nothing else.
    if !line.contains(UInt8(ascii: "\t")) {
      url = try InputLine.url(text)
      return
    }
    let fields = text.split(separator: "\t", omittingEmptySubsequences: false)
    let typed = InputLine.trimmed(fields[0])
    if typed.isEmpty { throw Flaw(reason: "the URL is missing before the first TAB") }
    url = try InputLine.url(typed)
    for (at, field) in fields.enumerated().dropFirst() where !field.isEmpty {
      // The second is the name, unless it is plainly one of the others.
      if at == 1 && !InputLine.isNamed(field) {
        name = try InputLine.checked(name: String(field))
      } else {
        try take(field)
      }
    }
  }

  /// What a record holds; nil: a comment, or nothing.
  static func content(of record: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let line = trimmed(record)
    return line.first == UInt8(ascii: "#") || line.allSatisfy({ $0 == UInt8(ascii: "\t") }) ? nil : line
  }

  /// A record without the blanks around it, and without the CR that another system's editor ends a line with.
  static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line
    while let last = line.last, last == UInt8(ascii: " ") || last == UInt8(ascii: "\r") { line.removeLast() }
    while line.first == UInt8(ascii: " ") { line.removeFirst() }
    return line
  }

  private static func url(_ text: String, of field: String = "") throws(Flaw) -> WebURL {
    do { return try WebURL(text) } catch {
      throw Flaw(reason: "\(field)\(InvalidLine.shown(WebURL.masked(text))): \(error)")
    }
  }

  private mutating func take(_ field: Substring) throws(Flaw) {
    let value = String(field.drop { $0 != "=" }.dropFirst())
    if field.hasPrefix("priority=") {
      switch value {
      case "high": priority = .high
      case "low": priority = .low
      case "normal": priority = .normal
      default: throw Flaw(reason: "'\(SafeText.text(String(field)))': high or low is wanted")
      }
    } else if field.hasPrefix("sha256=") {
      guard let digest = InputLine.digest(value) else {
        throw Flaw(reason: "'\(SafeText.text(String(field)))': 64 hex digits are wanted")
      }
      sha256 = digest
    } else if field.hasPrefix("mirror=") {
      mirrors.append(try InputLine.url(InputLine.trimmed(value[...]), of: "mirror="))
    } else if field.hasPrefix("stem=") {
      if value.isEmpty { throw Flaw(reason: "a name is wanted behind stem=") }
      stem = try InputLine.checked(name: value)
    } else if field.hasPrefix("id=") {
      tag.id = value.isEmpty ? nil : value
    } else {
      // Only what it is called: its value may be a URL with a password in it.
      let name = field.contains("=") ? field.prefix { $0 != "=" } + "=" : WebURL.masked(String(field))[...]
      throw Flaw(
        reason:
          "'\(SafeText.text(String(name)))' is no field; behind the name there may be priority=, sha256=, mirror=, id= and stem="
      )
    }
  }

  private static func isNamed(_ field: Substring) -> Bool {
    ["priority=", "sha256=", "mirror=", "id=", "stem="].contains { field.hasPrefix($0) }
  }

  private static func trimmed(_ text: Substring) -> String {
    var text = text
    while text.last == " " { text.removeLast() }
    while text.first == " " { text.removeFirst() }
    return String(text)
  }

  private static func checked(name: String) throws(Flaw) -> String {
    let shown = SafeText.text(name)
    if name.utf8.contains(0) { throw Flaw(reason: "the name '\(shown)' holds NUL") }
    if name.hasPrefix("/") || name.split(separator: "/").contains("..") {
      throw Flaw(reason: "the name '\(shown)' leads out of the output folder")
    }
    if name.hasSuffix("/") { throw Flaw(reason: "the name '\(shown)' is a folder's") }
    return name
  }

  private static func digest(_ text: String) -> [UInt8]? {
    guard text.utf8.count == 64 else { return nil }
    var bytes: [UInt8] = []
    var high: UInt8?
    for digit in text.utf8 {
      let value: UInt8
      switch digit {
      case 0x30...0x39: value = digit - 0x30
      case 0x41...0x46: value = digit - 0x37
      case 0x61...0x66: value = digit - 0x57
      default: return nil
      }
      if let first = high {
        bytes.append(first << 4 | value)
        high = nil
      } else {
        high = value
      }
    }
    return bytes
  }
}

/// A line that makes no sense, or an operand. It fails like a URL that cannot be had, so that every line has its answer,
/// and whoever waits for that is not left waiting.
struct InvalidLine: Hashable, Sendable {
  /// What stands where its URL should, without secrets; empty if nothing does.
  let url: String
  /// What the list of those that failed has for it: the line as it was given.
  let text: [UInt8]
  let error: FetchError
  /// What comes back in its row.
  var tag = LineTag()

  /// An operand.
  init(operand: String, _ failure: URLFailure) {
    url = WebURL.masked(operand)
    text = Array(operand.utf8)
    error = FetchError(.refused, InvalidLine.shown(url), "\(failure)")
  }

  /// A URL within a message: of one that is longer than any (a `data:` body, a lost newline) the beginning tells which it is.
  static func shown(_ url: String) -> String {
    url.utf8.count <= 300 ? url : url.prefix(100) + "…"
  }

  /// A line of a list.
  ///
  /// - Parameter place: the list's name and the line's number.
  init(_ line: ArraySlice<UInt8>, number: Int?, at place: String, _ reason: String) {
    let line = InputLine.trimmed(line)
    url = WebURL.masked(String(decoding: line.prefix { $0 != UInt8(ascii: "\t") }, as: UTF8.self))
    text = Array(line)
    error = FetchError(.refused, place, reason)
    tag = LineTag(number: number, id: InvalidLine.id(in: line))
  }

  /// The text of its field `id=`, whatever is wrong with the others.
  private static func id(in line: ArraySlice<UInt8>) -> String? {
    let name = "id=".utf8
    let field = line.split(separator: UInt8(ascii: "\t")).dropFirst().last { $0.starts(with: name) }
    guard let text = field?.dropFirst(name.count), !text.isEmpty else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  /// A line that nobody keeps. Part of it would be another URL, so the list of failures has a remark in its place.
  init(tooLongAt place: String, number: Int?) {
    url = ""
    tag.number = number
    error = FetchError(.refused, place, "the line is longer than \(LineReader.lineLimit >> 20) MiB")
    text = Array("# \(error.message)".utf8)
  }

  /// A line that was put aside, and is not there any more.
  init(changedAt place: String, number: Int?) {
    url = ""
    tag.number = number
    error = FetchError(.file, place, "the list was changed while it was read")
    text = Array("# \(error.message)".utf8)
  }
}
