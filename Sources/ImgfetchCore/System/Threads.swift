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

/// A value behind a mutex, with a condition variable to wait on. It is the only lock type of this program.
///
/// It uses `pthread_mutex_t` and not `Synchronization.Mutex` for two reasons. ThreadSanitizer cannot see into that
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

/// A value with many fields that its copies share until one of them changes it.
///
/// A copy costs one retain, and not one for each field. That matters for values that are passed along at every step.
package struct CopiedOnWrite<Values: Sendable>: Sendable {
  // Proof: the box is written to only while it has a single reference.
  private final class Box: @unchecked Sendable {
    // Unchecked: see the proof below. The check would cost 90 instructions at each access to each field, and fields are
    // read dozens of times for an image.
    @exclusivity(unchecked) var values: Values
    init(_ values: Values) { unsafe self.values = values }
  }

  private var box: Box

  package init(_ values: Values) { box = Box(values) }

  // Proof that no access overlaps with a change to the same box: by the law of exclusivity a change has this value to
  // itself, and it has just checked that no other value refers to the box.
  package var values: Values {
    _read { yield unsafe box.values }
    _modify {
      if !isKnownUniquelyReferenced(&box) { box = unsafe Box(box.values) }
      yield unsafe &box.values
    }
  }
}

/// Counters in a file that any number of processes update at once, without a lock.
///
/// The file is mapped shared, and every access is a 64-bit atomic one. The caller must ensure that the file is as long
/// as stated and that its space is reserved: touching a page beyond the end, or a sparse one on a full disk, raises
/// SIGBUS. Other processes may still truncate the file at any time, so a check before each access would prove nothing.
/// If they do, or if the disk fails, the counters are lost: all of them read as 0 from then on, and additions have no
/// effect.
///
/// Reading and writing under a lock instead would take four system calls for each stored image, and 3 % of its time.
// Proof: `base` points to `count` aligned words that stay mapped until deinit. Every access is atomic and checked
// against `count`, so threads and processes may share them. The mapping outlives the descriptor.
@safe
package final class MappedCounters: @unchecked Sendable {
  private let base: UnsafeMutablePointer<Atomic<UInt64>>
  package let count: Int
  private let guarding: OpaquePointer

  /// Maps the first `count` words of a file that is open for reading and writing.
  package init(mapping file: borrowing Descriptor, count: Int) throws(SystemError) {
    let raw = file.raw
    let length = count * MemoryLayout<UInt64>.stride
    let address = try SystemCall.mmap.perform { () -> Int in
      let address = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0)
      return Int(bitPattern: address)  // MAP_FAILED is -1, as of other calls
    }
    guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: address) else { throw SystemError(.mmap, .noMemory) }
    guard let guarding = unsafe imgfetch_mapping_guard(pointer, length) else {
      SystemCall.munmap.attempt { unsafe munmap(pointer, length) }
      throw SystemError(.mmap, .noMemory)
    }
    unsafe self.guarding = guarding
    unsafe base = pointer.bindMemory(to: Atomic<UInt64>.self, capacity: count)
    self.count = count
  }

  deinit {
    unsafe imgfetch_mapping_release(guarding)
    SystemCall.munmap.attempt { unsafe munmap(base, count * MemoryLayout<UInt64>.stride) }
  }

  /// The word at `index`. Out of range, it reads as 0 and is not written.
  package subscript(index: Int) -> UInt64 {
    get {
      guard index >= 0, index < count else { return 0 }
      return unsafe base[index].load(ordering: .relaxed)
    }
    set {
      guard index >= 0, index < count else { return }
      unsafe base[index].store(newValue, ordering: .relaxed)
    }
  }

  /// Adds a number, which may be negative: in two's complement it is the same addition.
  package func add(_ number: Int64, at index: Int) {
    guard index >= 0, index < count else { return }
    _ = unsafe base[index].wrappingAdd(UInt64(bitPattern: number), ordering: .relaxed)
  }

  /// Replaces `old` by `new`. Returns false if the word is not `old`.
  package func exchange(_ old: UInt64, for new: UInt64, at index: Int) -> Bool {
    guard index >= 0, index < count else { return false }
    return unsafe base[index].compareExchange(expected: old, desired: new, ordering: .relaxed).exchanged
  }
}
