import CPosixShim
import Glibc
import Synchronization

/// Plain threads, for work that blocks. Swift concurrency costs 3 to 30 µs a hop (measured), and an image takes 70.
package enum Threads {
  /// A started thread. It is either joined, once, or runs on by itself when there is no handle any more.
  package final class Handle: Sendable {
    private let thread: pthread_t
    private let isJoined = Atomic<Bool>(false)
    fileprivate init(_ thread: pthread_t) { self.thread = thread }

    /// The system keeps a thread's stack until the thread is joined or, having been detached, ends.
    deinit { if !isJoined.load(ordering: .relaxed) { pthread_detach(thread) } }

    /// Waits for the thread's end.
    package func join() {
      isJoined.store(true, ordering: .relaxed)
      pthread_join(thread, nil)
    }
  }

  /// The number of cores that this process may use.
  package static var cores: Int { Int(imgfetch_core_count()) }

  /// Suspends the calling thread.
  package static func sleep(milliseconds: Int) {
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    unsafe nanosleep(&time, nil)
  }

  /// Starts a thread with signals blocked, and its name cut to the 15 bytes that the kernel keeps.
  @discardableResult
  package static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> Handle {
    let box = unsafe Unmanaged.passRetained(
      Body {
        // The main thread handles signals. An interrupted worker would only have to continue.
        var all = sigset_t()
        unsafe sigfillset(&all)
        // Except faults of this very thread, such as SIGBUS, which reports that mapped memory is gone. Blocked, they
        // would kill the process.
        for fault in [SIGBUS, SIGSEGV, SIGILL, SIGTRAP] { unsafe sigdelset(&all, fault) }
        unsafe pthread_sigmask(SIG_SETMASK, &all, nil)
        unsafe imgfetch_thread_name(String(name.prefix(15)))
        body()
      })
    var thread = pthread_t()
    do throws(SystemError) {
      try SystemCall.threadCreate.performReturningError {
        unsafe pthread_create(&thread, nil, Body.run, box.toOpaque())
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

/// The processor time of a thread. Any thread may ask.
package struct ProcessorClock: Sendable {
  private let identifier: clockid_t?

  /// The clock of the thread that asks for it.
  package static func ofThisThread() -> ProcessorClock {
    var identifier = clockid_t()
    return ProcessorClock(identifier: unsafe pthread_getcpuclockid(pthread_self(), &identifier) == 0 ? identifier : nil)
  }

  /// The processor time of the thread; none where it has ended.
  package var time: Instant.Span {
    var time = timespec()
    guard let identifier, unsafe clock_gettime(identifier, &time) == 0 else { return Instant.Span(nanoseconds: 0) }
    return Instant.Span(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}
