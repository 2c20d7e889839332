/// What the inspection found out about an image. Size and frames are as stored: not rotated and not composed.
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
  /// Whether pixels may be transparent.
  public package(set) var hasAlpha: Bool
  /// The EXIF orientation, 1 to 8; 1 if there is none.
  public package(set) var orientation: Int
  /// The loop count of an animation, 0 for endless; nil if the file does not say.
  public package(set) var loopCount: Int?
  /// Whether the file contains a colour profile.
  public package(set) var hasColourProfile: Bool
  /// The meaning of a pixel's samples.
  public package(set) var colourModel: ColourModel
  /// The number of bytes after the end mark.
  public package(set) var trailingBytes: Int64
  /// Whether the file itself tells where it ends. If not, only decoding can tell whether it is whole.
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
