/// The head of an answer whose body is taken. A reference, as it goes through several hands on two threads.
final class AnswerHead: Sendable {
  let url: WebURL
  let status: Int
  let fields: HeaderFields
  let contentLength: Int64?
  /// Whether a body that ends too early is told from one that is complete. Not if the end of the connection is its only end.
  let hasCertainEnd: Bool
  let requestTime: WallTime
  let responseTime: WallTime
  /// Which way it came.
  let provenance: Provenance

  init(
    url: WebURL, status: Int, fields: HeaderFields, contentLength: Int64?, requestTime: WallTime,
    responseTime: WallTime, provenance: Provenance = Provenance(), hasCertainEnd: Bool = false
  ) {
    self.url = url
    self.status = status
    self.fields = fields
    self.contentLength = contentLength
    self.hasCertainEnd = hasCertainEnd || contentLength != nil
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.provenance = provenance
  }
}

extension AnswerHead {
  /// The head of the whole answer, of which this is the rest's: what was said of the whole before, updated by what is
  /// said now (RFC 9111 §3.4), with the length of the whole.
  func completing(_ earlier: HeaderFields, _ provenance: Provenance) -> AnswerHead {
    guard status == 206 else { return self }
    let total = fields.first("Content-Range").flatMap(ContentRange.parse)?.total
    var whole = earlier
    // As after a 304: the age counts from this answer.
    for name in ["Age", "Date"] { whole.remove(name) }
    _ = whole.update(from: fields)
    for name in ["Content-Range", "Content-Length"] { whole.remove(name) }
    if let total { whole.append("Content-Length", String(total)) }
    return AnswerHead(
      url: url, status: 200, fields: whole, contentLength: total.map(Int64.init), requestTime: requestTime,
      responseTime: responseTime, provenance: provenance.confirmed(by: self.provenance), hasCertainEnd: hasCertainEnd)
  }
}
