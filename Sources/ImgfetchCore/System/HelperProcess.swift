import CSandboxShim
import Glibc
import Synchronization

/// A process of this program's own that does something for it, and the channel to it.
///
/// It has nothing of this one but the channel: no other file, no environment. It is ended, if it has not ended by itself,
/// with the last reference, and at the latest with this process.
package final class HelperProcess: Sendable {
  package let pid: pid_t
  private let channel: SharedDescriptor

  /// How a helper failed its owner.
  package enum Failure: Error {
    /// It has gone.
    case ended
    /// It is there, and neither answers nor works.
    case stuck
    case system(SystemError)
  }

  private let isOver = Atomic<Bool>(false)

  /// So many seconds may pass without a sign of life.
  private static let patience: Int32 = 60

  /// - Parameters:
  ///   - path: The program; `/proc/self/exe` is this one, even where its file has been replaced since.
  ///   - name: What it sees as its own name.
  package init(_ path: String, name: String) throws(SystemError) {
    var (ours, theirs): (Int32, Int32) = (-1, -1)
    _ = try SystemCall.socketpair.perform { unsafe imgfetch_channel(Self.patience, &ours, &theirs) }
    channel = SharedDescriptor(Descriptor(owning: ours))
    let other = Descriptor(owning: theirs)
    pid = try LivingHelpers.add { () throws(SystemError) in
      try HelperStarter.start(path, name: name, channel: other.raw)
    }
  }

  deinit { end() }

  /// Ends it, and waits for its end; the answer is the signal that it had died of before, if it had.
  @discardableResult
  package func end() -> Int32? {
    // Its number may be another's once it has been waited for.
    guard !isOver.exchange(true, ordering: .acquiringAndReleasing) else { return nil }
    let status = LivingHelpers.end(pid)
    return status > 0 && status & 0x7F != 0 ? status & 0x7F : nil
  }

  /// Lets it use so many seconds of processor time from now on; whoever uses more is ended by the system.
  package func allow(seconds: Int64) { _ = imgfetch_helper_allow(pid, seconds) }

  /// Sends all of it, and with its first byte a file.
  package func send(_ bytes: borrowing Span<UInt8>, with file: SharedDescriptor? = nil) throws(Failure) {
    let descriptor = channel.file.raw
    var handed = file?.file.raw ?? -1
    try unsafe bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in
      var done = 0
      while done < bytes.count, let base = bytes.baseAddress {
        do throws(SystemError) {
          // Proof: the bytes from `done` to the end are within the buffer, which lives as long as this closure runs.
          done += try SystemCall.send.perform(upTo: bytes.count - done) {
            unsafe imgfetch_channel_send(descriptor, base + done, $0, handed)
          }
        } catch { throw Self.failure(error) }
        handed = -1
      }
    }
  }

  /// Receives exactly so many bytes. They are waited for as long as the helper works.
  package func receive(_ count: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var worked = imgfetch_helper_time(pid)
    while bytes.count < count {
      let failure: Failure
      do throws(SystemError) {
        // What is promised is believed when it comes: no more is allocated before than a piece.
        if try channel.file.read(into: &bytes, count: min(1 << 20, count - bytes.count)) > 0 { continue }
        failure = .ended
      } catch { failure = Self.failure(error) }
      let now = imgfetch_helper_time(pid)
      // Half a second of work in a minute: on the busiest machine it gets more.
      guard case .stuck = failure, now - worked > 500_000_000 else { throw failure }
      worked = now
    }
    return bytes
  }

  private static func failure(_ error: SystemError) -> Failure {
    switch error.code {
    case .tryAgain: .stuck
    case .brokenPipe, .connectionReset: .ended
    default: .system(error)
    }
  }
}
