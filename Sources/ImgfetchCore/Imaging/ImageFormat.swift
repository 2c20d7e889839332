import CImageShim

/// The accepted formats. A file's format is decided by its bytes, never by its name or by what a server declares.
///
/// Everything that the library knows of a format starts in this file: its `FormatTraits`, its walk in `FormatWalk`, and
/// how its metadata is removed. A new format is a case here, whose missing entries the compiler then reports; a walk;
/// and a codec in CImageShim.
public enum ImageFormat: String, CaseIterable, Sendable {
  /// JPEG.
  case jpeg
  /// PNG, with or without animation.
  case png
  /// GIF, with or without animation.
  case gif
  /// WebP, lossy or lossless, with or without animation.
  case webp
  /// AVIF, with or without animation.
  case avif
  /// HEIC: HEIF with pictures of HEVC, with or without animation.
  case heic
  /// JPEG XL, with or without animation.
  case jxl
  /// TIFF or BigTIFF, of one page or more.
  case tiff
  /// SVG: shapes, with the size at which they are shown.
  case svg
  /// A Windows bitmap.
  case bmp
  /// A Windows icon: its largest picture.
  case ico

  var traits: FormatTraits {
    switch self {
    case .jpeg: .jpeg
    case .png: .png
    case .gif: .gif
    case .webp: .webp
    case .avif: .avif
    case .heic: .heic
    case .jxl: .jxl
    case .tiff: .tiff
    case .svg: .svg
    case .bmp: .bmp
    case .ico: .ico
    }
  }

  /// The image without its metadata: camera, location, comments, thumbnails, colour profile, and whatever follows the
  /// end. The coded pixels are copied as they are, so nothing visible is lost.
  ///
  /// For images that passed inspection. Nil if one is not understood all the same.
  package func withoutMetadata(_ image: [UInt8]) -> [UInt8]? {
    switch self {
    case .jpeg: MetadataStripper.jpeg(image)
    case .png: MetadataStripper.png(image)
    case .gif: MetadataStripper.gif(image)
    case .webp: MetadataStripper.webp(image)
    // Their parts are found by their offsets in the file, so nothing can be taken out.
    case .avif, .heic, .jxl, .tiff, .svg: nil
    // They have none.
    case .bmp, .ico: image
    }
  }
}

extension ImageFormat {
  /// The image with this metadata in place of its own. Its coded pixels and its colour profile are copied as they are.
  /// An image that already has exactly this metadata is returned itself.
  ///
  /// For images that passed inspection. Nil if one is not understood all the same, or the
  /// format's parts cannot be moved.
  package func withMetadata(_ metadata: MetadataBlocks, _ image: [UInt8]) -> [UInt8]? {
    MetadataEditor.image(image, self, with: metadata)
  }

  /// Edits the metadata of an image for ``MetadataEditor``. Nil if the format's parts cannot be moved.
  func edited(_ image: [UInt8], _ metadata: MetadataBlocks, _ seal: MetadataEditor.Seal) -> [UInt8]? {
    switch self {
    case .jpeg: MetadataEditor.jpeg(image, metadata, seal)
    case .png: MetadataEditor.png(image, metadata, seal)
    case .webp: MetadataEditor.webp(image, metadata, seal)
    case .gif: MetadataStripper.gif(image, keepingColours: true, metadata.xmp)
    case .avif, .heic: HEIFMetadata(BoxFile(image)).edited(image, metadata, seal)
    case .jxl: JXLMetadata.edited(image, metadata, seal)
    case .tiff: TIFFMetadata.edited(image)
    case .svg: SVGMetadata.edited(image)
    // They have none.
    case .bmp, .ico: image
    }
  }
}

extension FormatTraits {
  fileprivate static let jpeg = FormatTraits(
    displayName: "JPEG", mime: "image/jpeg", extensions: ["jpg", "jpeg", "jpe", "jfif"], entryNumber: 1,
    signatures: [FormatSignature(0xFFD8_FF << 40, mask: .max << 40)],
    damagedSignatures: [
      (FormatSignature(0xFFD8 << 48, mask: .max << 48), at: 2, reason: "no mark follows its start mark")
    ],
    codec: Int32(IMGFETCH_JPEG), decodingBytes: (still: 8, animated: 8), reducedDecoding: .exact,
    encodedPixels: .opaque, longestSide: 65_500, animation: .none, isConversionTarget: true, defaultQuality: 85)

