import CPosixShim
import Glibc

/// Calls a thread back that waits until there is something to read.
///
/// A read itself cannot be called off: who is in one comes back with the next byte, which may never be sent.
package final class Waker: Sendable {
  package enum Outcome: Sendable {
    /// A read will not wait: there is something, or the end, or an error that it tells.
    case ready
    /// ``wake()`` was called, before or meanwhile.
    case woken
    case timedOut
  }

  /// Nil where the process has no descriptors left: then a waiting thread looks up now and then.
  private let event: SharedDescriptor?

  /// How often that is: too seldom to cost anything, and soon enough for a person.
  private static let lookUp = Instant.Span.milliseconds(100)

  package init() {
    event = try? SharedDescriptor(Descriptor(owning: SystemCall.eventfd.perform { imgfetch_event() }))
  }

  /// Has the one who waits come back; where none does, the next one who would.
  package func wake() {
    guard let event else { return }
    var one: UInt64 = 1
    // Proof: eight bytes of a number on this stack, used during the call.
    SystemCall.write.attempt { unsafe Glibc.write(event.file.raw, &one, MemoryLayout<UInt64>.size) }
  }

  /// Waits until `file` can be read, for so long at the most; nil: for ever. Without a file it only waits to be woken.
  package func wait(for file: SharedDescriptor?, atMost time: Instant.Span? = nil) -> Outcome {
    let isBounded = time.map { event != nil || $0 <= Self.lookUp } ?? (event != nil)
    let limit = isBounded ? time : Self.lookUp
    let milliseconds = limit.map { Int32(clamping: max(0, $0.milliseconds)) } ?? -1
    // One with a negative number counts for nothing.
    var both = [
      pollfd(fd: file?.file.raw ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: event?.file.raw ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    // What cannot be waited for is read: the read says what is wrong.
    guard let count = try? SystemCall.poll.perform({ unsafe poll(&both, 2, milliseconds) }) else { return .ready }
    if both[1].revents != 0 {
      clear()
      return .woken
    }
    if count > 0 { return .ready }
    return isBounded ? .timedOut : .woken
  }

  private func clear() {
    guard let event else { return }
    var count: UInt64 = 0
    // Proof: as above.
    SystemCall.read.attempt { unsafe Glibc.read(event.file.raw, &count, MemoryLayout<UInt64>.size) }
  }
}
