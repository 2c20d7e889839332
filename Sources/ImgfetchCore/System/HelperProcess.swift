import CSandboxShim
import Glibc
import Synchronization

/// A helper process of this program, and the channel to it.
///
/// It inherits nothing but the channel: no other file, no environment. It is killed with the last reference to this
/// object, and at the latest when this process ends.
package final class HelperProcess: Sendable {
  package let pid: pid_t
  private let channel: SharedDescriptor

  /// The reason why a call to a helper failed.
  package enum Failure: Error {
    case ended
    /// The helper neither answers nor uses processor time.
    case stuck
    /// The helper has used up the time that a job is given.
    case slow
    /// The time of what the job is for is over.
    case overtime
    case system(SystemError)
  }

  private let isOver = Atomic<Bool>(false)

  /// The time for which an answer is awaited.
  package struct Patience: Sendable {
    /// The time at which the job has taken too long, or nil if it may take as long as it works.
    package var end: Instant?
    /// The time after which the answer is useless, or nil if there is none.
    package var deadline: Instant?

    package init(end: Instant? = nil, deadline: Instant? = nil) { (self.end, self.deadline) = (end, deadline) }
  }

  private let clock: any Clock
  /// The milliseconds between two checks whether the time is over: too many to cost anything.
  private static let interval: Int32 = 100
  /// The time that a helper may go without using the processor.
  private static let idleTime = Instant.Span.seconds(60)

  /// Starts a helper.
  ///
  /// - Parameters:
  ///   - path: The program. `/proc/self/exe` is this one, even if its file has been replaced since.
  ///   - name: Its `argv[0]`.
  ///   - clock: Measures how long it takes.
  package init(_ path: String, name: String, clock: any Clock = SystemClock()) throws(SystemError) {
    self.clock = clock
    var (ours, theirs): (Int32, Int32) = (-1, -1)
    _ = try SystemCall.socketpair.perform { unsafe imgfetch_channel(Self.interval, &ours, &theirs) }
    channel = SharedDescriptor(Descriptor(owning: ours))
    let other = Descriptor(owning: theirs)
    pid = try HelperRegistry.add { () throws(SystemError) in
      try HelperSpawner.start(path, name: name, channel: other.raw)
    }
  }

  deinit { end() }

  /// Kills it and waits for its end. Returns the signal that it had died of before, if any.
  @discardableResult
  package func end() -> Int32? {
    // Its pid may belong to another process once it has been waited for.
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    let status = HelperRegistry.end(pid)
    return status > 0 && status & 0x7F != 0 ? status & 0x7F : nil
  }

  /// Kills it without waiting for that: what waits for its answer then finds that it has ended.
  package func breakOff() { if !isOver.load(ordering: .acquiring) { kill(pid, SIGKILL) } }

  /// Limits the processor time that it may use from now on. The system kills it if it uses more.
  package func allow(seconds: Int64) { _ = imgfetch_helper_allow(pid, seconds) }

  /// Sends all bytes, and `file` with the first of them.
  package func send(
    _ bytes: borrowing Span<UInt8>, with file: SharedDescriptor? = nil, _ patience: Patience = Patience()
  ) throws(Failure) {
    var wait = Wait(for: self, patience)
    let descriptor = channel.file.raw
    var handed = file?.file.raw ?? -1
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        do throws(SystemError) {
          // Proof: the bytes from `done` to the end are within the buffer, which is valid during this closure.
          done += try SystemCall.send.perform(upTo: bytes.count - done) {
            unsafe imgfetch_channel_send(descriptor, base + done, $0, handed)
          }
          handed = -1
        } catch { try wait.goOn(after: Self.failure(error)) }
      }
    }
  }

  /// Receives exactly `count` bytes. It waits for them for as long as the helper uses processor time.
  package func receive(_ count: Int, _ patience: Patience = Patience()) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var wait = Wait(for: self, patience)
    while bytes.count < count {
      do throws(SystemError) {
        // The announced length is not trusted: memory is allocated piece by piece, as the bytes come.
        if try channel.file.read(into: &bytes, count: min(1 << 20, count - bytes.count)) > 0 { continue }
      } catch {
        try wait.goOn(after: Self.failure(error))
        continue
      }
      throw .ended
    }
    return bytes
  }

  /// A wait for a helper, looked at each time that nothing has come for a while.
  private struct Wait {
    private let helper: HelperProcess
    private let patience: Patience
    /// The time at which the helper was last seen to have worked, and the amount of its work at that time. Nil before
    /// the first wait.
    private var seen: (at: Instant, worked: Int64)?

    init(for helper: HelperProcess, _ patience: Patience) { (self.helper, self.patience) = (helper, patience) }

    mutating func goOn(after failure: Failure) throws(Failure) {
      guard case .stuck = failure else { throw failure }
      let now = helper.clock.now()
      if let deadline = patience.deadline, now >= deadline { throw .overtime }
      if let end = patience.end, now >= end { throw .slow }
      guard let last = seen, now - last.at < HelperProcess.idleTime else {
        let worked = imgfetch_helper_time(helper.pid)
        // Half a second of processor time in a minute. On the busiest machine it gets more.
        if let last = seen, worked - last.worked <= 500_000_000 { throw .stuck }
        seen = (now, worked)
        return
      }
    }
  }

  private static func failure(_ error: SystemError) -> Failure {
    switch error.code {
    case .tryAgain: .stuck
    case .brokenPipe, .connectionReset: .ended
    default: .system(error)
    }
  }
}
