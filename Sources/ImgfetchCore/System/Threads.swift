import CPosixShim
import Glibc

/// Plain threads, for work that blocks. Swift concurrency costs 3 to 30 µs a hop (measured), and an image takes 70.
package enum Threads {
  /// A started thread. Its owner joins or detaches it once.
  package final class Handle: Sendable {
    private let thread: pthread_t
    fileprivate init(_ thread: pthread_t) { self.thread = thread }

    /// Waits for the thread's end.
    package func join() { pthread_join(thread, nil) }

    /// In place of ``join()``: the system frees what it holds of the thread when that ends.
    package func detach() { pthread_detach(thread) }
  }

  /// How many cores this process may use.
  package static var cores: Int { Int(imgfetch_core_count()) }

  /// Suspends the calling thread.
  package static func sleep(milliseconds: Int) {
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    unsafe nanosleep(&time, nil)
  }

  /// Starts a thread with signals blocked, and its name cut to the 15 bytes that the kernel keeps.
  package static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> Handle {
    let box = unsafe Unmanaged.passRetained(
      Body {
        // The main thread handles signals. An interrupted worker would only have to continue.
        var all = sigset_t()
        unsafe sigfillset(&all)
        // Except SIGBUS, which reports that mapped memory is gone. Blocked, it would kill the process.
        unsafe sigdelset(&all, SIGBUS)
        unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
        unsafe imgfetch_thread_name(String(name.prefix(15)))
        body()
      })
    var thread = pthread_t()
    do throws(SystemError) {
      _ = try SystemCall.threadCreate.perform { () -> Int32 in
        let code = unsafe pthread_create(&thread, nil, Body.run, box.toOpaque())
        if code != 0 { errno = code }
        return code == 0 ? 0 : -1
      }
    } catch {
      unsafe box.release()
      throw error
    }
    return Handle(thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    // Proof: the pointer is the one reference that `start` retained. It is released exactly once.
    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
      guard let pointer = unsafe pointer else { return nil }
      unsafe Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
      return nil
    }
  }
}

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

  /// Nil if the process had no descriptors left. A waiting thread then checks now and then.
  private let event: SharedDescriptor?

  /// The interval of those checks: too long to cost anything, and short enough for a person.
  private static let lookUp = Instant.Span.milliseconds(100)

  package init() {
    event = try? SharedDescriptor(Descriptor(owning: SystemCall.eventfd.perform { imgfetch_event() }))
  }

  /// Ends the current wait, or the next one if none is under way.
  package func wake() {
    guard let event else { return }
    var one: UInt64 = 1
    // Proof: the call reads eight bytes of a local number, during the call only.
    SystemCall.write.attempt { unsafe Glibc.write(event.file.raw, &one, MemoryLayout<UInt64>.size) }
  }

  /// What can be read from ``wake()`` until ``clear()``, for a wait of another kind.
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
    // If `poll` fails, the caller's read reports what is wrong.
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
