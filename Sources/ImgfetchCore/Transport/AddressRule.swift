/// Decides which addresses may be connected to. It is applied when a socket opens, and again before a request is sent
/// over a connection that was already open, perhaps under another rule.
package enum AddressRule: Sendable {
  case any
  /// The rule that allows only globally reachable addresses.
  case publicOnly
  /// A closure that returns why the address is refused, as a clause, or nil to allow it.
  case custom(@Sendable (IPAddress) -> String?)

  var isAny: Bool { if case .any = self { true } else { false } }

  /// The reason why the address is refused, or nil if it is allowed.
  package func objection(to address: IPAddress) -> String? {
    switch self {
    case .any: nil
    case .publicOnly: AddressClass.isGloballyReachable(address) ? nil : "its address \(address) is not a public one"
    case .custom(let judge): judge(address)
    }
  }
}
