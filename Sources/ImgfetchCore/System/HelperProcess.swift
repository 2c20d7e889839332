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

  /// Why a call to a helper failed.
  package enum Failure: Error {
    /// The process has ended.
    case ended
    /// It neither answers nor uses processor time.
    case stuck
    case system(SystemError)
  }

  private let isOver = Atomic<Bool>(false)

  /// How many seconds may pass without an answer.
  private static let patience: Int32 = 60

  /// Starts a helper.
  ///
  /// - Parameters:
  ///   - path: The program. `/proc/self/exe` is this one, even if its file has been replaced since.
  ///   - name: Its `argv[0]`.
  package init(_ path: String, name: String) throws(SystemError) {
    var (ours, theirs): (Int32, Int32) = (-1, -1)
    _ = try SystemCall.socketpair.perform { unsafe imgfetch_channel(Self.patience, &ours, &theirs) }
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

  /// Limits the processor time that it may use from now on. The system kills it if it uses more.
  package func allow(seconds: Int64) { _ = imgfetch_helper_allow(pid, seconds) }

  /// Sends all bytes, and `file` with the first of them.
  package func send(_ bytes: borrowing Span<UInt8>, with file: SharedDescriptor? = nil) throws(Failure) {
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
        } catch { throw Self.failure(error) }
        handed = -1
      }
    }
  }

  /// Receives exactly `count` bytes. It waits for them for as long as the helper uses processor time.
  package func receive(_ count: Int) throws(Failure) -> [UInt8] {
    var bytes: [UInt8] = []
    var worked = imgfetch_helper_time(pid)
    while bytes.count < count {
      let failure: Failure
      do throws(SystemError) {
        // The announced length is not trusted: memory is allocated piece by piece, as the bytes come.
        if try channel.file.read(into: &bytes, count: min(1 << 20, count - bytes.count)) > 0 { continue }
        failure = .ended
      } catch { failure = Self.failure(error) }
      let now = imgfetch_helper_time(pid)
      // Half a second of processor time in a minute. On the busiest machine it gets more.
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

/// The helper's end of the channel.
package struct HelperChannel: ~Copyable {
  /// The number under which ``HelperProcess`` passes it.
  private let descriptor = Descriptor(owning: Int32(IMGFETCH_CHANNEL))

  package init() {}

  /// Enters the sandbox: gives up everything but this channel. Returns which restrictions took effect.
  package func shutIn(memory: UInt64, allowsThreads: Bool) -> Int32 { imgfetch_sandbox_enter(memory, allowsThreads) }

  /// Whether system calls are restricted, according to what ``shutIn(memory:allowsThreads:)`` returned.
  package static func isShut(_ means: UInt8) -> Bool { Int(means) & IMGFETCH_SANDBOX_CALLS != 0 }

  /// Whether Landlock keeps files out of reach as well.
  package static func hasLandlock(_ means: UInt8) -> Bool { Int(means) & IMGFETCH_SANDBOX_FILES != 0 }

  /// Receives exactly `count` bytes, and the file that came with them. Nil if the channel has ended.
  package func receive(_ count: Int) -> (bytes: [UInt8], file: SharedDescriptor?)? {
    var bytes = [UInt8](repeating: 0, count: count)
    var file: SharedDescriptor?
    var done = 0
    while done < count {
      var handed: Int32 = -1
      let descriptor = descriptor.raw
      let got = try? SystemCall.read.perform(upTo: count - done) { count in
        // Proof: the bytes from `done` to the end are within the array.
        unsafe bytes.withUnsafeMutableBytes { bytes in
          guard let base = bytes.baseAddress else { return 0 }
          return unsafe imgfetch_channel_receive(descriptor, base + done, count, &handed)
        }
      }
      if handed >= 0 { file = SharedDescriptor(Descriptor(owning: handed)) }
      guard let got, got > 0 else { return nil }
      done += got
    }
    return (bytes, file)
  }

  /// Returns false if the other end has gone.
  package func send(_ bytes: [UInt8]) -> Bool { (try? descriptor.write(bytes.span)) != nil }
}
