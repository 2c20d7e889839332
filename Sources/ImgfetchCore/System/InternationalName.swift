import CIdn2

/// Host names outside ASCII, as the domain name system spells them.
///
/// It stands in the system layer because it is a call into C; nothing else of a URL needs one.
package enum InternationalName {
  /// The punycode form of `name` in lower case, or nil where it is no name that may be registered or looked up.
  ///
  /// UTS #46 without transitional mapping, and with it where that fails: the order in which curl tries them, so that a
  /// URL which works there works here and leads to the same host.
  package static func ascii(_ name: String) -> String? {
    let strict = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    let lenient = Int32(IDN2_TRANSITIONAL.rawValue)
    return lookUp(name, flags: strict) ?? lookUp(name, flags: lenient)
  }

  private static func lookUp(_ name: String, flags: Int32) -> String? {
    var found: UnsafeMutablePointer<UInt8>?
    // Proof: `name` is lent as a NUL-ended string for the call alone; a NUL within it only shortens the name, and the
    // caller admits none. On success the library hands over a NUL-ended string that we copy and free once.
    guard unsafe idn2_lookup_u8(name, &found, flags) == IDN2_OK.rawValue, let text = unsafe found else { return nil }
    defer { unsafe idn2_free(text) }
    return unsafe String(cString: text)
  }
}
