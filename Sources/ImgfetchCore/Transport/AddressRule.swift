/// Which addresses may be connected to. It is asked when a socket opens, and again before a request goes out over a
/// connection that was open already: that one may have been opened under another rule.
package enum AddressRule: Sendable {
  case any
  /// Only addresses that are reachable from anywhere.
  case publicOnly
  /// What it answers is why the address is refused, as a clause; nil: it may be connected to.
  case custom(@Sendable (IPAddress) -> String?)

  /// Why the address is refused; nil if it is not.
  package func objection(to address: IPAddress) -> String? {
    switch self {
    case .any: nil
    case .publicOnly: AddressClass.isGloballyReachable(address) ? nil : "its address \(address) is not a public one"
    case .custom(let judge): judge(address)
    }
  }
}
