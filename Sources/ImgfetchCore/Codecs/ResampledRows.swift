import CImageShim

/// Rows scaled to another size through zimg, by Lanczos' filter over three lobes; colours are weighed by their alpha.
@safe
package final class ResampledRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private var row: [UInt8]
  private let format: ImageFormat
  private let handle: OpaquePointer

  /// - Parameters:
  ///   - source: Not of ink.
  ///   - region: The part of it that is scaled.
  ///   - memory: Bytes that may be held.
  ///   - format: The image's, for errors.
  package init(
    _ source: any RowSource, _ region: PixelRegion, to size: PixelSize, memory: Int64, _ format: ImageFormat
  ) throws(PixelFailure) {
    precondition(source.layout.model != .cmyk, "ink is mixed before it is scaled")
    self.source = source
    self.format = format
    layout = PixelLayout(
      width: size.width, height: size.height, model: source.layout.model, bits: source.layout.bits)
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
    var trouble = imgfetch_trouble()
    let seam = imgfetch_region(left: region.left, top: region.top, width: region.width, height: region.height)
    // Proof: the handle is closed in deinit and used by this object only.
    guard
      let opened = unsafe imgfetch_resampler_open(
        source.layout.seam, seam, layout.seam.width, layout.seam.height, UInt64(max(0, memory)), &trouble)
    else { throw PixelFailure(trouble, format) }
    unsafe handle = opened
  }

  deinit { unsafe imgfetch_resampler_close(handle) }

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
