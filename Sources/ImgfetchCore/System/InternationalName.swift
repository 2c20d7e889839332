import CIdn2

/// Host names outside ASCII, as the domain name system spells them.
///
/// It is in the system layer because it calls a C library. Nothing else about a URL needs one.
package enum InternationalName {
  /// The punycode form of `name` in lower case; nil if it is not a name that may be registered or looked up. It applies
  /// UTS #46 without transitional mapping, and with it if that fails. curl tries them in this order, so a URL that
  /// works there works here and leads to the same host.
  package static func ascii(_ name: String) -> String? {
    let strict = Int32(IDN2_NFC_INPUT.rawValue | IDN2_NONTRANSITIONAL.rawValue)
    let lenient = Int32(IDN2_TRANSITIONAL.rawValue)
    return lookUp(name, flags: strict) ?? lookUp(name, flags: lenient)
  }

  private static func lookUp(_ name: String, flags: Int32) -> String? {
    var found: UnsafeMutablePointer<UInt8>?
    // Proof: `name` is passed as a NUL-terminated string for the call only. A NUL within it would only shorten the
    // name, and the caller rejects those. On success the library returns a NUL-terminated string, which is copied and
    // freed once.
    guard unsafe idn2_lookup_u8(name, &found, flags) == IDN2_OK.rawValue, let text = unsafe found else { return nil }
    defer { unsafe idn2_free(text) }
    return unsafe String(cString: text)
  }
}
