/// What distinguishes a format besides the structure of its files, as plain data. ``ImageFormat`` has one value for each format.
struct FormatTraits: Sendable {
  /// Pixels that the encoder takes: any, those without alpha, RGB with or without alpha, or RGBA.
  enum EncodedPixels: Sendable { case any, opaque, colour, rgba }

  /// How animations are written: not at all (only the first frame), by the encoder, or as PNGs that ``APNGAssembly`` joins.
  enum Animation: Sendable { case none, encoded, assembled }

  /// Whether decoding at eighths of the size saves work, and what the pixels are then.
  enum ReducedDecoding: Sendable {
    case none
    /// As good as pixels that were scaled down after decoding.
    case exact
    /// Averages, which are blurred: twice the needed size is decoded. The last column stands for a whole pixel.
    case averaged
  }

  /// The name as people write it.
  let displayName: String
  let mime: String
  /// In lower case, without a dot. A new file gets the first one.
  let extensions: [String]
  /// Further names of the format in options, for kinds of it.
  var variants: [String] = []
  /// The format's number in cache entries, which must never change.
  let entryNumber: UInt8

  let signatures: [FormatSignature]
  /// Beginnings that only a damaged file of the format has, with the place and a description of the damage.
  var damagedSignatures: [(FormatSignature, at: Int64, reason: String)] = []

  /// The format's number in the C interface.
  let codec: Int32
  /// The most bytes that decoding needs for each pixel of the canvas.
  let decodingBytes: (still: Int64, animated: Int64)
  /// Whether samples can have 16 bits.
  var has16Bits = false
  var reducedDecoding = ReducedDecoding.none

  let encodedPixels: EncodedPixels
  /// Whether a file can contain a colour profile.
  var hasProfiles = true
  let animation: Animation
  /// Whether `--convert` offers it.
  let isConversionTarget: Bool
  /// At these qualities a photograph looks like the original at usual sizes, and files of all formats are about equally large.
  let defaultQuality: Int
}

extension ImageFormat {
  /// The media type. An animated PNG is `image/png` too: that is what servers send and every reader accepts.
  public var mime: String { traits.mime }

  /// The name as people write it.
  public var displayName: String { traits.displayName }

  /// The extension, without a dot, that a file of this format gets.
  public var preferredExtension: String { traits.extensions.first ?? rawValue }

  /// The extensions that a file of this format may keep, in lower case.
  public var acceptedExtensions: [String] { traits.extensions }

  /// The names by which options and messages refer to the format.
  package var names: [String] { [rawValue] + traits.variants }

  /// Whether images can be converted to this format on request.
  package var isConversionTarget: Bool { traits.isConversionTarget }
}

/// Fixed bytes at the beginning of a file, among its first twelve. Comparing them costs two instructions and no allocation.
struct FormatSignature: Sendable {
  /// The number of bytes that are compared.
  static let length = 12

  private var value: UInt128 = 0
  private var mask: UInt128 = 0
  /// The fewest bytes that may be taken for a cut signature. One of letters needs three, since fewer could begin a word.
  private let leastPrefix: Int

  /// - Parameter text: ASCII, in which `?` stands for any byte.
  init(_ text: String) { self.init(Array(text.utf8), wildcard: UInt8(ascii: "?")) }

  init(_ bytes: [UInt8], wildcard: UInt8? = nil) {
    for place in 0..<Self.length {
      let isFixed = place < bytes.count && bytes[place] != wildcard
      value = value << 8 | (isFixed ? UInt128(bytes[place]) : 0)
      mask = mask << 8 | (isFixed ? 0xFF : 0)
    }
    leastPrefix = (bytes.first ?? 0) < 0x80 ? 3 : 1
  }

  /// Whether a file that begins with these twelve bytes has the signature.
  func matches(_ head: UInt128) -> Bool { head & mask == value }

  /// Whether a file that was cut after so many bytes may have had the signature. The missing bytes of `head` must be 0.
  func matches(_ head: UInt128, cutAt count: Int) -> Bool {
    let missing = UInt128(8 * (Self.length - count))
    return count >= leastPrefix && ((head ^ value) & mask) >> missing == 0
  }
}
