/// The head of an answer whose body is taken. A reference, as it goes through several hands on two threads.
final class AnswerHead: Sendable {
  let url: WebURL
  let status: Int
  let fields: HeaderFields
  let contentLength: Int64?
  /// True if a truncated body can be detected. It cannot if only the end of the connection ends it.
  let hasCertainEnd: Bool
  let requestTime: WallTime
  let responseTime: WallTime
  /// The way on which the answer came.
  let provenance: Provenance
  /// The reason why the image may not go into a remote cache, found in the redirects on the way, or nil if it may.
  let sharingObstacle: String?

  init(
    url: WebURL, status: Int, fields: HeaderFields, contentLength: Int64?, requestTime: WallTime,
    responseTime: WallTime, provenance: Provenance = Provenance(), sharingObstacle: String? = nil,
    hasCertainEnd: Bool = false
  ) {
    self.url = url
    self.status = status
    self.fields = fields
    self.contentLength = contentLength
    self.hasCertainEnd = hasCertainEnd || contentLength != nil
    self.requestTime = requestTime
    self.responseTime = responseTime
    self.provenance = provenance
    self.sharingObstacle = sharingObstacle
  }
}

extension AnswerHead {
  /// True if the body comes compressed, and is stored uncompressed.
  var isCompressed: Bool { ContentCoding(fields) == .gzip }

  /// The head of the body after decompression.
  var decoded: AnswerHead {
    var plain = fields
    plain.remove(allOf: ContentCoding.ownFields)
    return AnswerHead(
      url: url, status: status, fields: plain, contentLength: nil, requestTime: requestTime, responseTime: responseTime,
      provenance: provenance, sharingObstacle: sharingObstacle, hasCertainEnd: hasCertainEnd)
  }

  /// The head of the whole answer, if this is the head of its rest: the earlier head, updated by this one (RFC 9111
  /// §3.4), with the length of the whole.
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
      responseTime: responseTime, provenance: provenance.confirmed(by: self.provenance),
      sharingObstacle: sharingObstacle, hasCertainEnd: hasCertainEnd)
  }
}
