import CTestSupport
import Glibc
import ImgfetchCore

/// A name server in a network of a test's own, which all look-ups there go to.
package final class NameServer: Sendable {
  package enum Answer: Sendable {
    /// The name has this IPv4 address, and no other.
    case address(String)
    /// There is no such name (NXDOMAIN).
    case absent
    /// The server cannot tell now (SERVFAIL).
    case failure
    /// The server cannot tell the IPv4 address now (SERVFAIL), and knows that there is no other.
    case failureForIPv4
  }

  /// The address of the server. Nothing else listens there in such a network.
  private static let address = LoopbackAddress(host: "127.0.0.53", port: 53)
  /// The type of questions for an IPv4 address.
  private static let addressType: UInt8 = 1

  private let socket: Int32
  /// The number of times that the IPv4 address of each name was asked for.
  private let counts = Guarded<[String: Int]>([:])
  private let answer: @Sendable (_ name: String, _ ordinal: Int) -> Answer

  /// Called on the thread of ``OwnNetwork/run(_:)``. Where ``Need/nameServer`` is not met it fails.
  ///
  /// - Parameters:
  ///   - folder: where its configuration is written.
  ///   - domain: the search domain.
  ///   - answer: the answer to the first, second, … question for a name in lower case.
  package init(
    in folder: TemporaryFolder, searching domain: String,
    answer: @escaping @Sendable (_ name: String, _ ordinal: Int) -> Answer
  ) throws {
    self.answer = answer
    try folder.write(
      "resolv.conf", "nameserver \(Self.address.host)\nsearch \(domain)\noptions attempts:1\n")
    guard test_use_resolver(folder.path("resolv.conf")) == 0 else { throw SocketError("mount") }
    socket = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    if socket < 0 { throw SocketError("socket") }
    if try Self.address.withSocketAddress({ bind(socket, $0, $1) }) != 0 { throw SocketError("bind") }
    try startDetachedThread { [self] in serve() }
  }

  /// The number of times that the address of a name was asked for.
  package func count(_ name: String) -> Int { counts.withLock { $0[name, default: 0] } }

  /// The names that were asked for.
  package var names: [String] { counts.withLock { $0.keys.sorted() } }

  /// Ends its thread.
  package func stop() { shutdown(socket, Int32(SHUT_RDWR)) }

  private func serve() {
    var question = [UInt8](repeating: 0, count: 512)
    while true {
      var from = sockaddr_storage()
      var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let count = withUnsafeMutablePointer(to: &from) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          recvfrom(socket, &question, question.count, 0, $0, &size)
        }
      }
      // At the end of the test it is woken with nothing.
      if count < 12 { break }
      let reply = reply(to: Array(question[..<count]))
      _ = withUnsafePointer(to: &from) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          sendto(socket, reply, reply.count, 0, $0, size)
        }
      }
    }
    close(socket)
  }

  /// The question comes with a name of labels, each behind its length, and then its type and class of two bytes each.
  private func reply(to question: [UInt8]) -> [UInt8] {
    var labels: [String] = []
    var at = 12
    while question[at] != 0 {
      let length = Int(question[at])
      labels.append(String(decoding: question[at + 1..<at + 1 + length], as: UTF8.self))
      at += 1 + length
    }
    let name = labels.joined(separator: ".").lowercased()
    let isForIPv4 = question[at + 2] == Self.addressType
    let ordinal = counts.withLock { counts in
      if isForIPv4 { counts[name, default: 0] += 1 }
      return counts[name, default: 0]
    }
    var code: UInt8 = 0
    var address: [UInt8] = []
    switch answer(name, ordinal) {
    case .address(let text): if isForIPv4 { address = text.split(separator: ".").compactMap { UInt8($0) } }
    case .absent: code = 3
    case .failure: code = 2
    case .failureForIPv4: code = isForIPv4 ? 2 : 0
    }
    let head = question[..<2] + [0x81, 0x80 | code, 0, 1, 0, address.isEmpty ? 0 : 1, 0, 0, 0, 0]
    // The name is that of the question, which begins at byte 12; it is good for a minute.
    let record: [UInt8] = address.isEmpty ? [] : [0xC0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4] + address
    return Array(head + question[12..<at + 5] + record)
  }
}
