/// Runs pixel work, in this process or another.
///
/// Codecs are large C libraries, and their input is not trusted. A program can therefore run them where a
/// flaw in them reaches neither its memory nor its user's files. A library that knows nothing of its host
/// runs them in its own process.
package protocol PixelExecutor: Sendable {
  /// True if a flaw in a codec stays where the work is done. Images that are decoded only because of a doubt about
  /// them need such an executor.
  var isShutIn: Bool { get }

  /// Has the work done, and waits for its result.
  func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8]

  /// The same executor, for the work of one image. If images have to wait, its origin decides about the order.
  func within(_ scope: PixelScope) -> any PixelExecutor

  /// Ends the current work, and does no more.
  func stop()

  /// Begins work that is done in several steps.
  func begin(
    _ work: some SteppedPixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> any PixelSteps

  /// Ends what stands ready for more work.
  func close()
}

extension PixelExecutor {
  package func close() {}

  package func within(_ scope: PixelScope) -> any PixelExecutor { self }
  package func stop() {}

  /// Begins stepped work, in this process unless the executor has another place for it.
  package func begin(
    _ work: some SteppedPixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> any PixelSteps {
    try work.begin(body, facts, memory: memory)
  }
}
