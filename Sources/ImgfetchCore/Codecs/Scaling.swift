import CImageShim

/// The plan by which a picture is scaled, and the memory for that, computed before anything is allocated.
///
/// The Lanczos filter spans three pixels of the smaller picture to either side. If that is very much smaller, the
/// filter spans thousands of pixels of the larger one: its tables alone take hundreds of megabytes, and the time to
/// compute them grows with the square. In that case cells of pixels are averaged first, and the filter sees a picture
/// that is still many times larger than the result.
struct Scaling: Sendable, Hashable {
  /// The size of the cells that are averaged first; 1 for no averaging.
  let across: Int
  let down: Int
  /// The filter's input: the averaged picture, and the part of it that is scaled.
  let layout: PixelLayout
  let region: PixelRegion
  let size: PixelSize
  /// The most bytes held for its whole duration, and while a band of rows is made.
  let held: Int64
  let scratch: Int64
  var bytes: Int64 { held + scratch }

  /// Cells are averaged where one direction shrinks by at least this factor; half of it is left to the filter. With 16,
  /// averaging costs 0.2 % of the finest detail. A smaller factor is used only where memory is short: 2.6 % at 4.
  private static let limits = [32, 16, 8]
  /// The memory that the filter may use in any case: a sixth of what all images of a run share.
  private static let ease: Int64 = 128 << 20

  /// - Parameters:
  ///   - from: The layout of the picture's rows; not ink.
  ///   - part: The part that is scaled.
  init(_ from: PixelLayout, _ part: PixelRegion, to size: PixelSize) {
    var scaling = Scaling(from, part, to: size, limit: Self.limits[0])
    for limit in Self.limits.dropFirst() where scaling.bytes > Self.ease {
      scaling = Scaling(from, part, to: size, limit: limit)
    }
    self = scaling
  }

  private init(_ from: PixelLayout, _ part: PixelRegion, to size: PixelSize, limit: Int) {
    func factor(_ source: Double, _ target: Int) -> Int {
      let ratio = source / Double(max(1, target))
      return ratio < Double(limit) ? 1 : max(1, Int(clamping: Int64(min(ratio, 1e9))) / (limit / 2))
    }
    across = factor(part.width, size.width)
    down = factor(part.height, size.height)
    layout = from.averaged(across: across, down: down)
    // The last cell may cover fewer pixels than the others; the region's edge then lies within it.
    let (x, y) = (Double(across), Double(down))
    region = PixelRegion(left: part.left / x, top: part.top / y, width: part.width / x, height: part.height / y)
    self.size = size
    let need = imgfetch_resampler_needs(
      layout.cValue, region.cValue, UInt32(clamping: size.width), UInt32(clamping: size.height))
    let sums = across > 1 || down > 1 ? from.rowBytes + layout.width * layout.model.samples * 8 : 0
    held = Int64(clamping: need.held) + Int64(sums)
    scratch = Int64(clamping: need.scratch)
  }
}
