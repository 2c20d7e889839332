/// Pixel work that is done in several steps, each an answer to a question.
///
/// A value, so that it can be sent to another process, which restores it from ``encoded``.
package protocol SteppedPixelWork: Sendable {
  /// The work as bytes.
  var encoded: [UInt8] { get }

  /// Begins the work in this process.
  /// - Parameters:
  ///   - body: The whole image.
  ///   - facts: The result of its inspection.
  ///   - memory: The limit in bytes.
  func begin(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> any PixelSteps
}

/// Stepped work that has begun. Must be used by one thread at a time.
package protocol PixelSteps: AnyObject {
  /// Does the next step. A question has at least one byte.
  func answer(_ question: [UInt8]) throws(PixelFailure) -> [UInt8]
}

extension PixelExecutor {
  /// Begins stepped work, in this process unless the executor has another place for it.
  package func begin(
    _ work: some SteppedPixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> any PixelSteps {
    try work.begin(body, facts, memory: memory)
  }
}
