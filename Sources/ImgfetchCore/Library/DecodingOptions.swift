/// The options for decoding an image.
public struct DecodingOptions: Sendable {
  /// The wanted size. The default, nil, means that of the image. JPEG and still WebP are
  /// decoded smaller from the start.
  public var size: Resize?
  /// True, the default, if the picture is turned by the file's EXIF orientation. The wanted size is
  /// that of the turned picture.
  public var appliesOrientation = true
  /// The limit on the pixels of all frames that are decoded, 256 Mi by default. A larger image is refused before memory
  /// is allocated for it.
  public var maximumPixels: Int64 = InspectionLimits.usualPixels

  /// The image in its own size, upright.
  public init() {}

  /// The image in this size, upright.
  public init(size: Resize) { self.size = size }

  /// The size in which an image is decoded, and the facts that matter to that.
  func target(of facts: ImageFacts) -> (facts: ImageFacts, size: PixelSize) {
    var facts = facts
    if !appliesOrientation { facts.orientation = 1 }
    let upright = Orientation(exif: facts.orientation).turned(PixelSize(facts.width, facts.height))
    return (facts, size?.scaled(upright) ?? upright)
  }
}
