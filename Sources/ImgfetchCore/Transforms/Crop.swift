/// A part that is cut out: from the middle, unless a corner is given.
public struct Crop: Sendable, Hashable {
  /// The size of the part.
  public var size: PixelSize
  /// The left edge, or nil to centre the part.
  public var x: Int?
  /// The top edge, or nil to centre the part.
  public var y: Int?

  /// A part of this size.
  public init(_ size: PixelSize, x: Int? = nil, y: Int? = nil) {
    self.size = size
    self.x = x
    self.y = y
  }

  /// The part that is within a picture of `whole`, or nil if no pixel of it is.
  package func part(of whole: PixelSize) -> PixelRect? {
    // Checked before any subtraction: a program may pass on what a stranger has typed.
    guard size.width > 0, size.height > 0, self.x ?? 0 >= 0, self.y ?? 0 >= 0 else { return nil }
    let x = self.x ?? max(0, (whole.width - size.width) / 2)
    let y = self.y ?? max(0, (whole.height - size.height) / 2)
    let width = min(size.width, whole.width - x)
    let height = min(size.height, whole.height - y)
    guard width > 0, height > 0 else { return nil }
    return PixelRect(x: x, y: y, width: width, height: height)
  }
}
