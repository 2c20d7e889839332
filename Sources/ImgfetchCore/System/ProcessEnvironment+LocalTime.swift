import Glibc

extension ProcessEnvironment {
  /// The seconds by which the local time of this process is ahead of UTC at that moment. For programs
  /// only: the core knows no zone.
  package static func localOffset(at time: WallTime) -> Int {
    var seconds = time_t(time.seconds)
    var fields = unsafe tm()
    // Proof: both are variables of this call, and `localtime_r` keeps neither.
    guard unsafe localtime_r(&seconds, &fields) != nil else { return 0 }
    return unsafe fields.tm_gmtoff
  }
}
