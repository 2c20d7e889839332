import Glibc

/// This process, its user and its machine.
package enum Processes {
  /// The effective user of the process.
  package static var user: UInt32 { geteuid() }
  package static var identifier: Int32 { getpid() }

  /// The machine's name.
  package static var hostName: String {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      // Proof: the call writes at most 255 bytes, and the last one is set here.
      unsafe buffer.initialize(repeating: 0)
      guard let base = buffer.baseAddress, unsafe gethostname(base, buffer.count - 1) == 0 else { return "localhost" }
      return unsafe String(cString: base)
    }
  }

  /// The processor time of all its threads.
  package static func processorTime() -> Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Instant(nanoseconds: WallTime(time).nanoseconds)
  }

  /// Identifies the current boot of the machine. Bytes that were written but not synced under another boot may be gone.
  /// Nil if the system does not say.
  package static func bootIdentifier() -> String? {
    let bytes = Descriptor.beginning(of: "/proc/sys/kernel/random/boot_id", atMost: 64)
    guard let bytes, bytes.count > 8 else { return nil }
    return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
  }
}
