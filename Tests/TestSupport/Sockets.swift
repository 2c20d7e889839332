import Glibc

/// A socket call of the tests that failed. They do not go through the core's system layer, since a fault planned for
/// the program must not hit the server that it talks to.
package struct SocketError: Error, CustomStringConvertible {
  package let description: String

  init(_ call: String, code: Int32 = errno) { description = "\(call): \(String(cString: strerror(code)))" }
}

/// A TCP address on this machine.
package struct LoopbackAddress: Hashable, Sendable {
  package let host: String
  package let port: UInt16

  package init(host: String, port: UInt16) {
    self.host = host
    self.port = port
  }

  var isIPv6: Bool { host.contains(":") }

  /// The authority of a URL.
  package var authority: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Calls `body` with the address as the socket calls want it.
  package func withSocketAddress<Value>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Value) throws(SocketError)
    -> Value
  {
    var storage = sockaddr_storage()
    let length: Int
    let understood: Bool
    if isIPv6 {
      length = MemoryLayout<sockaddr_in6>.size
      understood = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
          address.pointee.sin6_family = sa_family_t(AF_INET6)
          address.pointee.sin6_port = port.bigEndian
          return inet_pton(AF_INET6, host, &address.pointee.sin6_addr) == 1
        }
      }
    } else {
      length = MemoryLayout<sockaddr_in>.size
      understood = withUnsafeMutablePointer(to: &storage) { pointer in
        pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
          address.pointee.sin_family = sa_family_t(AF_INET)
          address.pointee.sin_port = port.bigEndian
          return inet_pton(AF_INET, host, &address.pointee.sin_addr) == 1
        }
      }
    }
    guard understood else { throw SocketError("inet_pton \(host)", code: EINVAL) }
    return withUnsafePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }
}

/// A bound TCP socket, closed at its end.
package final class ListeningSocket: Sendable {
  package let descriptor: Int32
  package let address: LoopbackAddress

  /// Binds a free port of `host`. Without `listens`, connections are refused as long as this lives, and the port is
  /// not given to others.
  package init(host: String = "127.0.0.1", listens: Bool = true) throws(SocketError) {
    let wanted = LoopbackAddress(host: host, port: 0)
    descriptor = socket(wanted.isIPv6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if descriptor < 0 { throw SocketError("socket") }
    let descriptor = descriptor
    do throws(SocketError) {
      if try wanted.withSocketAddress({ bind(descriptor, $0, $1) }) != 0 { throw SocketError("bind \(host)") }
      if listens, listen(descriptor, 4096) != 0 { throw SocketError("listen") }
      address = LoopbackAddress(host: host, port: try Self.boundPort(of: descriptor))
    } catch {
      close(descriptor)
      throw error
    }
  }

  deinit { close(descriptor) }

  private static func boundPort(of descriptor: Int32) throws(SocketError) -> UInt16 {
    var storage = sockaddr_in6()  // The port lies at the same place in both families.
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let code = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    if code != 0 { throw SocketError("getsockname") }
    return UInt16(bigEndian: storage.sin6_port)
  }
}

/// Starts a detached thread with a small stack: a server has one for each of its connections.
func startDetachedThread(_ body: @escaping @Sendable () -> Void) throws(SocketError) {
  final class Box {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(&attributes, 1 << 20)
  let box = Unmanaged.passRetained(Box(body))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { pointer in
      if let pointer { Unmanaged<Box>.fromOpaque(pointer).takeRetainedValue().body() }
      return nil
    }, box.toOpaque())
  if code != 0 {
    box.release()
    throw SocketError("pthread_create", code: code)
  }
}
