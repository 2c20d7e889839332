/// The head of a response.
package struct ResponseHead: Sendable {
  package enum HTTPVersion: Sendable { case http1_0, http1_1, http2 }

  package var status: Int
  package var httpVersion: HTTPVersion
  package var fields: HeaderFields
  /// The body's length as announced, if the announcement is valid. A body of any other length is a failure of the
  /// transfer.
  package var contentLength: Int64?
  /// The server's address, or the proxy's if there is one.
  package var remoteAddress: IPAddress?
  /// True if the connection had been used before.
  package var isConnectionReused = false
  /// True if the end of the body is marked, not only by the end of the connection.
  var isEndTold = false

  package init(
    status: Int, httpVersion: HTTPVersion = .http1_1, fields: HeaderFields = HeaderFields(), contentLength: Int64? = nil
  ) {
    self.status = status
    self.httpVersion = httpVersion
    self.fields = fields
    self.contentLength = contentLength
  }

  /// True if the transport notices a body that ends too early: by its length, its last chunk, or the end of its stream.
  package var hasCertainEnd: Bool {
    isEndTold || contentLength != nil || httpVersion == .http2 || fields.first("Transfer-Encoding") != nil
  }
}