  // A PNG's signature is designed so that a transfer in text mode damages it.
  fileprivate static let png = FormatTraits(
    displayName: "PNG", mime: "image/png", extensions: ["png", "apng"], variants: ["apng"], entryNumber: 2,
    signatures: [FormatSignature(0x8950_4E47_0D0A_1A0A)],
    damagedSignatures: [
      (  // ?PNG
        FormatSignature(0x0050_4E47 << 32, mask: 0x00FF_FFFF << 32), at: 0,
        reason: "its signature is altered, as by a transfer as text"
      )
    ],
    codec: Int32(IMGFETCH_PNG), decodingBytes: (still: 8, animated: 12), has16Bits: true,
    encodedPixels: .any, animation: .assembled, isConversionTarget: true, defaultQuality: 85)

  fileprivate static let gif = FormatTraits(
    displayName: "GIF", mime: "image/gif", extensions: ["gif"], entryNumber: 3,
    signatures: [  // GIF87a, GIF89a
      FormatSignature(0x4749_4638_3761 << 16, mask: .max << 16),
      FormatSignature(0x4749_4638_3961 << 16, mask: .max << 16),
    ],
    damagedSignatures: [
      (FormatSignature(0x4749_4638 << 32, mask: .max << 32), at: 3, reason: "a version that does not exist")
    ],
    codec: Int32(IMGFETCH_GIF), decodingBytes: (still: 12, animated: 12),
    encodedPixels: .rgba, longestSide: 65_535, hasProfiles: false, animation: .encoded, isConversionTarget: false,
    defaultQuality: 85)

  fileprivate static let webp = FormatTraits(
    displayName: "WebP", mime: "image/webp", extensions: ["webp"], entryNumber: 4,
    signatures: [FormatSignature(0x5249_4646 << 32, mask: .max << 32, then: 0x5745_4250)],  // RIFF????WEBP
    codec: Int32(IMGFETCH_WEBP), decodingBytes: (still: 16, animated: 16), reducedDecoding: .averaged,
    encodedPixels: .colour, longestSide: 16_383, animation: .encoded, isConversionTarget: true, defaultQuality: 80)

  // Further brands, and those that name the container alone: see FormatSniffer.
  fileprivate static let avif = FormatTraits(
    displayName: "AVIF", mime: "image/avif", extensions: ["avif", "avifs"], entryNumber: 5,
    signatures: ["avif", "avis"].map(FormatSignature.init(brand:)),
    codec: Int32(IMGFETCH_AVIF), library: .late("libavif"), decodingBytes: (still: 16, animated: 16), encodingBytes: 64,
    has16Bits: true, encodedPixels: .colour, longestSide: 65_536, isTurnedByItself: true, animation: .encoded,
    isConversionTarget: true, defaultQuality: 60)

  fileprivate static let heic = FormatTraits(
    displayName: "HEIC", mime: "image/heic", extensions: ["heic", "heif", "heics", "heifs", "hif"], entryNumber: 6,
    signatures: ["heic", "heix", "heim", "heis", "hevc", "hevx"].map(FormatSignature.init(brand:)),
    codec: Int32(IMGFETCH_HEIC), library: .late("libheif", usesThreads: true), decodingBytes: (still: 16, animated: 16),
    has16Bits: true, substitute: .png,
    encodedPixels: .colour, isTurnedByItself: true, animation: .none, isConversionTarget: false, defaultQuality: 60)

  // In boxes, or bare. Its decoder holds several channels of 32 bits. That of libjxl 0.11 takes 5 MB for
  // 16 x 16 pixels, of which one table has 3, and for 300 x 300 as much as for the four blocks of 256 x
  // 256 that they touch: 15 MB.
  fileprivate static let jxl = FormatTraits(
    displayName: "JPEG XL", mime: "image/jxl", extensions: ["jxl"], entryNumber: 10,
    signatures: [
      FormatSignature(0x0000_000C_4A58_4C20, then: 0x0D0A_870A), FormatSignature(0xFF0A << 48, mask: 0xFFFF << 48),
    ],
    codec: Int32(IMGFETCH_JXL), library: .late("libjxl"), decodingBytes: (still: 64, animated: 64),
    decoderBytes: 16 << 20, has16Bits: true, substitute: .png,
    encodedPixels: .any, isTurnedByItself: true, animation: .none, isConversionTarget: false, defaultQuality: 85)

