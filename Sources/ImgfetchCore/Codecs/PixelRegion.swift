/// A rectangle within a picture whose edges may lie within pixels.
package struct PixelRegion: Sendable, Hashable {
  package var left: Double
  package var top: Double
  package var width: Double
  package var height: Double
}

extension PixelRegion {
  /// The region that covers the picture.
  package init(_ size: PixelSize) { self.init(left: 0, top: 0, width: Double(size.width), height: Double(size.height)) }
}
