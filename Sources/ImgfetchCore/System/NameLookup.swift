import Glibc

/// The reason for which the resolver has no answer for now.
package enum NameFailure: Hashable, Sendable {
  /// The name servers said that they failed, or nothing.
  case noAnswer
  /// No name server can be reached: there is no network.
  case unreachable
  /// This side is out of descriptors, memory or threads.
  case resources
}

/// One look-up by the system's resolver, with /etc/hosts, nsswitch and search domains. It blocks.
///
/// getaddrinfo and not a resolver library: only it asks whatever nsswitch.conf names, and it is no slower
/// than c-ares (<doc:Speed>).
enum NameLookup {
  /// True if the system has IPv6 at all. Without it, addresses of that kind are not asked for.
  private static let hasIPv6 =
    (try? Descriptor.socket(family: AF_INET6, type: Int32(SOCK_DGRAM.rawValue), protocol: 0)) != nil

  /// EAI_NODATA, which not all headers declare: the name exists, and has no address.
  private static let noData: Int32 = -5

  static func addresses(of name: String, _ family: AddressFamily) -> NameAnswer {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_family =
      switch family {
      case .any: hasIPv6 ? AF_UNSPEC : AF_INET
      case .v4: AF_INET
      case .v6: AF_INET6
      }
    var list: UnsafeMutablePointer<addrinfo>?
    // Proof: the list is read before it is freed, once.
    let code = unsafe getaddrinfo(name, nil, &hints, &list)
    defer { if let list = unsafe list { unsafe freeaddrinfo(list) } }
    switch code {
    case 0: return unsafe .found(texts(list))
    case EAI_AGAIN: return .failed(.noAnswer)
    case EAI_SYSTEM, EAI_MEMORY: return .failed(.resources)
    case noData where unsafe hints.ai_family == AF_UNSPEC:
      // glibc asks for both kinds, and passes over a failure of the one (SERVFAIL) where the other has no address.
      let answer = addresses(of: name, .v4)
      return answer == .absent ? addresses(of: name, .v6) : answer
    default: return .absent
    }
  }

  /// Addresses with a zone (`fe80::1%eth0`) are left out: libcurl takes none from us.
  private static func texts(_ list: UnsafeMutablePointer<addrinfo>?) -> [String] {
    var texts: [String] = []
    var next = unsafe list
    while let entry = unsafe next {
      unsafe next = entry.pointee.ai_next
      guard let address = unsafe entry.pointee.ai_addr else { continue }
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      // Proof: the resolver gives each address with its length.
      let code = unsafe getnameinfo(
        address, entry.pointee.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      guard code == 0 else { continue }
      let spelt = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
      if !spelt.utf8.contains(UInt8(ascii: "%")), !texts.contains(spelt) { texts.append(spelt) }
    }
    return texts
  }
}
