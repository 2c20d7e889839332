/// What distinguishes a format, apart from the structure of its files, as plain data. ``ImageFormat`` has one value for
/// each format.
///
/// A class, since all of it is asked for one thing at a time: a copy of the fields counts five references, and an accessor that lends them
/// takes 1.7 KB from malloc, three to five times an image.
final class FormatTraits: Sendable {
  /// Pixels that the encoder takes: any, those without alpha, RGB with or without alpha, or RGBA.
  enum EncodedPixels: Sendable { case any, opaque, colour, rgba }

  /// How animations are written: not at all (only the first frame), by the encoder, or as PNGs that ``APNGAssembly``
  /// joins.
  enum Animation: Sendable { case none, encoded, assembled }

  /// Whether decoding at eighths of the size saves work, and what the pixels are then.
  enum ReducedDecoding: Sendable {
    case none
    /// As good as pixels that were scaled down after decoding.
    case exact
    /// Averages, which are blurred: twice the needed size is decoded. The last column stands for a whole pixel.
    case averaged
  }

  /// Where a format's codec is: in the program, or in a library that is loaded when first needed, which may decode on a thread of its own.
  enum Library: Sendable {
    case linked
    case late(String, usesThreads: Bool = false)
  }

  /// The name as people write it.
  let displayName: String
  let mime: String
  /// In lower case, without a dot. A new file gets the first one.
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
  /// How its library comes in: linked, or loaded by a helper that decodes nothing else.
  let library: Library
  /// The most bytes that decoding needs for each pixel of the canvas.
  let decodingBytes: (still: Int64, animated: Int64)
  /// The most bytes that decoding needs besides, for the decoder itself and its tables.
  let decoderBytes: Int64
  /// The most bytes that encoding needs for each pixel.
  let encodingBytes: Int64
  /// Whether samples can have 16 bits.
  let has16Bits: Bool
  let reducedDecoding: ReducedDecoding

  /// The format of what is made of such an image, where this one is not written; nil: it is.
  let substitute: ImageFormat?
  let encodedPixels: EncodedPixels
  /// Whether its own structure says how it is turned, so that pixels come upright and the tag in EXIF means nothing.
  let isTurnedByItself: Bool
  /// Whether a file can contain a colour profile.
  let hasProfiles: Bool
  let animation: Animation
  /// Whether `--convert` offers it.
  let isConversionTarget: Bool
  /// At these qualities a photograph looks like the original at usual sizes, and files of all formats are about equally
  /// large.
  let defaultQuality: Int

  init(
    displayName: String, mime: String, extensions: [String], variants: [String] = [], entryNumber: UInt8,
    signatures: [FormatSignature], damagedSignatures: [(FormatSignature, at: Int64, reason: String)] = [],
    codec: Int32, library: Library = .linked, decodingBytes: (still: Int64, animated: Int64),
    decoderBytes: Int64 = 1 << 20, encodingBytes: Int64 = 8, has16Bits: Bool = false,
    reducedDecoding: ReducedDecoding = .none, substitute: ImageFormat? = nil, encodedPixels: EncodedPixels,
    isTurnedByItself: Bool = false, hasProfiles: Bool = true, animation: Animation, isConversionTarget: Bool,
    defaultQuality: Int
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
  package static func inWords(_ names: [String]) -> String {
    names.count < 2 ? names.joined() : "\(names.dropLast().joined(separator: ", ")) and \(names.last ?? "")"
  }

  /// The library that is loaded when pixels of the format are first needed; nil: the program has its own.
  package var lateLibrary: String? { if case .late(let name, _) = traits.library { name } else { nil } }

  /// Whether images can be made in this format.
  package var isWritten: Bool { traits.substitute == nil }

  /// The extension, without a dot, that a file of this format gets.
  public var preferredExtension: String { traits.extensions.first ?? rawValue }

  /// The extensions that a file of this format may keep, in lower case.
  public var acceptedExtensions: [String] { traits.extensions }

  /// The names by which options and messages refer to the format.
  package var names: [String] { [rawValue] + traits.variants }

  /// Whether images can be converted to this format on request.
  package var isConversionTarget: Bool { traits.isConversionTarget }
}

/// Fixed bytes among the first twelve of a file, as numbers. Comparing them costs a few instructions and no allocation.
struct FormatSignature: Sendable {
  /// The first twelve bytes of a file, with zeros for those that are missing.
  struct Head {
    static let length = 12
    var start: UInt64 = 0
    var rest: UInt32 = 0
  }

  private let start: UInt64
  private let mask: UInt64
  private let rest: UInt32

  /// - Parameters:
  ///   - start: The first eight bytes.
  ///   - mask: Which of their bits are fixed; the others must be 0.
  ///   - rest: The four bytes after them; 0 for any.
  init(_ start: UInt64, mask: UInt64 = .max, then rest: UInt32 = 0) {
    (self.start, self.mask, self.rest) = (start, mask, rest)
  }

  /// An ISO base media file that is first of all of this brand.
  init(brand: BoxType) {
    self.init(UInt64(BoxType("ftyp").code), mask: 0xFFFF_FFFF, then: brand.code)
  }

  /// Whether a file that begins with `head` has the signature.
  func matches(_ head: Head) -> Bool { head.start & mask == start && (rest == 0 || head.rest == rest) }

  /// Whether a file that was cut after so many bytes may have had it. Of letters it takes three, since fewer could
  /// begin a word; of a box its length and type.
  func matches(_ head: Head, cutAt count: Int) -> Bool {
    count >= (start >> 63 == 1 ? 1 : mask >> 32 == 0 ? 8 : 3)
      && ((head.start ^ start) & mask) >> (8 * max(0, 8 - count)) == 0
      && (rest == 0 || (head.rest ^ rest) >> (8 * (Head.length - count)) == 0)
  }
}
