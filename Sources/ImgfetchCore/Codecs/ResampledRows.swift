import CImageShim

/// Rows scaled by zimg, with a three-lobed Lanczos filter and colours weighted by alpha. They need the memory
/// that their ``Scaling`` says.
@safe
package final class ResampledRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private var row: [UInt8]
  private let format: ImageFormat
  private let handle: OpaquePointer

  /// Scales the rows of `source` as computed in `scaling`.
  /// - Parameter format: The image's, for errors.
  static func make(
    _ source: any RowSource, _ scaling: Scaling, _ format: ImageFormat
  ) throws(PixelFailure) -> ResampledRows {
    let averages = scaling.across > 1 || scaling.down > 1
    let rows: any RowSource =
      averages ? AveragedRows(source, across: scaling.across, down: scaling.down) : source
    return try ResampledRows(rows, scaling, format)
  }

  private init(_ source: any RowSource, _ scaling: Scaling, _ format: ImageFormat) throws(PixelFailure) {
    precondition(source.layout.model != .cmyk, "ink is mixed before it is scaled")
    self.source = source
    self.format = format
    layout = PixelLayout(
      width: scaling.size.width, height: scaling.size.height, model: source.layout.model, bits: source.layout.bits)
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
    var trouble = imgfetch_trouble()
    // Proof: the handle is closed in deinit and used by this object only.
    guard
      let opened = unsafe imgfetch_resampler_open(
        source.layout.cValue, scaling.region.cValue, layout.cValue.width, layout.cValue.height, &trouble)
    else { throw PixelFailure(trouble, format) }
    unsafe handle = opened
    allow(scratch: scaling.scratch)
  }

  deinit { unsafe imgfetch_resampler_close(handle) }

  /// Sets the memory for making a band of rows, in place of the estimate.
  package func allow(scratch: Int64) { unsafe imgfetch_resampler_allow(handle, UInt64(max(0, scratch))) }

  package func read(into made: inout [UInt8]) throws(PixelFailure) {
    precondition(made.count >= layout.rowBytes, "a row of this layout does not fit")
    while unsafe imgfetch_resampler_wants(handle) {
      try source.read(into: &row)
      // Proof: a row of the source's layout is read from it.
      unsafe imgfetch_resampler_put(handle, row)
    }
    var trouble = imgfetch_trouble()
    // Proof: one row of the layout is written, for which there is room.
    let isMade = unsafe made.withUnsafeMutableBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return false }
      return unsafe imgfetch_resampler_take(handle, base, &trouble)
    }
    if !isMade { throw PixelFailure(trouble, format) }
  }
}

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
    var layout = from
    layout.width = (from.width + across - 1) / across
    layout.height = (from.height + down - 1) / down
    self.layout = layout
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

extension PixelRegion {
  var cValue: imgfetch_region { imgfetch_region(left: left, top: top, width: width, height: height) }
}

/// Rows of a smaller picture, each pixel of which is the average of a cell of pixels, with colours weighted by alpha.
package final class AveragedRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private let across: Int
  private let down: Int
  private var row: [UInt8]
  private var sums: [UInt64]
  private var rowsLeft: Int

  /// - Parameters:
  ///   - source: Must not be ink.
  ///   - across: The columns of a cell; the last cell may have fewer.
  ///   - down: The rows of a cell, likewise.
  package init(_ source: any RowSource, across: Int, down: Int) {
    precondition(source.layout.model != .cmyk, "ink is mixed before it is scaled")
    self.source = source
    self.across = max(1, across)
    self.down = max(1, down)
    var layout = source.layout
    layout.width = (layout.width + self.across - 1) / self.across
    layout.height = (layout.height + self.down - 1) / self.down
    self.layout = layout
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
    sums = [UInt64](repeating: 0, count: layout.width * layout.model.samples)
    rowsLeft = source.layout.height
  }

  package func read(into made: inout [UInt8]) throws(PixelFailure) {
    precondition(made.count >= layout.rowBytes, "a row of this layout does not fit")
    let rows = min(down, rowsLeft)
    for _ in 0..<rows {
      try source.read(into: &row)
      // Proof: a row of the source's layout is read, and there is a sum for each sample of each of its cells.
      unsafe imgfetch_average_add(row, source.layout.cValue, across, &sums)
    }
    rowsLeft -= rows
    // Proof: as above; one row of this layout is written, for which there is room.
    unsafe imgfetch_average_take(&sums, source.layout.cValue, across, max(1, rows), &made)
  }
}
