/// The answer of the system's resolver about a host's name.
package enum NameAnswer: Hashable, Sendable {
  /// The addresses as text, in the order in which they are to be tried: `192.0.2.1`, `2001:db8::1`.
  case found([String])
  /// There is no such name, or it has no address of the kind that is wanted.
  case absent
  /// The same question may be answered later.
  case failed(NameFailure)
}
