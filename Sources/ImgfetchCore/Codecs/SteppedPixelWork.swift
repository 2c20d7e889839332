/// Pixel work that is done in several steps, each an answer to a question.
///
/// A value, so that it can be sent to another process, which restores it from ``encoded``.
package protocol SteppedPixelWork: Sendable {
  var encoded: [UInt8] { get }

  /// The most bytes that an answer can have.
  var longestAnswer: Int { get }

  /// Begins the work in this process.
  /// - Parameters:
  ///   - body: The whole image.
  ///   - facts: The result of its inspection.
  ///   - memory: The limit in bytes.
  func begin(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> any PixelSteps
}
