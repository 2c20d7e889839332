/// What can be told of an image beyond its headers: it takes a decoder, and is worked out on request only.
public enum ImageDetail: UInt8, CaseIterable, Sendable {
  /// A placeholder of some 25 bytes that keeps colours, shape and transparency, in base64.
  case thumbhash = 0
  /// A placeholder of 28 characters: 4 by 3 waves of colour.
  case blurhash = 1
  /// 64 bits that say of neighbouring parts which is brighter, in hex. Similar pictures differ in few of them.
  case dhash = 2
  /// 64 bits that say which of the slowest waves are strong, in hex. It stands changes of contrast and size.
  case phash = 3
  /// What the camera wrote down.
  case exif = 4

  /// The name in options and reports.
  public var name: String {
    switch self {
    case .thumbhash: "thumbhash"
    case .blurhash: "blurhash"
    case .dhash: "dhash"
    case .phash: "phash"
    case .exif: "exif"
    }
  }

  /// The kinds that are made of the pixels.
  public static let fingerprints: [ImageDetail] = allCases.filter { $0 != .exif }
}

/// A set of details, in one byte.
public struct ImageDetailSet: Hashable, Sendable {
  package private(set) var bits: UInt8

  /// A set of these.
  public init(_ details: [ImageDetail] = []) {
    bits = 0
    for detail in details { insert(detail) }
  }

  /// Bits without a detail are dropped.
  package init(bits: UInt8) {
    self.init(ImageDetail.allCases.filter { bits & 1 << $0.rawValue != 0 })
  }

  /// Whether there is none.
  public var isEmpty: Bool { bits == 0 }

  /// Whether it is one of them.
  public func contains(_ detail: ImageDetail) -> Bool { bits & 1 << detail.rawValue != 0 }

  /// Whether all of `others` are among them.
  public func contains(_ others: ImageDetailSet) -> Bool { bits & others.bits == others.bits }

  /// Adds one.
  public mutating func insert(_ detail: ImageDetail) { bits |= 1 << detail.rawValue }

  /// Those that are in either set.
  public func union(_ others: ImageDetailSet) -> ImageDetailSet {
    var all = self
    all.bits |= others.bits
    return all
  }

  /// These without the others.
  public func subtracting(_ others: ImageDetailSet) -> ImageDetailSet { ImageDetailSet(bits: bits & ~others.bits) }

  /// Whether any of them is made of the pixels.
  package var needsPixels: Bool { ImageDetail.fingerprints.contains(where: contains) }
}

/// The details of an image that are known: of the image as it was fetched, before anything was made of it.
///
/// A class, because entries and results are copied often and few have any.
public final class ImageDetails: Sendable {
  /// What was worked out, whether or not anything came of it: most images have no Exif.
  public let known: ImageDetailSet
  /// The texts of fingerprints.
  private let texts: [(ImageDetail, String)]
  /// What the camera wrote down; nil if that is not known, or the image has none.
  public let exif: ExifFacts?

  package init(fingerprints: [(ImageDetail, String)], exif: ExifFacts? = nil, readsExif: Bool = false) {
    var known = ImageDetailSet(fingerprints.map(\.0))
    if readsExif { known.insert(.exif) }
    self.known = known
    texts = fingerprints
    self.exif = exif
  }

  /// The text of a fingerprint; nil if it is not known.
  public func text(of fingerprint: ImageDetail) -> String? { texts.first { $0.0 == fingerprint }?.1 }

  /// The fingerprints that are known, in the order of their numbers.
  public var fingerprints: [(ImageDetail, String)] {
    ImageDetail.fingerprints.compactMap { kind in text(of: kind).map { (kind, $0) } }
  }

  /// Those of them that were asked for: what a request is told must not depend on what others have asked.
  package func only(_ wanted: ImageDetailSet) -> ImageDetails {
    known == wanted
      ? self
      : ImageDetails(
        fingerprints: texts.filter { wanted.contains($0.0) }, exif: wanted.contains(.exif) ? exif : nil,
        readsExif: wanted.contains(.exif) && known.contains(.exif))
  }

  /// These, completed by what was worked out earlier.
  package func completed(by earlier: ImageDetails?) -> ImageDetails {
    guard let earlier else { return self }
    return ImageDetails(
      fingerprints: texts + earlier.texts.filter { text(of: $0.0) == nil },
      exif: known.contains(.exif) ? exif : earlier.exif,
      readsExif: known.contains(.exif) || earlier.known.contains(.exif))
  }
}
