import CPosixShim
import Glibc

/// Plain threads, for work that blocks. Swift's concurrency costs 3 to 30 microseconds a hop, measured; a picture takes 70.
package enum Threads {
  /// A started thread, to be joined once (its owner sees to that).
  package struct Handle: ~Copyable, Sendable {
    fileprivate let thread: pthread_t
    /// Waits for the thread's end.
    package func join() { pthread_join(thread, nil) }
  }

  /// How many cores this process may use.
  package static var cores: Int { Int(imgfetch_core_count()) }

  /// Has the calling thread do nothing for so long.
  package static func rest(milliseconds: Int) {
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    unsafe nanosleep(&time, nil)
  }

  /// Starts a thread.
  package static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> Handle {
    let box = unsafe Unmanaged.passRetained(
      Body {
        // Signals are the main thread's: a worker that is interrupted would only have to go on.
        var all = sigset_t()
        unsafe sigfillset(&all)
        // But for the one that says that mapped memory is gone: who has that blocked is ended by it.
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
    return Handle(thread: thread)
  }

  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }

    // Proof: the pointer is the one retained reference that `start` handed over; it is taken back exactly once.
    static let run: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
      guard let pointer = unsafe pointer else { return nil }
      unsafe Unmanaged<Body>.fromOpaque(pointer).takeRetainedValue().run()
      return nil
    }
  }
}
