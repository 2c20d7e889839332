import CImageShim

/// How a picture is scaled, and what that takes: worked out before anything is taken for it.
///
/// Lanczos' filter spans three pixels of the smaller picture to either side. Where that is very much smaller it spans thousands of the
/// larger one: its tables alone then have hundreds of megabytes, and the time to make them grows with the square. There cells of pixels
/// are averaged first, and the filter sees a picture that is still many times larger than the result.
struct Scaling: Sendable, Hashable {
  /// So many columns and rows are averaged into one first; 1: none.
  let across: Int
  let down: Int
  /// What the filter is given: the averages, and the part of them that is scaled.
  let layout: PixelLayout
  let region: PixelRegion
  let size: PixelSize
  /// Bytes that it holds at most, as long as it lasts, and while a band of rows is made.
  let held: Int64
  let scratch: Int64
  var bytes: Int64 { held + scratch }

  /// From so many times on, in one direction, cells are averaged; half as many times are left to the filter. At 16 that leaves, what
  /// the averages take from the finest detail is 0.2 %. Further down only where there would not be memory: 2.6 % at 4.
  private static let limits = [32, 16, 8]
  /// What the filter may take without a thought: a sixth of what all images of a run share.
  private static let ease: Int64 = 128 << 20

  /// - Parameters:
  ///   - from: How the picture's rows are laid out; not of ink.
  ///   - part: What of it is scaled.
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
    var layout = from
    layout.width = (from.width + across - 1) / across
    layout.height = (from.height + down - 1) / down
    self.layout = layout
    // The last cell may stand for fewer pixels than the others; the region's edge then lies within it.
    let (x, y) = (Double(across), Double(down))
    region = PixelRegion(left: part.left / x, top: part.top / y, width: part.width / x, height: part.height / y)
    self.size = size
    let need = imgfetch_resampler_needs(
      layout.seam, region.seam, UInt32(clamping: size.width), UInt32(clamping: size.height))
    let sums = across > 1 || down > 1 ? from.rowBytes + layout.width * layout.model.samples * 8 : 0
    held = Int64(clamping: need.held) + Int64(sums)
    scratch = Int64(clamping: need.scratch)
  }
}

extension PixelRegion {
  var seam: imgfetch_region { imgfetch_region(left: left, top: top, width: width, height: height) }
}
