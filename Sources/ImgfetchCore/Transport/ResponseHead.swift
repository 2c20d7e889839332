/// The head of an answer.
package struct ResponseHead: Sendable {
  package enum HTTPVersion: Sendable { case http1_0, http1_1, http2 }

  package var status: Int
  package var httpVersion: HTTPVersion
  package var fields: HeaderFields
  /// What the answer says its body has, if it says so believably. Less or more is a failure of the transfer.
  package var contentLength: Int64?
  /// Who answered: the server, or the proxy where there is one.
  package var remoteAddress: IPAddress?
  /// Whether the connection had been used before.
  package var isConnectionReused = false

  package init(
    status: Int, httpVersion: HTTPVersion = .http1_1, fields: HeaderFields = HeaderFields(), contentLength: Int64? = nil
  ) {
    self.status = status
    self.httpVersion = httpVersion
    self.fields = fields
    self.contentLength = contentLength
  }
}