  // In both byte orders, as TIFF and as BigTIFF.
  fileprivate static let tiff = FormatTraits(
    displayName: "TIFF", mime: "image/tiff", extensions: ["tif", "tiff"], entryNumber: 9,
    signatures: [0x4949_2A00, 0x4D4D_002A, 0x4949_2B00, 0x4D4D_002B].map {
      FormatSignature($0 << 32, mask: 0xFFFF_FFFF << 32)
    },
    codec: Int32(IMGFETCH_TIFF), library: .late("libtiff"), decodingBytes: (still: 16, animated: 16), has16Bits: true,
    substitute: .png,
    encodedPixels: .any, animation: .none, isConversionTarget: false, defaultQuality: 85)

  // XML has no signature: see SVGWalk.
  fileprivate static let svg = FormatTraits(
    displayName: "SVG", mime: "image/svg+xml", extensions: ["svg"], entryNumber: 11, signatures: [],
    codec: Int32(IMGFETCH_SVG), library: .late("librsvg", usesThreads: true), decodingBytes: (still: 8, animated: 8),
    substitute: .png,
    encodedPixels: .any, hasProfiles: false, animation: .none, isConversionTarget: false, defaultQuality: 85)

  // Two letters could begin a text, so the length of the second header is looked at as well: see FormatSniffer.
  fileprivate static let bmp = FormatTraits(
    displayName: "BMP", mime: "image/bmp", extensions: ["bmp", "dib"], entryNumber: 7, signatures: [],
    codec: Int32(IMGFETCH_BMP), decodingBytes: (still: 8, animated: 8), substitute: .png,
    encodedPixels: .any, hasProfiles: false, animation: .none, isConversionTarget: false, defaultQuality: 85)

  fileprivate static let ico = FormatTraits(
    displayName: "ICO", mime: "image/vnd.microsoft.icon", extensions: ["ico"], entryNumber: 8,
    signatures: [FormatSignature(0x0000_0100 << 32, mask: 0xFFFF_FFFF << 32)],
    codec: Int32(IMGFETCH_ICO), decodingBytes: (still: 8, animated: 8), substitute: .png,
    encodedPixels: .any, animation: .none, isConversionTarget: false, defaultQuality: 85)
}

/// The state of an inspection: recognising the format, walking the structure of that format, or failed.
///
/// An enumeration and not a protocol, so that a chunk costs one switch and no dynamic dispatch.
enum FormatWalk: Sendable {
  case sniffing(FormatSniffer)
  case jpeg(JPEGWalk)
  case png(PNGWalk)
  case gif(GIFWalk)
  case webp(WebPWalk)
  // In a box of its own, as it holds many tables: the others should not be larger for its sake.
  indirect case heif(HEIFWalk)
  indirect case jxl(JXLWalk)
  indirect case tiff(TIFFWalk)
  indirect case svg(SVGWalk)
  case bmp(BMPWalk)
  // As above, for the PNG's walk in it.
  indirect case ico(ICOWalk)
  case failed(InspectionFailure, ImageFacts?)

  init(_ format: ImageFormat, limits: InspectionLimits) {
    self =
      switch format {
      case .jpeg: .jpeg(JPEGWalk(limits: limits))
      case .png: .png(PNGWalk(limits: limits))
      case .gif: .gif(GIFWalk(limits: limits))
      case .webp: .webp(WebPWalk(limits: limits))
      case .avif, .heic: .heif(HEIFWalk(format: format, limits: limits))
      case .jxl: .jxl(JXLWalk(limits: limits))
      case .tiff: .tiff(TIFFWalk(limits: limits))
      case .svg: .svg(SVGWalk(limits: limits))
      case .bmp: .bmp(BMPWalk(limits: limits))
      case .ico: .ico(ICOWalk(limits: limits))
      }
  }

  var facts: ImageFacts? {
    switch self {
    case .sniffing: nil
    case .jpeg(let walk): walk.facts
    case .png(let walk): walk.facts
    case .gif(let walk): walk.facts
    case .webp(let walk): walk.facts
    case .heif(let walk): walk.facts
    case .jxl(let walk): walk.facts
    case .tiff(let walk): walk.facts
    case .svg(let walk): walk.facts
    case .bmp(let walk): walk.facts
    case .ico(let walk): walk.facts
    case .failed(_, let facts): facts
    }
  }

