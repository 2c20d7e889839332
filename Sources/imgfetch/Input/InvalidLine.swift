import ImgfetchCore

/// An invalid line or operand. It fails like a URL that cannot be fetched: every line gets an answer, since a program
/// may wait for it.
struct InvalidLine: Hashable, Sendable {
  /// The text in place of its URL, without secrets; may be empty.
  let url: String
  /// The line as given, for the list of failed lines.
  let text: [UInt8]
  let error: FetchError
  /// The texts of the line that its row repeats.
  var tag = LineTag()
  private var columns: RecordNote?

  /// The note that goes along with it into a data set: as much as could be read of it, and its text.
  var note: RecordNote {
    var note = columns ?? RecordNote(id: tag.id)
    // A row that is tried once more has it already.
    if record == nil, !isComment { note.append(text: text) }
    return note
  }

  /// True where the text only says why there is none.
  private var isComment = false

  /// The number of the record in the list from which it first came; nil if that is its number in this list.
  var record: Int? { columns?.record }

  init(operand: String, _ failure: URLFailure) {
    url = MaskedText.of(operand)
    text = Array(operand.utf8)
    error = FetchError(.refused, InvalidLine.shown(url), "\(failure)", remedy: failure.remedy)
  }

  /// A URL in a message. An overlong one (a `data:` body, a missing newline) is cut: its beginning identifies it.
  static func shown(_ url: String) -> String { url.utf8.count <= 300 ? url : url.prefix(100) + "…" }

  /// A line of a list.
  ///
  /// - Parameter place: the list's name and the line's number.
  init(_ line: ArraySlice<UInt8>, number: Int?, at place: String, ofLine flaw: InputLine.Flaw) {
    let line = InputLine.trimmed(line)
    url = MaskedText.of(String(decoding: line.prefix { $0 != UInt8(ascii: "\t") }, as: UTF8.self))
    text = Array(line)
    error = FetchError(.refused, place, flaw.reason, remedy: flaw.remedy)
    tag = LineTag(number: number, id: InvalidLine.id(in: line))
  }

  /// A record of a table.
  init(_ content: ArraySlice<UInt8>, number: Int?, at place: String, _ flaw: InputLine.Flaw) {
    url = flaw.url ?? ""
    text = Array(content)
    error = FetchError(.refused, place, flaw.reason, remedy: flaw.remedy)
    tag = LineTag(number: number, id: flaw.id)
    columns = flaw.note ?? RecordNote()
  }

  /// The text of its field `id=`, even if other fields are invalid.
  private static func id(in line: ArraySlice<UInt8>) -> String? {
    let name = "id=".utf8
    let field = line.split(separator: UInt8(ascii: "\t")).dropFirst().last { $0.starts(with: name) }
    guard let text = field?.dropFirst(name.count), !text.isEmpty else { return nil }
    return String(decoding: text, as: UTF8.self)
  }

  /// A line that is too long to be kept. A part of it would be another URL, so the list of failed lines gets a comment
  /// instead.
  init(tooLongAt place: String, number: Int?, _ format: Choices.ListFormat = .lines) {
    url = ""
    tag.number = number
    error = FetchError(.refused, place, "the line is longer than \(format.recordLimit >> 20) MiB")
    text = Array("# \(error.message)".utf8)
    isComment = true
  }

  /// A deferred line that is no longer in its list.
  init(changedAt place: String, number: Int?) {
    url = ""
    tag.number = number
    error = FetchError(.file, place, "the list was changed while it was read")
    text = Array("# \(error.message)".utf8)
    isComment = true
  }
}
