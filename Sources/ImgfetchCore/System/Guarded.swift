import CPosixShim
import Glibc

/// The one lock type: a value that is only reached while its mutex is held, and can be waited on.
///
/// It stands on `pthread_mutex_t` and not on `Synchronization.Mutex`, for two reasons. ThreadSanitizer does not see into
/// the slow path of that one on Linux and reports races that are none; and the queues need a condition, which it has not.
/// Uncontended it costs some 20 ns. Hold it for a few words of work; never call out, wait for a file or resume
/// anybody while holding it.
///
/// The value may not be empty: one of no size lies where the next field does, and the thread sanitizer takes the reading of that
/// one for a race.
@safe
package final class Guarded<State: ~Copyable>: @unchecked Sendable {
  // Sendable because `state` is touched only while the lock is held, which this file alone sees to. That is also why its exclusivity
  // need not be checked at run time: who comes back for it while holding it stands still at the lock.
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

  /// Sleeps until `body` has an answer: it is asked at once, and again after each ``signal()`` or ``broadcast()``.
  /// With a deadline the answer may be nil.
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

  /// Wakes one of those who wait.
  package func signal() { unsafe imgfetch_lock_wake_one(lock) }

  /// Wakes all of them.
  package func broadcast() { unsafe imgfetch_lock_wake_all(lock) }
}
