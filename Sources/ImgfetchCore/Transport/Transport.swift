/// Sends requests, one URL each, and reports the responses to its client.
///
/// It follows no redirects, retries nothing and judges nothing: a transfer is one request and its response. All calls
/// must be made on the client's thread (the network loop's; a test's with a fake). Those made inside the client's
/// methods take effect after these have returned.
package protocol Transport: AnyObject {
  /// Starts a transfer. Its end is always reported by ``TransportClient/transfer(_:didEnd:)``, unless it is cancelled.
  func start(_ request: TransferRequest)

  /// Aborts a transfer. Nothing more is reported about it, not even its end. Unknown ones are ignored.
  func cancel(_ id: TransferID)

  /// Aborts a transfer, delivers what was received of its body, and ends it with ``TransferEnd/stopped``.
  func stop(_ id: TransferID)

  /// Resumes receiving after the data that caused back-pressure has drained.
  func resumeReceiving()
}

/// Receives the network loop's events, on the loop's thread only. It must not block, since all transfers wait
/// meanwhile.
package protocol TransportClient: AnyObject, SendableMetatype {
  /// The response's head has arrived. Interim responses are not reported.
  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision

  /// A part of the body. A body of up to 64 KiB comes whole, a larger one in pieces of about that size. The client owns
  /// the array. Exactly one part of a complete body has `isLast`; it may be empty.
  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool)

  /// The number of bytes of this body that have arrived, delivered or not, for progress reports.
  func transfer(_ id: TransferID, hasReceived count: Int64)

  /// The first bytes (up to 1 KiB) of a body that arrives slowly, so that an HTML page need not be waited for. Offered
  /// at the end of a turn, and again while more of them arrive; they are not delivered by this. False aborts the
  /// transfer: what has arrived is delivered, and the transfer ends with ``TransferEnd/stopped``.
  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool

  /// The transfer has ended, and its slot in the loop is free.
  func transfer(_ id: TransferID, didEnd end: TransferEnd)

  /// All events of this turn have been reported; the time to wake others, once. Returns when the next turn is wanted at
  /// the latest, if ever.
  func turnDidEnd(at now: Instant) -> Instant?
}

/// What to do with a body, decided from the head of its response.
package enum HeadDecision: Sendable {
  /// Receive it.
  case receive
  /// Receive it if it is short and fast: all of it within 64 KiB and the stall timeout. Else the transfer is aborted
  /// and ends with ``TransferEnd/stopped``, whatever went wrong.
  case receiveShort
  /// Drop it. A short body is read to its end, which keeps the connection; a longer one is aborted. Both end with
  /// ``TransferEnd/complete``.
  case discard
  /// Abort the transfer now; it ends with ``TransferEnd/stopped``.
  case stop
}

/// How a transfer ended.
package enum TransferEnd: Sendable {
  /// The whole response arrived, or all of it that was wanted.
  case complete
  /// This side aborted it.
  case stopped
  case failed(TransportFailure)
}

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

  /// Whether the transport notices a body that ends too early: by its length, its last chunk, or the end of its stream.
  package var hasCertainEnd: Bool {
    contentLength != nil || httpVersion == .http2 || fields.first("Transfer-Encoding") != nil
  }
}
