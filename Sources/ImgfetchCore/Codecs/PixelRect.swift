/// A rectangle of whole pixels within a picture.
package struct PixelRect: Sendable, Hashable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package var size: PixelSize { PixelSize(width, height) }

  /// Translates a rectangle within `outer` to the picture that `outer` is a part of.
  func within(_ outer: PixelRect) -> PixelRect {
    PixelRect(x: outer.x + x, y: outer.y + y, width: width, height: height)
  }
}
