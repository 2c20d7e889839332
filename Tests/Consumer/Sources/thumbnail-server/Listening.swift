import Foundation

/// A socket that listens on loopback, or nil where the port is taken.
func listen(on port: UInt16) -> Int32? {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  var (yes, address) = (Int32(1), sockaddr_in())
  setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  address.sin_port = port.bigEndian
  let isListening = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 && listen(listener, 512) == 0
    }
  }
  return isListening ? listener : nil
}
