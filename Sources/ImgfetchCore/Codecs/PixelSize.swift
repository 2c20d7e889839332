/// Width and height of a picture in pixels, each at least one.
public struct PixelSize: Sendable, Hashable {
  /// The number of columns.
  public var width: Int
  /// The number of rows.
  public var height: Int

  /// Creates a size.
  public init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }

  /// The size with rows and columns swapped.
  package var transposed: PixelSize { PixelSize(height, width) }
  /// The number of pixels, or the largest number for a size that no picture has.
  package var area: Int64 {
    let (area, over) = Int64(width).multipliedReportingOverflow(by: Int64(height))
    return over ? .max : area
  }
  /// The rectangle that covers the picture.
  var frame: PixelRect { PixelRect(x: 0, y: 0, width: width, height: height) }
}
