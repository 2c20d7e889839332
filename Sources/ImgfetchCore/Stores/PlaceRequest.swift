/// One request to a store: a web server's folder, or a bucket, that the user writes into or reads from.
struct PlaceRequest: Sendable {
  enum Body: Sendable {
    case none
    /// A part of the file that the conversation is about.
    case file(from: Int64, count: Int64)
    case bytes([UInt8])
  }

  var method = "GET"
  var url: WebURL
  /// The query, without the question mark.
  var query: String?
  /// The header fields, of which those that begin with `x-amz-` are signed.
  var fields: [(name: String, value: String)] = []
  var body = Body.none
  /// The bytes of the answer's body that are kept. The rest is not awaited.
  var keeps = 64 << 10
  /// True if the body is only hashed, to its end.
  var isDigested = false
  /// The time limit for connecting, or nil for that of images.
  var connectTimeout: Instant.Span?
}