  mutating func feed(_ bytes: Span<UInt8>, limits: InspectionLimits) throws(InspectionFailure) {
    switch self {
    case .sniffing(var sniffer):
      let (taken, format) = try sniffer.take(bytes)
      guard let format else {
        self = .sniffing(sniffer)
        return
      }
      self = FormatWalk(format, limits: limits)
      let head = sniffer.head
      try feed(head.span.extracting(first: sniffer.count), limits: limits)
      if taken < bytes.count { try feed(bytes.extracting(droppingFirst: taken), limits: limits) }
    case .jpeg(var walk): try feed(&walk, bytes, FormatWalk.jpeg)
    case .png(var walk): try feed(&walk, bytes, FormatWalk.png)
    case .gif(var walk): try feed(&walk, bytes, FormatWalk.gif)
    case .webp(var walk): try feed(&walk, bytes, FormatWalk.webp)
    case .heif(var walk): try feed(&walk, bytes, FormatWalk.heif)
    case .jxl(var walk): try feed(&walk, bytes, FormatWalk.jxl)
    case .tiff(var walk): try feed(&walk, bytes, FormatWalk.tiff)
    case .svg(var walk): try feed(&walk, bytes, FormatWalk.svg)
    case .bmp(var walk): try feed(&walk, bytes, FormatWalk.bmp)
    case .ico(var walk): try feed(&walk, bytes, FormatWalk.ico)
    case .failed(let failure, _): throw failure
    }
  }

  @inline(__always)
  private mutating func feed<Walk: ImageWalk>(
    _ walk: inout Walk, _ bytes: Span<UInt8>, _ state: (Walk) -> FormatWalk
  ) throws(InspectionFailure) {
    // The walk's contents are not copied: nothing else refers to them while it is fed.
    self = .sniffing(FormatSniffer())
    defer { self = state(walk) }
    try walk.feed(bytes)
  }

  func finish() throws(InspectionFailure) -> WalkEnding {
    switch self {
    case .sniffing(let sniffer): throw sniffer.finish()
    case .jpeg(let walk): return try walk.finish()
    case .png(let walk): return try walk.finish()
    case .gif(let walk): return try walk.finish()
    case .webp(let walk): return try walk.finish()
    case .heif(let walk): return try walk.finish()
    case .jxl(let walk): return try walk.finish()
    case .tiff(let walk): return try walk.finish()
    case .svg(let walk): return try walk.finish()
    case .bmp(let walk): return try walk.finish()
    case .ico(let walk): return try walk.finish()
    case .failed(let failure, _): throw failure
    }
  }
}

/// The traits that distinguish a format, apart from the structure of its files, as plain data. ``ImageFormat`` has
/// one value for each format.
///
/// A class, since its members are read one at a time: a copy of the fields counts five references, and an accessor that
/// lends them takes 1.7 KB from malloc, three to five times an image.
final class FormatTraits: Sendable {
  /// Pixels that the encoder takes: any, those without alpha, RGB with or without alpha, or RGBA.
  enum EncodedPixels: Sendable { case any, opaque, colour, rgba }

  /// The way in which animations are written: not at all (only the first frame), by the encoder, or as PNGs
  /// that ``APNGAssembly`` joins.
  enum Animation: Sendable { case none, encoded, assembled }

  /// The saving by decoding at eighths of the size, and the resulting pixels.
  enum ReducedDecoding: Sendable {
    case none
    /// The pixels are as good as if they were scaled down after decoding.
    case exact
    /// Averages, which are blurred: twice the needed size is decoded. The last column stands for a whole pixel.
    case averaged
  }

  /// The location of a format's codec: in the program, or in a library that is loaded when first needed, which may
  /// decode on a thread of its own.
  enum Library: Sendable {
    case linked
    case late(String, usesThreads: Bool = false)
  }

  /// The name as people write it.
  let displayName: String
  let mime: String
  /// The extensions, in lower case, without a dot. A new file gets the first one.
  let extensions: [String]
  /// Further names of the format in options, for kinds of it.
  let variants: [String]
  /// The format's number in cache entries, which must never change.
  let entryNumber: UInt8

  let signatures: [FormatSignature]
  /// Beginnings that only a damaged file of the format has, with the place and a description of the damage.
  let damagedSignatures: [(FormatSignature, at: Int64, reason: String)]

  /// The format's number in the C interface.
  let codec: Int32
  /// The format's library: linked, or loaded by a helper that decodes nothing else.
  let library: Library
  /// The most bytes that decoding needs for each pixel of the canvas.
  let decodingBytes: (still: Int64, animated: Int64)
  /// The most bytes that decoding needs besides, for the decoder itself and its tables.
  let decoderBytes: Int64
  /// The most bytes that encoding needs for each pixel.
  let encodingBytes: Int64
  /// True if samples can have 16 bits.
  let has16Bits: Bool
  let reducedDecoding: ReducedDecoding

