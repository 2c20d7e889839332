/// What inspection learned about an image. Size and frames are as stored: nothing has been turned or composed.
public struct ImageFacts: Sendable, Hashable {
  /// How a pixel's numbers are meant.
  public enum ColourModel: String, CaseIterable, Sendable {
    /// Brightness alone.
    case grey
    /// Red, green and blue.
    case rgb
    /// Numbers of colours in a table.
    case palette
    /// Brightness and two differences, as JPEG and lossy WebP store it.
    case ycbcr
    /// Four inks.
    case cmyk
    /// Four inks, three of them stored as YCbCr.
    case ycck
  }

  /// The format.
  public package(set) var format: ImageFormat
  /// Pixels in a row.
  public package(set) var width: Int
  /// Rows.
  public package(set) var height: Int
  /// Pictures of an animation; 1 for a still image.
  public package(set) var frames: Int
  /// Bits of a channel, or of a colour's number where there is a palette.
  public package(set) var bits: Int
  /// Whether pixels may be transparent.
  public package(set) var hasAlpha: Bool
  /// The EXIF orientation, 1 to 8; 1 where none is given.
  public package(set) var orientation: Int
  /// How often an animation plays, 0 for without end; nil where the file does not say.
  public package(set) var loopCount: Int?
  /// Whether a colour profile comes with the file.
  public package(set) var hasColourProfile: Bool
  /// How a pixel's numbers are meant.
  public package(set) var colourModel: ColourModel
  /// Bytes after the end mark.
  public package(set) var trailingBytes: Int64

  package init(
    format: ImageFormat, width: Int, height: Int, frames: Int = 1, bits: Int = 8, hasAlpha: Bool = false,
    orientation: Int = 1, loopCount: Int? = nil, hasColourProfile: Bool = false, colourModel: ColourModel = .rgb,
    trailingBytes: Int64 = 0
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
  }
}
