import Glibc

/// Who and what this process is.
package enum Processes {
  /// The user whose rights it has.
  package static var user: UInt32 { geteuid() }
  /// Its number.
  package static var identifier: Int32 { getpid() }

  /// For how long its threads have worked, all together.
  package static func processorTime() -> Instant {
    var time = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Instant(nanoseconds: WallTime(time).nanoseconds)
  }

  /// Which boot of the machine this is: what was written but not synced before another one may be gone. Nil where the
  /// system does not say.
  package static func bootIdentifier() -> String? {
    var bytes: [UInt8] = []
    guard let file = try? Descriptor.open("/proc/sys/kernel/random/boot_id", .read),
      let count = try? file.read(into: &bytes, count: 64), count > 8
    else { return nil }
    return String(decoding: bytes.prefix { $0 > 32 }, as: UTF8.self)
  }
}
