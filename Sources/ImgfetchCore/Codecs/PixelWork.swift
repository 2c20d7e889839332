/// A job for decoders and encoders.
///
/// A value, so that it can be sent to another process, which restores it from ``encoded``.
package protocol PixelWork: Sendable {
  /// The job as bytes.
  var encoded: [UInt8] { get }

  /// The formats that are decoded or encoded, of such an image.
  func formats(for facts: ImageFacts) -> Set<ImageFormat>

  /// The most bytes that the result of such work can have. A longer answer of a helper is not trusted.
  func longestResult(_ facts: ImageFacts, encoded: Int64) -> Int

  /// The seconds of a processor that the work may take beside those for decoding.
  func encodingSeconds(_ facts: ImageFacts) -> Int64

  /// Does the work in this process and returns its result.
  /// - Parameters:
  ///   - body: An image that passed inspection.
  ///   - facts: The result of the inspection.
  ///   - memory: The limit in bytes.
  func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8]
}

extension PixelWork {
  package func formats(for facts: ImageFacts) -> Set<ImageFormat> { [facts.format] }
  package func longestResult(_ facts: ImageFacts, encoded: Int64) -> Int { 64 << 10 }
  package func encodingSeconds(_ facts: ImageFacts) -> Int64 { 0 }
}
