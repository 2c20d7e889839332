/// Something that is done to an image's pixels: all that decoders and encoders are called for.
///
/// A value, so that it can be handed to another process. There the bytes of ``encoded`` are what it is made from again.
package protocol PixelWork: Sendable {
  /// What it is, as bytes.
  var encoded: [UInt8] { get }

  /// Does it, here and now. The answer is what came of it, in bytes.
  /// - Parameters:
  ///   - body: An image whose structure was inspected.
  ///   - facts: What the inspection said.
  ///   - memory: Bytes that may be held.
  func run(_ body: ImageBody, _ facts: ImageFacts, memory: Int64) throws(PixelFailure) -> [UInt8]
}

/// Where work on pixels is done.
///
/// The codecs are large, written in C and fed by strangers. So a program can have them called where a flaw in them reaches
/// neither its memory nor its user's files; a library that knows nothing of its host calls them where it is.
package protocol PixelExecutor: Sendable {
  /// Has the work done, and waits for it.
  func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8]
}

/// In this process, by the thread that asks.
package struct InProcessExecutor: PixelExecutor {
  package init() {}

  package func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    try work.run(body, facts, memory: memory)
  }
}
