import CSandboxShim
import Glibc

/// The helper's own side: what it is given, and gives back.
package struct HelperChannel: ~Copyable {
  /// Where ``HelperProcess`` puts it.
  private let descriptor = Descriptor(owning: Int32(IMGFETCH_CHANNEL))

  package init() {}

  /// Gives up everything but this channel, and says what of the system's means has taken hold.
  package func shutIn(memory: UInt64) -> Int32 { imgfetch_sandbox_enter(memory) }

  /// Whether calls of the system are restricted, of what ``shutIn(memory:)`` said.
  package static func isShut(_ means: UInt8) -> Bool { Int(means) & IMGFETCH_SANDBOX_CALLS != 0 }

  /// Whether files are out of reach for one more reason than that they cannot be opened.
  package static func hasLandlock(_ means: UInt8) -> Bool { Int(means) & IMGFETCH_SANDBOX_FILES != 0 }

  /// Exactly so many bytes, and the file that came with them; nil: there are no more.
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

  /// False: nobody listens any more.
  package func send(_ bytes: [UInt8]) -> Bool { (try? descriptor.write(bytes.span)) != nil }
}
