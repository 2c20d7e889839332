/// Receives the network loop's events, on the loop's thread only. It must not block, since all transfers wait
/// meanwhile.
package protocol TransportClient: AnyObject, SendableMetatype {
  /// The response's head has arrived. Interim responses are not reported.
  func transfer(_ id: TransferID, didReceiveHead head: ResponseHead) -> HeadDecision

  /// Delivers a part of the body. A body of up to 64 KiB comes whole, a larger one in pieces of about that size. The
  /// client owns the array. Exactly one part of a complete body has `isLast`; it may be empty.
  func transfer(_ id: TransferID, didReceive bytes: [UInt8], isLast: Bool)

  /// Reports the number of bytes of this body that have arrived, delivered or not, for progress reports.
  func transfer(_ id: TransferID, hasReceived count: Int64)

  /// The first bytes (up to 1 KiB) of a body that arrives slowly, so that an HTML page need not be waited for. Offered
  /// at the end of a turn, and again while more of them arrive; this does not deliver them. Returning false aborts the
  /// transfer: the received part is delivered, and the transfer ends with ``TransferEnd/stopped``.
  func transfer(_ id: TransferID, peek bytes: borrowing Span<UInt8>) -> Bool

  /// Reports that the transfer has ended, and its slot in the loop is free.
  func transfer(_ id: TransferID, didEnd end: TransferEnd)

  /// A transfer has begun to open a connection, which has this number until it is closed. If a transfer tries two,
  /// one is closed soon.
  func connection(_ number: Int32, openedBy id: TransferID)

  /// A transfer's request is about to go out, over a connection of its own or over an earlier one.
  func transferDidConnect(_ id: TransferID)

  /// A connection is closed. The number may be that of another one at once.
  func connectionClosed(_ number: Int32)

  /// True if a transfer's connection stays open after it, as far as the server allows that. Asked at each head.
  func keepsConnection(of id: TransferID) -> Bool

  /// All events of this turn have been reported; the time to wake others, once. Returns when the next turn is wanted at
  /// the latest, if ever.
  func turnDidEnd(at now: Instant) -> Instant?
}

extension TransportClient {
  package func connection(_ number: Int32, openedBy id: TransferID) {}
  package func transferDidConnect(_ id: TransferID) {}
  package func connectionClosed(_ number: Int32) {}
  package func keepsConnection(of id: TransferID) -> Bool { true }
}
