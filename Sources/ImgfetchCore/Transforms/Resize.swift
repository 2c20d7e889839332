/// A requested size, and the resulting one.
public struct Resize: Sendable, Hashable {
  /// The requested size.
  public enum Target: Sendable, Hashable {
    /// A box; ``Fit`` says how the picture fits it.
    case box(PixelSize)
    /// A width; the height follows.
    case width(Int)
    /// A height; the width follows.
    case height(Int)
    /// A percentage of both sides.
    case percent(Double)
    /// The picture has at most this many bytes of pixels, four for each pixel. No picture is enlarged.
    case pixelBytes(Int)
  }

  /// The way a picture fits a box of other proportions.
  public enum Fit: String, CaseIterable, Sendable {
    /// The largest size within the box.
    case inside
    /// The smallest size that covers the box, with the excess cut off evenly.
    case cover
    /// The box's size; the proportions may change.
    case fill
    /// The same as `inside`, but a box never enlarges the original.
    case down
    /// The smallest size that covers the box: the shorter side is that of the box, and nothing is cut off.
    case outside
  }

  /// The requested size.
  public var target: Target
  /// The way the picture fits a box.
  public var fit: Fit
  /// True if the box is filled with the background where the picture is smaller. It matters to an ``ImageTransform``
  /// only: decoded pictures have no background.
  public var pads: Bool

  /// A request for a size.
  public init(_ target: Target, fit: Fit = .inside, pads: Bool = false) {
    self.target = target
    self.fit = fit
    self.pads = pads
  }

  /// The largest size, with the same proportions, in which a picture takes at most `bytes` bytes of memory, four for
  /// each pixel; 60 MB by default. A picture that takes less stays as it is.
  public static func scaledToFit(bytes: Int = 60 << 20) -> Resize { Resize(.pixelBytes(bytes)) }

  /// The size that a picture of `size` is scaled to. If it is to cover a box, ``crop(_:)`` then cuts it.
  package func scaled(_ size: PixelSize) -> PixelSize {
    let (width, height) = (Double(size.width), Double(size.height))
    var scale: (x: Double, y: Double)
    switch target {
    case .box(let box):
      let (x, y) = (Double(box.width) / width, Double(box.height) / height)
      switch fit {
      case .inside, .down: scale = (min(x, y), min(x, y))
      case .cover, .outside: scale = (max(x, y), max(x, y))
      case .fill: return PixelSize(Self.rounded(Double(box.width)), Self.rounded(Double(box.height)))
      }
    case .width(let wanted): scale = (Double(wanted) / width, Double(wanted) / width)
    case .height(let wanted): scale = (Double(wanted) / height, Double(wanted) / height)
    case .percent(let percent): scale = (percent / 100, percent / 100)
    case .pixelBytes(let bytes): return Self.size(size, within: max(4, bytes) / 4)
    }
    // A percentage says by itself whether it enlarges.
    if fit == .down, !isPercentage { scale = (min(1, scale.x), min(1, scale.y)) }
    return PixelSize(Self.rounded(width * scale.x), Self.rounded(height * scale.y))
  }

  /// The largest size of the same proportions that has at most `pixels` pixels.
  private static func size(_ size: PixelSize, within pixels: Int) -> PixelSize {
    guard size.area > Int64(pixels) else { return size }
    let scale = (Double(pixels) / Double(size.area)).squareRoot()
    let width = max(1, Int(Double(size.width) * scale))
    // A side of one pixel leaves more to the other.
    let height = max(1, min(Int(Double(size.height) * scale), pixels / width))
    return PixelSize(min(width, pixels / height), height)
  }

  /// The part of a very long picture that is cut out before it is scaled to cover a box, or nil for all of it.
  ///
  /// Otherwise all of it would be scaled for the sake of a fraction: 4 x 2,000 pixels to 1,000 x 500,000, of
  /// which 1,000 x 1,000 are kept. Up to sixteen times the box the whole is scaled, so that the cut is exact to
  /// the pixel of the result.
  package func cutBefore(_ size: PixelSize) -> Crop? {
    guard fit == .cover, case .box(let box) = target else { return nil }
    let scale = max(Double(box.width) / Double(size.width), Double(box.height) / Double(size.height))
    let excess = Double(size.width) * scale / Double(box.width) * (Double(size.height) * scale / Double(box.height))
    guard excess > 16 else { return nil }
    func needed(_ side: Int, of whole: Int) -> Int { min(whole, max(1, Int((Double(side) / scale).rounded(.up)))) }
    return Crop(PixelSize(needed(box.width, of: size.width), needed(box.height, of: size.height)))
  }

  private var isPercentage: Bool { if case .percent = target { true } else { false } }

  /// The size that a scaled picture of this size is padded to, or nil if it is not.
  package func padded(_ scaled: PixelSize) -> PixelSize? {
    guard pads, case .box(let box) = target else { return nil }
    let size = PixelSize(max(box.width, scaled.width), max(box.height, scaled.height))
    return size == scaled ? nil : size
  }

  /// The part of the scaled picture that is kept, or nil for all of it.
  package func crop(_ scaled: PixelSize) -> Crop? {
    guard fit == .cover, case .box(let box) = target, box != scaled else { return nil }
    return Crop(box)
  }

  /// Each side has at least one pixel. The bound prevents overflow; sizes that are too large for a codec are rejected
  /// later.
  private static func rounded(_ side: Double) -> Int { Int(min(max(1, side.rounded()), 1e9)) }
}
