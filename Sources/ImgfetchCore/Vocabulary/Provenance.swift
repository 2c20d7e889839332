/// The addresses and hosts that an answer's bytes came from, as far as they are known. The rules about
/// addresses and hosts need them.
///
/// A pure value. Nearly every image comes from one host without a redirect. It then takes one byte and an empty array.
package struct Provenance: Hashable, Sendable {
  /// The kind of addresses that answered on the way. The numbers are part of the format.
  package enum Address: UInt8, CaseIterable, Sendable {
    /// Unknown: an older program stored it, or a proxy made the connections.
    case unknown = 0
    /// All are globally reachable.
    case allPublic = 1
    /// At least one is not.
    case notPublic = 2
    /// No address: the file was added by the user.
    case ownFile = 3
  }

  package var address: Address
  /// The other origins that were asked, without that of the final URL, each as a URL begins (`https://example.org`), or
  /// nil if unknown.
  package var otherOrigins: [String]?

  /// Creates an unknown provenance.
  package init() { self.init(.unknown, otherOrigins: nil) }

  package init(_ address: Address, otherOrigins: [String]?) {
    self.address = address
    self.otherOrigins = otherOrigins
  }
}

extension Provenance.Address {
  /// Creates the kind of an address that answered. With nil it is unknown which one did.
  init(of address: IPAddress?) {
    self = address.map { AddressClass.isGloballyReachable($0) ? .allPublic : .notPublic } ?? .unknown
  }

  /// The kind of a path that continues over such an address.
  func followed(by next: Self) -> Self {
    if self == .notPublic || next == .notPublic { return .notPublic }
    return self == .unknown || next == .unknown ? .unknown : next
  }
}

extension Provenance {
  /// The provenance of stored bytes after an answer has confirmed or completed them, and its fields are stored with
  /// them. The answer counts for bytes of unknown provenance. For others, the known provenance of the bytes remains.
  func confirmed(by answer: Provenance) -> Provenance {
    let address = address == .unknown ? answer.address : address.followed(by: answer.address)
    guard let others = answer.otherOrigins else { return Provenance(address, otherOrigins: nil) }
    let own = otherOrigins ?? []
    if others.isEmpty { return Provenance(address, otherOrigins: own) }
    return Provenance(address, otherOrigins: own + others.filter { !own.contains($0) })
  }
}
