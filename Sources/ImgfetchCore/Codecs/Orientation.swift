/// One of the eight orientations of a picture.
///
/// It is applied in three steps: first rows and columns are swapped, then left and right, then top and bottom.
public struct Orientation: Sendable, Hashable {
  /// True if rows and columns are swapped.
  public var isTransposed: Bool
  /// True if left and right are swapped.
  public var isMirrored: Bool
  /// True if top and bottom are swapped.
  public var isFlipped: Bool

  /// Creates an orientation.
  public init(isTransposed: Bool = false, isMirrored: Bool = false, isFlipped: Bool = false) {
    self.isTransposed = isTransposed
    self.isMirrored = isMirrored
    self.isFlipped = isFlipped
  }

  /// No change.
  public static let upright = Orientation()
  /// Left and right swapped.
  public static let mirrored = Orientation(isMirrored: true)
  /// Top and bottom swapped.
  public static let flipped = Orientation(isFlipped: true)
  /// A quarter turn, clockwise.
  public static let quarter = Orientation(isTransposed: true, isMirrored: true)
  /// A half turn.
  public static let half = Orientation(isMirrored: true, isFlipped: true)
  /// A three-quarter turn, clockwise.
  public static let threeQuarters = Orientation(isTransposed: true, isFlipped: true)

  /// The transformation that makes a picture with this EXIF orientation upright.
  public init(exif: Int) {
    switch exif {
    case 2: self = .mirrored
    case 3: self = .half
    case 4: self = .flipped
    case 5: self.init(isTransposed: true)
    case 6: self = .quarter
    case 7: self.init(isTransposed: true, isMirrored: true, isFlipped: true)
    case 8: self = .threeQuarters
    default: self = .upright
    }
  }

  /// Returns this transformation followed by `next`.
  package func then(_ next: Orientation) -> Orientation {
    // A transposition turns left and right into top and bottom.
    let (mirrored, flipped) = next.isTransposed ? (isFlipped, isMirrored) : (isMirrored, isFlipped)
    return Orientation(
      isTransposed: isTransposed != next.isTransposed, isMirrored: mirrored != next.isMirrored,
      isFlipped: flipped != next.isFlipped)
  }

  /// The size after the transformation, given that before it, or the other way round.
  package func turned(_ size: PixelSize) -> PixelSize { isTransposed ? size.transposed : size }

  /// The place that `part` of a transformed picture of `size` has in the original.
  package func source(of part: PixelRect, in size: PixelSize) -> PixelRect {
    let x = isMirrored ? size.width - part.x - part.width : part.x
    let y = isFlipped ? size.height - part.y - part.height : part.y
    return isTransposed
      ? PixelRect(x: y, y: x, width: part.height, height: part.width)
      : PixelRect(x: x, y: y, width: part.width, height: part.height)
  }
}
