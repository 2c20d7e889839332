/// Sends requests, one URL each, and tells its client what comes back.
///
/// Nothing is followed, retried or judged here: a transfer is one request and its answer. All calls are made on the
/// thread that the client lives on (the network loop's; a test's with a fake), also from inside the client's own methods:
/// they take effect after those have returned.
package protocol Transport: AnyObject {
  /// Begins a transfer. Its end is always told by ``TransportClient/transfer(_:didEnd:)``, unless it is cancelled.
  func start(_ request: TransferRequest)

  /// Breaks a transfer off. Nothing more is said of it, not even its end; unknown ones are passed over.
  func cancel(_ id: TransferID)

  /// Breaks a transfer off, hands over what has come of its body, and ends it with ``TransferEnd/stopped``.
  func stop(_ id: TransferID)

  /// Goes on receiving: what made the loop back off has drained.
  func resumeReceiving()
}

/// What the network loop tells, on its own thread only. It must not block: all transfers wait meanwhile.
package protocol TransportClient: AnyObject, SendableMetatype {
  /// The answer's head is here (interim answers are passed over).
  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision

  /// A part of the body. A body of up to 64 KiB comes whole; a larger one in pieces of about that size. The array is the
  /// client's. Of a complete body exactly one part says `isLast`; it may be empty.
  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool)

  /// So many bytes of this body have come, handed over or not: for those who watch.
  func transfer(_ id: TransferID, hasReceived count: Int64)

  /// The first bytes (up to 1 KiB) of a body that is slow to come: a page of HTML need not be waited for. Offered at
  /// the end of a turn, again while more of them come, and none of them is handed over by it. False: the transfer is
  /// broken off; what has come of it is handed over, and it ends with ``TransferEnd/stopped``.
  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool

  /// The transfer is over, and its place in the loop is free again.
  func transfer(_ id: TransferID, didEnd end: TransferEnd)

  /// All that was to be told in this turn has been: the moment to wake others, once. The answer is when the next turn is
  /// wanted at the latest; nil: when something happens.
  func turnDidEnd(at now: Instant) -> Instant?
}

/// What is to become of a body, decided from the head of its answer.
package enum HeadDecision: Sendable {
  /// It is wanted.
  case receive
  /// It is wanted if it is short and soon there: all of it within 64 KiB and the stall timeout. Else the transfer is broken off and ends
  /// with ``TransferEnd/stopped``, whatever went wrong.
  case receiveShort
  /// It is not wanted. A short one is let go by, which keeps the connection; else the transfer is broken off.
  /// Either way it ends with ``TransferEnd/complete``.
  case discard
  /// The transfer is broken off now and ends with ``TransferEnd/stopped``.
  case stop
}

/// How a transfer ended.
package enum TransferEnd: Sendable {
  /// The whole answer came (or all of it that was wanted).
  case complete
  /// This side broke it off.
  case stopped
  case failed(TransportFailure)
}

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