  /// The format of images derived from one of this format, if this one is not written. Nil means that it is written.
  let substitute: ImageFormat?
  let encodedPixels: EncodedPixels
  /// The most pixels of a side that can be written.
  let longestSide: Int
  /// True if the format's own structure has the orientation, so that pixels come upright and
  /// the tag in EXIF is ignored.
  let isTurnedByItself: Bool
  /// True if a file can contain a colour profile.
  let hasProfiles: Bool
  let animation: Animation
  /// True if `--convert` offers the format.
  let isConversionTarget: Bool
  /// The default quality. With these a photograph looks like the original at usual sizes, and files of all formats
  /// are about equally large.
  let defaultQuality: Int

  init(
    displayName: String, mime: String, extensions: [String], variants: [String] = [], entryNumber: UInt8,
    signatures: [FormatSignature], damagedSignatures: [(FormatSignature, at: Int64, reason: String)] = [],
    codec: Int32, library: Library = .linked, decodingBytes: (still: Int64, animated: Int64),
    decoderBytes: Int64 = 1 << 20, encodingBytes: Int64 = 8, has16Bits: Bool = false,
    reducedDecoding: ReducedDecoding = .none, substitute: ImageFormat? = nil, encodedPixels: EncodedPixels,
    longestSide: Int = .max, isTurnedByItself: Bool = false, hasProfiles: Bool = true, animation: Animation,
    isConversionTarget: Bool, defaultQuality: Int
  ) {
    self.displayName = displayName
    self.mime = mime
    self.extensions = extensions
    self.variants = variants
    self.entryNumber = entryNumber
    self.signatures = signatures
    self.damagedSignatures = damagedSignatures
    self.codec = codec
    self.library = library
    self.decodingBytes = decodingBytes
    self.decoderBytes = decoderBytes
    self.encodingBytes = encodingBytes
    self.has16Bits = has16Bits
    self.reducedDecoding = reducedDecoding
    self.substitute = substitute
    self.encodedPixels = encodedPixels
    self.longestSide = longestSide
    self.isTurnedByItself = isTurnedByItself
    self.hasProfiles = hasProfiles
    self.animation = animation
    self.isConversionTarget = isConversionTarget
    self.defaultQuality = defaultQuality
  }
}

extension ImageFormat {
  /// The media type. An animated PNG is `image/png` too: that is what servers send and every reader accepts.
  public var mime: String { traits.mime }

  /// The name as people write it.
  public var displayName: String { traits.displayName }

  /// The names of all formats, for a sentence.
  package static var namesInWords: String { inWords(allCases.map(\.displayName)) }

  /// The names of those that are recognised and decoded, and not written.
  package static var unwrittenInWords: String { inWords(allCases.filter { !$0.isWritten }.map(\.displayName)) }

  /// The formats that need a library of their own for pixels, each with it.
  package static var lateLibrariesInWords: String {
    inWords(allCases.compactMap { format in format.lateLibrary.map { "\(format.displayName) \($0)" } })
  }

  /// Several names as a sentence has them.
  ///
  /// - Parameter end: the text before the last one.
  package static func inWords(_ names: [String], end: String = " and ") -> String {
    // By hand, since every start makes such texts, and the first `joined` of a run looks up its types for 60 µs.
    var words = ""
    for (place, name) in names.enumerated() {
      if place > 0 { words += place == names.count - 1 ? end : ", " }
      words += name
    }
    return words
  }

  /// The library that is loaded when pixels of the format are first needed, or nil if the program has its own codec.
  package var lateLibrary: String? { if case .late(let name, _) = traits.library { name } else { nil } }

  /// True if images can be made in this format.
  package var isWritten: Bool { traits.substitute == nil }

  /// The extension, without a dot, that a file of this format gets.
  public var preferredExtension: String { traits.extensions.first ?? rawValue }

  /// The extensions that a file of this format may keep, in lower case.
  public var acceptedExtensions: [String] { traits.extensions }

  /// The names by which options and messages refer to the format.
  package var names: [String] { [rawValue] + traits.variants }

  package var isConversionTarget: Bool { traits.isConversionTarget }

  /// The quality that it is written with if none is given.
  package var defaultQuality: Int { traits.defaultQuality }
}
