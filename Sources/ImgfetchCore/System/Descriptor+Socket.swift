import Glibc

extension Descriptor {
  /// Opens a socket that helper processes do not inherit.
  package static func socket(family: Int32, type: Int32, protocol: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(
      owning: SystemCall.socket.perform {
        Glibc.socket(family, type | Int32(bitPattern: SOCK_CLOEXEC.rawValue), `protocol`)
      })
  }

  /// Has the kernel keep what is written to a TCP socket, of somebody else's, until it fills a segment or this is undone. Where it
  /// does not, what is written leaves at once, and that is all.
  package static func holdBack(_ isHeld: Bool, from socket: Int32) {
    var value: Int32 = isHeld ? 1 : 0
    _ = unsafe setsockopt(socket, Int32(IPPROTO_TCP), TCP_CORK, &value, socklen_t(MemoryLayout<Int32>.size))
  }
}
