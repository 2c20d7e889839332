/// The end of a transfer.
package enum TransferEnd: Sendable {
  /// The whole response arrived, or all of it that was wanted.
  case complete
  /// This side aborted the transfer.
  case stopped
  case failed(TransportFailure)
}
