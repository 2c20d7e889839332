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

  /// True if the pictures are composed of frames. An APNG may have a single one: browsers show it, and not the still
  /// picture, which need not be a frame.
  package var isComposed: Bool { frames > 1 || format == .png && loopCount != nil }

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

/// A rule of its format that an image breaks although every pixel is there. Decoders ignore such errors, and browsers
/// show the image.
///
/// Some flaws are accepted only under conditions, which the walk of the format states.
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
  /// Pixels of one bit in the codes of a GIF, which should have two.
  case shortCodes = 12
  /// Pages of a TIFF that stand in front of those that refer to them. They are not counted.
  case uncountedPages = 13

  /// The name in reports.
  public var name: String { words.name }

  private var words: (name: String, phrase: String) {
    switch self {
    case .strayBytes: ("stray-bytes", "bytes between its segments")
    case .cutSegment: ("cut-segment", "a metadata segment that is cut short")
    case .metadataChecksum: ("metadata-checksum", "a wrong checksum of metadata")
    case .idlePalette: ("idle-palette", "a palette that no pixel needs, out of its place")
    case .badEndMark: ("bad-end-mark", "an end mark that is not as it must be")
    case .noEndMark: ("no-end-mark", "no end mark")
    case .brokenAnimation: ("broken-animation", "a broken animation, of which the still picture counts")
    case .frameBeyondScreen: ("frame-beyond-screen", "a frame that reaches beyond the screen")
    case .script: ("script", "a script")
    case .dataChecksum: ("data-checksum", "a wrong checksum of its pixels' data, which are complete")
    case .wrongLength: ("wrong-length", "a directory that is wrong about a picture's length")
    case .unknownEnd: ("unknown-end", "no end that it tells itself, and no decoder is there to find it")
    case .uncountedPages: ("uncounted-pages", "pages in front of those that refer to them, which are not counted")
    case .shortCodes: ("short-codes", "codes for pixels of one bit, where two are the least")
    }
  }
}

extension ImageFlaw: CustomStringConvertible {
  /// The flaw in words, to follow "it has".
  public var description: String { words.phrase }
}
