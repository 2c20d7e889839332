/// The facts that the inspection found about an image. Size and frames are as stored: not rotated and not composed.
public struct ImageFacts: Sendable, Hashable {
  /// The meaning of a pixel's samples.
  public enum ColourModel: String, CaseIterable, Sendable {
    /// Brightness alone.
    case grey
    /// Red, green and blue.
    case rgb
    /// Indices into a table of colours.
    case palette
    /// Brightness and two differences, as in JPEG and lossy WebP.
    case ycbcr
    /// Four inks.
    case cmyk
    /// Four inks, three of them stored as YCbCr.
    case ycck
  }

  /// The format.
  public package(set) var format: ImageFormat
  /// The width in pixels.
  public package(set) var width: Int
  /// The height in pixels.
  public package(set) var height: Int
  /// The number of pictures of an animation; 1 for a still image.
  public package(set) var frames: Int
  /// Bits of a sample, or of an index if there is a palette.
  public package(set) var bits: Int
  /// True if pixels may be transparent.
  public package(set) var hasAlpha: Bool
  /// The EXIF orientation, 1 to 8; 1 if there is none.
  public package(set) var orientation: Int
  /// The loop count of an animation, 0 for endless, or nil if the file does not say.
  public package(set) var loopCount: Int?
  /// True if the file contains a colour profile.
  public package(set) var hasColourProfile: Bool
  /// The meaning of a pixel's samples.
  public package(set) var colourModel: ColourModel
  /// The number of bytes after the end mark.
  public package(set) var trailingBytes: Int64
  /// True if the file itself marks its end. If not, only decoding can tell whether it is whole.
  public package(set) var hasKnownEnd = true
  /// The rules that the file breaks although every pixel is there.
  public package(set) var flaws: ImageFlaws

  /// Creates facts, for a program's own tests.
  public init(
    format: ImageFormat, width: Int, height: Int, frames: Int = 1, bits: Int = 8, hasAlpha: Bool = false,
    orientation: Int = 1, loopCount: Int? = nil, hasColourProfile: Bool = false, colourModel: ColourModel = .rgb,
    trailingBytes: Int64 = 0, flaws: ImageFlaws = ImageFlaws()
  ) {
    self.format = format
    self.width = width
    self.height = height
    self.frames = frames
    self.bits = bits
    self.hasAlpha = hasAlpha
    self.orientation = orientation
    self.loopCount = loopCount
    self.hasColourProfile = hasColourProfile
    self.colourModel = colourModel
    self.trailingBytes = trailingBytes
    self.flaws = flaws
  }
}

/// A rule of its format that an image breaks although every pixel is there. Decoders pass over such a thing, and
/// browsers show the image.
///
/// A flaw that only some files of a kind can be forgiven is accepted under conditions, which the
/// walk of the format states.
public enum ImageFlaw: UInt8, CaseIterable, Sendable {
  /// Bytes between the segments before a JPEG's pixels. The number is stored in cache entries and must
  /// never change, as the others.
  case strayBytes = 0
  /// A metadata segment whose length is less than that of the length itself.
  case cutSegment = 1
  /// A wrong checksum of metadata.
  case metadataChecksum = 2
  /// A palette that no pixel refers to, out of its place or of an impossible length.
  case idlePalette = 3
  /// An end mark with content, or with a wrong checksum.
  case badEndMark = 4
  /// The end mark is missing.
  case noEndMark = 5
  /// An animation whose chunks contradict each other. The image counts as a still one.
  case brokenAnimation = 6
  /// A frame that reaches beyond the screen. The first one enlarges it, others are cut off.
  case frameBeyondScreen = 7
  /// A program within an SVG. It never runs where the picture is shown as one.
  case script = 8
  /// A wrong checksum of pixels' data. The data were found complete.
  case dataChecksum = 9
  /// A directory that is wrong about the length of a picture. The picture knows it.
  case wrongLength = 10
  /// An image that does not tell where it ends, where nothing is installed that could find out.
  case unknownEnd = 11

  /// The name in reports.
  public var name: String {
    switch self {
    case .strayBytes: "stray-bytes"
    case .cutSegment: "cut-segment"
    case .metadataChecksum: "metadata-checksum"
    case .idlePalette: "idle-palette"
    case .badEndMark: "bad-end-mark"
    case .noEndMark: "no-end-mark"
    case .brokenAnimation: "broken-animation"
    case .frameBeyondScreen: "frame-beyond-screen"
    case .script: "script"
    case .dataChecksum: "data-checksum"
    case .wrongLength: "wrong-length"
    case .unknownEnd: "unknown-end"
    }
  }
}

