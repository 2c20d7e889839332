import ImgfetchCore

/// Does something `count` times at once, each on a thread of its own, and waits for all of them. An error of one of
/// them is thrown in the end.
package func together(_ count: Int, _ work: @escaping @Sendable (Int) throws -> Void) throws {
  let failure = Guarded<(any Error)?>(nil)
  /// Each call owns its thread and joins it, however the starting of the others goes.
  func start(from number: Int) throws {
    guard number < count else { return }
    let thread = try Threads.start(name: "together-\(number)") {
      do { try work(number) } catch { failure.withLock { $0 = error } }
    }
    defer { thread.join() }
    try start(from: number + 1)
  }
  try start(from: 0)
  if let failure = failure.withLock({ $0 }) { throw failure }
}
