/// Does the work in this process, on the calling thread.
package struct InProcessExecutor: PixelExecutor {
  package init() {}

  package var isShutIn: Bool { false }

  package func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    try work.run(body, facts, memory: memory)
  }
}
