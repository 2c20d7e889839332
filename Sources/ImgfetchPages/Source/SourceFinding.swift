import ImgfetchCore

/// A thing that a source names, in the order of the source.
package enum SourceFinding: Sendable, Equatable {
  case image(PageImage)
  /// The address that addresses from here on are relative to, itself relative to that of the source.
  case base([UInt8])
  /// The address of another source: a map of a site, a manifest of a collection.
  case source([UInt8])
}
