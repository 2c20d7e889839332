import CPosixShim
import Glibc

/// A value behind a mutex, with a condition variable to wait on. It is the only lock type of this program.
///
/// Two reasons speak for `pthread_mutex_t` and against `Synchronization.Mutex`. ThreadSanitizer cannot see into that
/// one's slow path on Linux and reports false races, and it has no condition variable, which the queues need.
/// Uncontended it costs some 20 ns. Hold it briefly: do not call other code's closures, wait for files or resume
/// continuations while holding it.
///
/// `State` may not be empty. A value of no size shares its address with the next field, and ThreadSanitizer takes a
/// read of that field for a race.
// Proof: `state` is accessed only while the lock is held, which this file alone ensures. For the same reason its
// exclusivity need not be checked at run time: a second access from within would deadlock before it got here.
@safe
package final class Guarded<State: ~Copyable>: @unchecked Sendable {
  @exclusivity(unchecked) private var state: State
  private let lock: UnsafeMutablePointer<imgfetch_lock>

  package init(_ state: consuming sending State) {
    unsafe self.state = state
    unsafe lock = .allocate(capacity: 1)
    unsafe imgfetch_lock_init(lock)
  }

  deinit {
    unsafe imgfetch_lock_destroy(lock)
    unsafe lock.deallocate()
  }

  @inline(__always)
  package func withLock<Value: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    unsafe imgfetch_lock_take(lock)
    defer { unsafe imgfetch_lock_give(lock) }
    return try unsafe body(&state)
  }

  /// Calls `body` at once, and again after each ``signal()`` or ``broadcast()``, until it returns a value. After the
  /// deadline, the result may be nil.
  package func wait<Value>(until deadline: Instant? = nil, _ body: (inout State) -> Value?) -> Value? {
    unsafe imgfetch_lock_take(lock)
    defer { unsafe imgfetch_lock_give(lock) }
    while true {
      if let value = unsafe body(&state) { return value }
      guard let deadline else {
        unsafe imgfetch_lock_wait(lock, nil)
        continue
      }
      var time = timespec(
        tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
      if unsafe imgfetch_lock_wait(lock, &time) == ETIMEDOUT { return unsafe body(&state) }
    }
  }

  /// Wakes one waiting thread.
  package func signal() { unsafe imgfetch_lock_wake_one(lock) }

  /// Wakes all waiting threads.
  package func broadcast() { unsafe imgfetch_lock_wake_all(lock) }
}
