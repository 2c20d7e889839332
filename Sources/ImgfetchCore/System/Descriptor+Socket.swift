import Glibc

extension Descriptor {
  /// Opens a socket that helper processes do not inherit.
  package static func socket(family: Int32, type: Int32, protocol: Int32) throws(SystemError) -> Descriptor {
    try Descriptor(
      owning: SystemCall.socket.perform {
        Glibc.socket(family, type | Int32(bitPattern: SOCK_CLOEXEC.rawValue), `protocol`)
      })
  }
}
