/// A transform of images: steps in order, and the format of the result.
///
/// A value that determines the result: the same transform of the same image produces the same bytes.
public struct ImageTransform: Sendable, Hashable {
  /// One thing that is done.
  public enum Step: Sendable, Hashable {
    /// Scales.
    case resize(Resize)
    /// Cuts a part out.
    case crop(Crop)
    /// Applies the EXIF orientation, once; the tag in the result is then "upright".
    case autoOrient
    /// Rotates or mirrors, whatever the tag says.
    case turn(Orientation)
  }

  /// The format of a result.
  public enum Target: Sendable, Hashable {
    /// The format of the image.
    case same
    /// PNG if the image has an alpha channel, else JPEG: every program reads them, and nothing is lost that is seen.
    case byAlpha
    /// The given format.
    case format(ImageFormat)
  }

  /// The steps, in this order.
  public var steps: [Step]
  /// The format of the result.
  public var target: Target
  /// The quality from 1 to 100, or nil for the default of the format.
  public var quality: Int?
  /// The speed from 0 to 10, or nil for the default of the format.
  public var speed: Int?
  /// The colour behind transparent pixels, if transparency is removed, and that of a border.
  public var background: Colour
  /// True if all metadata is removed and colours are converted to sRGB. The default is false: the picture's maker and
  /// terms stay, with the colour profile; places, devices and times do not.
  public var strips: Bool
  /// True if all of Exif, XMP and IPTC is kept. The default is false.
  public var keepsMetadata: Bool
  /// True if pixels stay turned as they are stored, with the tag that says so. The default is false: they are made
  /// upright before anything else.
  public var keepsOrientation: Bool
  /// True if an animation becomes a still image.
  public var takesFirstFrame: Bool

  /// An opaque colour.
  public struct Colour: Sendable, Hashable {
    /// 0 to 255.
    public var red: UInt8
    /// 0 to 255.
    public var green: UInt8
    /// 0 to 255.
    public var blue: UInt8

    /// The colour with these parts.
    public init(red: UInt8, green: UInt8, blue: UInt8) {
      self.red = red
      self.green = green
      self.blue = blue
    }

    /// True unless it is grey, black or white.
    var isColoured: Bool { red != green || green != blue }

    /// White, the usual background.
    public static let white = Colour(red: 255, green: 255, blue: 255)
  }

  /// Creates a transform. By default it changes nothing.
  public init(
    steps: [Step] = [], target: Target = .same, quality: Int? = nil, speed: Int? = nil, background: Colour = .white,
    strips: Bool = false, keepsMetadata: Bool = false, keepsOrientation: Bool = false, takesFirstFrame: Bool = false
  ) {
    self.steps = steps
    self.target = target
    self.quality = quality
    self.speed = speed
    self.background = background
    self.strips = strips
    self.keepsMetadata = keepsMetadata
    self.keepsOrientation = keepsOrientation
    self.takesFirstFrame = takesFirstFrame
  }

  /// The format of the result, if pixels are encoded: that of the image, or its substitute if that is not written.
  package func format(for facts: ImageFacts) -> ImageFormat {
    switch target {
    case .same: facts.format.traits.substitute ?? facts.format
    case .byAlpha: facts.hasAlpha ? .png : .jpeg
    case .format(let format): format
    }
  }

  /// True if the image may stay in its format.
  func keepsFormat(of facts: ImageFacts) -> Bool { target == .same || format(for: facts) == facts.format }

  /// Identifies results of this transform, the same in every run. It depends on the options and on how pixels are
  /// computed.
  package var signature: UInt64 {
    var text = "\(Self.version)|\(target)|\(quality ?? 0)|\(strips)|\(takesFirstFrame)"
    text += "|\(background.red),\(background.green),\(background.blue)"
    if let speed { text += "|speed \(speed)" }
    if keepsMetadata { text += "|all metadata" }
    if keepsOrientation { text += "|turned as stored" }
    for step in steps { text += "|" + step.text }
    return ContentHash(of: text).low
  }

  /// The version of all transforms, which must be increased when one produces other pixels.
  private static let version = 4
}

extension ImageTransform.Step {
  /// The step as unique text: for the signature, and for what a shard of a data set says of itself.
  package var text: String {
    switch self {
    case .resize(let resize):
      let target =
        switch resize.target {
        case .box(let size): "\(size.width)x\(size.height)"
        case .width(let width): "\(width)x"
        case .height(let height): "x\(height)"
        case .percent(let percent): "\(percent)%"
        case .pixelBytes(let bytes): "\(bytes) bytes"
        }
      return "resize \(target) \(resize.fit.rawValue)\(resize.pads ? " padded" : "")"
    case .crop(let crop):
      let corner = [crop.x, crop.y].map { $0.map { "+\($0)" } ?? "+middle" }.joined()
      return "crop \(crop.size.width)x\(crop.size.height)\(corner)"
    case .autoOrient: return "orient"
    case .turn(let way): return "turn \(way.isTransposed) \(way.isMirrored) \(way.isFlipped)"
    }
  }
}

extension ImageTransform {
  /// A small upright picture without metadata, as in a list or a gallery.
  ///
  /// - Parameters:
  ///   - width: the width of the box in pixels.
  ///   - height: the height of the box in pixels.
  ///   - fit: the way the picture fits a box of other proportions. By default it is not enlarged.
  ///   - format: the format of the result. The default, nil, means PNG if the image has an alpha channel, else JPEG.
  ///   - quality: 1 to 100, or nil for the default of the format.
  public static func thumbnail(
    width: Int, height: Int, fit: Resize.Fit = .down, format: ImageFormat? = nil, quality: Int? = nil
  ) -> ImageTransform {
    ImageTransform(
      steps: [.autoOrient, .resize(Resize(.box(PixelSize(max(1, width), max(1, height))), fit: fit))],
      target: format.map { .format($0) } ?? .byAlpha, quality: quality, strips: true, takesFirstFrame: true)
  }

  /// True if images are delivered unchanged.
  package var isIdentity: Bool {
    self
      == ImageTransform(
        background: background, keepsMetadata: keepsMetadata, keepsOrientation: keepsOrientation)
  }
}
