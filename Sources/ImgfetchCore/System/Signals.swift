import CPosixShim
import Glibc

/// Signals as something that a thread waits for, and not as something that breaks in anywhere.
package struct Signals: Sendable {
  private let numbers: [Int32]

  /// From now on these signals reach nobody but ``next()``. To be called before other threads are started: they inherit it.
  ///
  /// Those that whoever started the process had silenced stay so: a shell does that for what it runs in the background, where
  /// the Ctrl-C is meant for another, and so does nohup.
  package init(blocking numbers: [Int32]) {
    self.numbers = numbers.filter { imgfetch_signal_is_ignored($0) == 0 }
    var set = Self.set(of: self.numbers)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits for the next of them.
  package func next() -> Int32 {
    var set = Self.set(of: numbers)
    var number: Int32 = 0
    while unsafe sigwait(&set, &number) != 0 {}
    return number
  }

  /// The next of them; nil if none comes within that time.
  package func next(within time: Instant.Span) -> Int32? {
    var set = Self.set(of: numbers)
    var patience = WallTime(nanoseconds: time.nanoseconds).timespec
    let number = unsafe sigtimedwait(&set, nil, &patience)
    return number > 0 ? number : nil
  }

  /// Has one of them do to the process what it would do without us, such as stopping it, and comes back when that is over.
  package func pass(_ number: Int32) {
    var set = Self.set(of: [number])
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    // To this thread, so it is dealt with before the call returns.
    raise(number)
    unsafe pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  private static func set(of numbers: [Int32]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for number in numbers { unsafe sigaddset(&set, number) }
    return set
  }
}
