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
  // Sendable because `state` is touched only between lock and unlock of `mutex`, which this file alone does.
  private var state: State
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>

  package init(_ state: consuming sending State) {
    self.state = state
    unsafe mutex = .allocate(capacity: 1)
    unsafe mutex.initialize(to: pthread_mutex_t())
    unsafe pthread_mutex_init(mutex, nil)
    unsafe condition = .allocate(capacity: 1)
    unsafe condition.initialize(to: pthread_cond_t())
    // Waits are measured on the clock that does not jump.
    var attributes = pthread_condattr_t()
    unsafe pthread_condattr_init(&attributes)
    unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    unsafe pthread_cond_init(condition, &attributes)
    unsafe pthread_condattr_destroy(&attributes)
  }

  deinit {
    unsafe pthread_cond_destroy(condition)
    unsafe condition.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  @inline(__always)
  package func withLock<Value: ~Copyable, Failure: Error>(
    _ body: (inout State) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Sleeps until `body` has an answer: it is asked at once, and again after each ``signal()`` or ``broadcast()``.
  /// With a deadline the answer may be nil.
  package func wait<Value>(until deadline: Instant? = nil, _ body: (inout State) -> Value?) -> Value? {
    unsafe pthread_mutex_lock(mutex)
    defer { unsafe pthread_mutex_unlock(mutex) }
    while true {
      if let value = body(&state) { return value }
      guard let deadline else {
        unsafe pthread_cond_wait(condition, mutex)
        continue
      }
      var time = timespec(
        tv_sec: Int(deadline.nanoseconds / 1_000_000_000), tv_nsec: Int(deadline.nanoseconds % 1_000_000_000))
      if unsafe pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT { return body(&state) }
    }
  }

  /// Wakes one of those who wait.
  package func signal() { unsafe pthread_cond_signal(condition) }

  /// Wakes all of them.
  package func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
