import ImgfetchCore

/// A line that makes no sense, or an operand. It fails like a URL that cannot be had, so that every line has its answer,
/// and whoever waits for that is not left waiting.
struct FlawedLine: Hashable, Sendable {
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
    error = FetchError(.refused, FlawedLine.shown(url), "\(failure)")
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
    tag = LineTag(number: number, id: FlawedLine.id(in: line))
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
