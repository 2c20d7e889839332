/// Width and height of a picture, in pixels; at least one each.
package struct PixelSize: Sendable, Hashable {
  package var width: Int
  package var height: Int

  package init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }

  /// With rows and columns swapped.
  package var transposed: PixelSize { PixelSize(height, width) }
  package var area: Int64 { Int64(width) * Int64(height) }
  /// The whole of it.
  var frame: PixelRect { PixelRect(x: 0, y: 0, width: width, height: height) }
}

/// A part of a picture, in whole pixels.
package struct PixelRect: Sendable, Hashable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  package var size: PixelSize { PixelSize(width, height) }

  /// The part of a part: `self` lies in a picture that is itself `outer` of another one.
  func within(_ outer: PixelRect) -> PixelRect {
    PixelRect(x: outer.x + x, y: outer.y + y, width: width, height: height)
  }
}

/// A part of a picture whose edges may lie within pixels.
package struct PixelRegion: Sendable, Hashable {
  package var left: Double
  package var top: Double
  package var width: Double
  package var height: Double

  package init(left: Double, top: Double, width: Double, height: Double) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }

  /// The whole of a picture.
  package init(_ size: PixelSize) {
    self.init(left: 0, top: 0, width: Double(size.width), height: Double(size.height))
  }
}
