import ImgfetchCore

/// A thing that a source names, in the order of the source.
package enum SourceFinding: Sendable, Equatable {
  case image(PageImage)
  /// The address that addresses from here on are relative to, itself relative to that of the source.
  case base([UInt8])
  /// The beginning of a part with an address of its own, to which those in the part are relative. It is itself relative
  /// to the address of the part around it.
  case beginBase([UInt8])
  /// The end of such a part.
  case endBase
  /// The address of another source: a map of a site, a manifest of a collection.
  case source([UInt8])

  /// The picture, as that of a feed where it is one of a page's, or nil for anything else.
  var imageOfFeed: PageImage? {
    guard case .image(var image) = self else { return nil }
    if image.kind == .image { image.kind = .feed }
    return image
  }
}
