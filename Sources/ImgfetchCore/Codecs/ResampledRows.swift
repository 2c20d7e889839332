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
    layout = source.layout.with(scaling.size)
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
    if unsafe !imgfetch_resampler_take(handle, &made, &trouble) { throw PixelFailure(trouble, format) }
  }
}

extension PixelLayout {
  /// The layout of the means of cells of so many pixels. The last cells may be smaller.
  func averaged(across: Int, down: Int) -> PixelLayout {
    with(PixelSize((width + across - 1) / across, (height + down - 1) / down))
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
    layout = source.layout.averaged(across: self.across, down: self.down)
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
