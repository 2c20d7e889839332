import ImgfetchCore
import Synchronization

/// The patience with the reader of a pipe: without limit while a run goes on, a second once it ends. A pipe whose
/// reader has stopped would hold up the end for ever, with the lists that are still to be written.
final class ReaderPatience: Sendable {
  private let isEnding = Atomic<Bool>(false)
  private let clock = SystemClock()

  /// The time that a reader has to take anything, once the run ends.
  private static let lastWait = Instant.Span.seconds(1)
  /// The milliseconds from one look to the next.
  private static let pause = 100

  /// Notes that the run ends. Waits that have begun end, too.
  func end() { isEnding.store(true, ordering: .releasing) }

  /// Waits until a pipe takes bytes, as a write would. Throws if nothing reads from it and the run ends. A socket says
  /// that it is full long before it is, so that a write to one waits by itself.
  func wait(for stream: borrowing Descriptor) throws(SystemError) {
    if stream.hasRoom(within: 0) || (try? stream.status())?.isPipe != true { return }
    var deadline: Instant?
    while !stream.hasRoom(within: Self.pause) {
      guard isEnding.load(ordering: .acquiring) else { continue }
      let now = clock.now()
      if let deadline, now >= deadline { throw SystemError(.write, .tryAgain) }
      deadline = deadline ?? now + Self.lastWait
    }
  }
}
