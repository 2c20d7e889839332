import CPosixShim
import Glibc

/// Waits until a file can be read, and can be woken by another thread.
///
/// A blocking read cannot be cancelled: it returns with the next byte, which may never be sent.
package final class Waker: Sendable {
  package enum Outcome: Sendable {
    /// A read would not block: there is data, the end of the file, or an error.
    case ready
    /// ``wake()`` was called, before or during the wait.
    case woken
    case timedOut
  }

  /// The descriptor that wakes, or nil if the process had none left. A waiting thread then checks now and then.
  private let event: SharedDescriptor?

  /// The interval of those checks: too long to cost anything, and short enough for a person.
  private static let lookUp = Instant.Span.milliseconds(100)

  package init() { event = try? SharedDescriptor(Descriptor(owning: SystemCall.eventfd.perform { imgfetch_event() })) }

  /// Ends the current wait, or the next one if none is under way.
  package func wake() {
    guard let event else { return }
    var one: UInt64 = 1
    // Proof: the call reads eight bytes of a local number, during the call only.
    SystemCall.write.attempt { unsafe Glibc.write(event.file.raw, &one, MemoryLayout<UInt64>.size) }
  }

  /// The descriptor that is readable from ``wake()`` until ``clear()``, for a wait of another kind.
  package var signal: SharedDescriptor? { event }

  /// Waits until `file` can be read, but no longer than `time` (nil: without limit). Without a file it waits for
  /// ``wake()`` only.
  package func wait(for file: SharedDescriptor?, atMost time: Instant.Span? = nil) -> Outcome {
    let isBounded = time.map { event != nil || $0 <= Self.lookUp } ?? (event != nil)
    let limit = isBounded ? time : Self.lookUp
    let milliseconds = limit.map { Int32(clamping: max(0, $0.milliseconds)) } ?? -1
    // `poll` ignores an entry with a negative number.
    var both = [
      pollfd(fd: file?.file.raw ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: event?.file.raw ?? -1, events: Int16(POLLIN), revents: 0),
    ]
    // If `poll` fails, the caller's read reports the error.
    guard let count = try? SystemCall.poll.perform({ unsafe poll(&both, 2, milliseconds) }) else { return .ready }
    if both[1].revents != 0 {
      clear()
      return .woken
    }
    if count > 0 { return .ready }
    return isBounded ? .timedOut : .woken
  }

  /// Takes back what ``wake()`` has done.
  package func clear() {
    guard let event else { return }
    var count: UInt64 = 0
    // Proof: as above.
    SystemCall.read.attempt { unsafe Glibc.read(event.file.raw, &count, MemoryLayout<UInt64>.size) }
  }
}
