/// The use of a body, decided from the head of its response.
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