extension ImageFlaw: CustomStringConvertible {
  /// The flaw in words, to follow "it has".
  public var description: String {
    switch self {
    case .strayBytes: "bytes between its segments"
    case .cutSegment: "a metadata segment that is cut short"
    case .metadataChecksum: "a wrong checksum of metadata"
    case .idlePalette: "a palette that no pixel needs, out of its place"
    case .badEndMark: "an end mark that is not as it must be"
    case .noEndMark: "no end mark"
    case .brokenAnimation: "a broken animation, of which the still picture counts"
    case .frameBeyondScreen: "a frame that reaches beyond the screen"
    case .script: "a script"
    case .dataChecksum: "a wrong checksum of its pixels' data, which are complete"
    case .wrongLength: "a directory that is wrong about a picture's length"
    case .unknownEnd: "no end that it tells itself, and no decoder is there to find it"
    }
  }
}

/// The flaws of an image: a set, in one word of memory.
public struct ImageFlaws: Hashable, Sendable {
  /// One bit for each flaw, at its number.
  package private(set) var bits: UInt32

  /// No flaws.
  public init() { bits = 0 }

  /// Bits without a flaw, which a later program may have stored, are dropped.
  package init(bits: UInt32) {
    self.init()
    for flaw in ImageFlaw.allCases where bits & 1 << flaw.rawValue != 0 { insert(flaw) }
  }

  /// True if there is no flaw.
  public var isEmpty: Bool { bits == 0 }

  /// All of them, in the order of their numbers.
  public var all: [ImageFlaw] { ImageFlaw.allCases.filter(contains) }

  /// True if the set contains a flaw.
  public func contains(_ flaw: ImageFlaw) -> Bool { bits & 1 << flaw.rawValue != 0 }

  package mutating func insert(_ flaw: ImageFlaw) { bits |= 1 << flaw.rawValue }
}

/// The result of walking a complete body.
package enum InspectionVerdict: Sendable {
  /// Every pixel is there, for all that the structure tells; the facts have the flaws.
  case accepted(ImageFacts)
  /// The image has every pixel only if decoding finds all of them. Then the facts hold, else the failure.
  case doubtful(ImageFacts, InspectionFailure)
}

/// The state of the walk at the body's end.
enum WalkEnding: Sendable {
  case complete
  /// The end is there. The failure is for where decoding finds that pixels are missing.
  case doubtful(InspectionFailure)
  /// The image lacks only its end mark, as far as can be told without decoding. The failure is for the
  /// case that more is missing.
  case withoutMark(InspectionFailure)
}

/// A detail of an image beyond its headers. It takes a decoder, and is computed on request only.
public enum ImageDetail: UInt8, CaseIterable, Sendable {
  /// A placeholder of some 25 bytes that keeps colours, shape and transparency, in base64.
  case thumbhash = 0
  /// A placeholder of 28 characters: 4 by 3 waves of colour.
  case blurhash = 1
  /// 64 bits that say of neighbouring parts which is brighter, in hex. Similar pictures differ in few of them.
  case dhash = 2
  /// 64 bits that say which of the slowest waves are strong, in hex. It stands changes of contrast and size.
  case phash = 3
  /// The camera's record.
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

  /// True if there is no detail.
  public var isEmpty: Bool { bits == 0 }

  /// True if the set contains a detail.
  public func contains(_ detail: ImageDetail) -> Bool { bits & 1 << detail.rawValue != 0 }

  /// True if the set contains all of `others`.
  public func contains(_ others: ImageDetailSet) -> Bool { bits & others.bits == others.bits }

  /// Adds one.
  public mutating func insert(_ detail: ImageDetail) { bits |= 1 << detail.rawValue }

  /// The details that are in either set.
  public func union(_ others: ImageDetailSet) -> ImageDetailSet {
    var all = self
    all.bits |= others.bits
    return all
  }

  /// The details without the others.
  public func subtracting(_ others: ImageDetailSet) -> ImageDetailSet { ImageDetailSet(bits: bits & ~others.bits) }

  /// True if any of the details is made of the pixels.
  package var needsPixels: Bool { ImageDetail.fingerprints.contains(where: contains) }
}

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
