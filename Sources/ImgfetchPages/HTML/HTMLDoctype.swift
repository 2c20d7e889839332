/// The document's type, as a page declares it.
package struct HTMLDoctype: Sendable, Equatable {
  package var name: [UInt8]?
  package var publicIdentifier: [UInt8]?
  package var systemIdentifier: [UInt8]?
  /// True if browsers fall back to their oldest rules, because the declaration is broken.
  package var forcesQuirks = false
}
