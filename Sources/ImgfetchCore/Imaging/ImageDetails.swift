/// The details of an image that are known: of the image as it was fetched, before anything was made of it.
///
/// A class, because entries and results are copied often and few have any.
public final class ImageDetails: Sendable {
  /// The details that were computed, with or without a result: most images have no Exif.
  public let known: ImageDetailSet
  /// The texts of fingerprints.
  private let texts: [(ImageDetail, String)]
  /// The camera's record, or nil if it is not known, or the image has none.
  public let exif: ExifFacts?

  package init(fingerprints: [(ImageDetail, String)], exif: ExifFacts? = nil, readsExif: Bool = false) {
    var known = ImageDetailSet(fingerprints.map(\.0))
    if readsExif { known.insert(.exif) }
    self.known = known
    texts = fingerprints
    self.exif = exif
  }

  /// The text of a fingerprint, or nil if it is not known.
  public func text(of fingerprint: ImageDetail) -> String? { texts.first { $0.0 == fingerprint }?.1 }

  /// The fingerprints that are known, in the order of their numbers.
  public var fingerprints: [(ImageDetail, String)] {
    ImageDetail.fingerprints.compactMap { kind in text(of: kind).map { (kind, $0) } }
  }

  /// The details that were asked for: the result of one request must not depend on those of others.
  package func only(_ wanted: ImageDetailSet) -> ImageDetails {
    known == wanted
      ? self
      : ImageDetails(
        fingerprints: texts.filter { wanted.contains($0.0) }, exif: wanted.contains(.exif) ? exif : nil,
        readsExif: wanted.contains(.exif) && known.contains(.exif))
  }

  /// Returns these details, completed by those that were computed earlier.
  package func completed(by earlier: ImageDetails?) -> ImageDetails {
    guard let earlier else { return self }
    return ImageDetails(
      fingerprints: texts + earlier.texts.filter { text(of: $0.0) == nil },
      exif: known.contains(.exif) ? exif : earlier.exif,
      readsExif: known.contains(.exif) || earlier.known.contains(.exif))
  }
}
