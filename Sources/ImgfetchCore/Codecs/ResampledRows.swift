import CImageShim

/// Rows scaled to another size through zimg, by Lanczos' filter over three lobes; colours are weighed by their alpha. They take what
/// their ``Scaling`` says.
@safe
package final class ResampledRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private var row: [UInt8]
  private let format: ImageFormat
  private let handle: OpaquePointer

  /// The rows of `source` as `scaling` says, which was worked out for them.
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
        source.layout.seam, scaling.region.seam, layout.seam.width, layout.seam.height, &trouble)
    else { throw PixelFailure(trouble, format) }
    unsafe handle = opened
    allow(scratch: scaling.scratch)
  }

  deinit { unsafe imgfetch_resampler_close(handle) }

  /// So many bytes may be taken while a band of rows is made, instead of what was guessed beforehand.
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
