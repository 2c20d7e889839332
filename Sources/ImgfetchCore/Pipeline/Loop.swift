import Synchronization

/// The pipeline's view of the network's thread.
protocol Loop: Sendable {
  /// Runs a closure there, with the network stage that lives there.
  @discardableResult
  func post(_ work: @escaping @Sendable (NetworkStage) -> Void) -> Bool
  /// Ends all transfers and the thread, and waits for that.
  func shutdown()
}
