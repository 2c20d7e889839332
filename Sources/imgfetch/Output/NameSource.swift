import ImgfetchCore

/// The facts from which an output's name can be made before the image is known. A reference, since the names that are
/// made from it keep it.
final class NameSource: Sendable {
  /// The URL's last path segment, percent-decoded.
  let segment: String
  let host: String
  /// The URL's path, percent-encoded. It is computed on demand, since most runs do not use it.
  var path: String { url?.path ?? ownPath }
  private let url: WebURL?
  private let ownPath: String
  let keyHash: ContentHash
  /// The key as it is stored in outputs.
  let key: OutputKey
  let keyText: String
  /// The number of the line in the run, from 1.
  let index: Int
  /// The number of the line in its list; nil for an operand.
  let line: Int?
  /// The text of the line's field `id=`.
  let id: String?
  /// The day on which the run began.
  let date: String
  /// The URL's query, percent-encoded.
  var query: String { url?.query ?? "" }

  init(
    segment: String, host: String, path: String, key: String, index: Int, line: Int? = nil, id: String? = nil,
    date: String = ""
  ) {
    self.segment = segment
    self.host = host
    ownPath = path
    url = nil
    keyHash = ContentHash(of: key)
    self.key = OutputKey(of: key)
    keyText = key
    self.index = index
    (self.line, self.id, self.date) = (line, id, date)
  }

  init(
    _ url: WebURL, key: String, keyHash: ContentHash, index: Int, line: Int? = nil, id: String? = nil, date: String = ""
  ) {
    segment = url.lastPathSegment
    host = url.host
    self.url = url
    ownPath = ""
    self.keyHash = keyHash
    self.key = OutputKey(of: key)
    keyText = key
    self.index = index
    (self.line, self.id, self.date) = (line, id, date)
  }
}
