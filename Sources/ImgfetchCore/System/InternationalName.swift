import CIdnShim

/// Host names outside ASCII, as the domain name system spells them.
///
/// It is in the system layer because it calls a C library, libidn2, which is loaded for the first such name. Nothing
/// else about a URL needs one.
package enum InternationalName {
  /// The library is not installed, so nothing can be said about any name.
  package struct LibraryMissing: Error {
    package static let explanation = "host names that are not ASCII need libidn2 (on Debian and Ubuntu: libidn2-0)"
  }

  /// Names the library that is loaded if the system has no libidn2, and that has its functions. Must be called before
  /// the first name is converted. By default there is none.
  package static func use(else path: String) { unsafe imgfetch_idn_else(path) }

  /// True if the library is there. Asking loads it.
  package static var isAvailable: Bool { (try? ascii("ä")) != nil }

  /// The punycode form of `name` in lower case, or nil if it is not a name that may be registered or looked up. It
  /// applies UTS #46 without transitional mapping, and with it if that fails. curl tries them in this order, so a URL
  /// that works there works here and leads to the same host.
  package static func ascii(_ name: String) throws(LibraryMissing) -> String? {
    if let name = try lookUp(name, isTransitional: false) { return name }
    return try lookUp(name, isTransitional: true)
  }

  private static func lookUp(_ name: String, isTransitional: Bool) throws(LibraryMissing) -> String? {
    var found: UnsafeMutablePointer<CChar>?
    // Proof: `name` is passed as a NUL-terminated string for the call only. A NUL within it would only
    // shorten the name, and the caller rejects those. A name that was found is a NUL-terminated string, which
    // is copied and freed once.
    let answer = unsafe imgfetch_idn_ascii(name, isTransitional, &found)
    if Int(answer) == IMGFETCH_IDN_MISSING { throw LibraryMissing() }
    guard let text = unsafe found else { return nil }
    defer { unsafe imgfetch_idn_free(text) }
    return unsafe String(cString: text)
  }
}
