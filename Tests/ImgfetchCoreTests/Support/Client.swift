import Glibc
import TestSupport
import Testing

/// A client that sees every byte: a socket and nothing more.
final class Client {
  private let descriptor: Int32

  init(_ server: TestServer) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let descriptor = descriptor
    try #require(server.address.withSocketAddress { connect(descriptor, $0, $1) } == 0)
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }

  func get(_ target: String, _ fields: [String] = []) {
    send((["GET \(target) HTTP/1.1", "Host: here"] + fields).joined(separator: "\r\n") + "\r\n\r\n")
  }

  /// The received text once it contains `mark`, or all of it once the stream has ended.
  func receive(until mark: String? = nil) -> String {
    var all: [UInt8] = []
    while true {
      var piece = [UInt8](repeating: 0, count: 65536)
      let count = recv(descriptor, &piece, piece.count, 0)
      if count < 0 { return String(decoding: all, as: UTF8.self) + "<\(String(cString: strerror(errno)))>" }
      if count == 0 { return String(decoding: all, as: UTF8.self) + "<end>" }
      all += piece.prefix(count)
      if let mark, String(decoding: all, as: UTF8.self).hasSuffix(mark) { return String(decoding: all, as: UTF8.self) }
    }
  }
}
