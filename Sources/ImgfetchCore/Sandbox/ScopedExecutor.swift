/// The helpers, for the work of one image.
struct ScopedExecutor: PixelExecutor {
  private let executor: SandboxedExecutor
  private let scope: PixelScope

  init(_ executor: SandboxedExecutor, _ scope: PixelScope) { (self.executor, self.scope) = (executor, scope) }

  var isShutIn: Bool { executor.isShutIn }

  func within(_ scope: PixelScope) -> any PixelExecutor { ScopedExecutor(executor, scope) }

  func stop() { executor.stop() }

  func perform(
    _ work: some PixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> [UInt8] {
    try executor.perform(work, body, facts, memory: memory, scope)
  }

  func begin(
    _ work: some SteppedPixelWork, _ body: ImageBody, _ facts: ImageFacts, memory: Int64
  ) throws(PixelFailure) -> any PixelSteps {
    try executor.begin(work, body, facts, memory: memory, scope)
  }
}
