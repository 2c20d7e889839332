import CSandboxShim

/// The helper's end of the channel.
package struct HelperChannel: ~Copyable {
  /// The number under which ``HelperProcess`` passes it.
  private let descriptor = Descriptor(owning: Int32(IMGFETCH_CHANNEL))

  /// Enters the sandbox: gives up everything but this channel. Returns which restrictions took effect.
  package func shutIn(memory: UInt64, allowsThreads: Bool) -> Int32 { imgfetch_sandbox_enter(memory, allowsThreads) }

  /// True if system calls are restricted, according to the result of ``shutIn(memory:allowsThreads:)``.
  package static func isShut(_ means: UInt8) -> Bool { Int(means) & IMGFETCH_SANDBOX_CALLS != 0 }

  /// True if Landlock keeps files out of reach as well.
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
