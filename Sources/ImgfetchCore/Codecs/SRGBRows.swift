import CImageShim

/// Rows converted from a profile's colours to sRGB, by Little CMS.
@safe
package final class SRGBRows: RowSource {
  package let layout: PixelLayout
  private let source: any RowSource
  private var row: [UInt8]
  private let handle: OpaquePointer

  /// Nil where the profile does not apply to such pixels.
  package init?(_ source: any RowSource, profile: [UInt8], _ format: ImageFormat) throws(PixelFailure) {
    var trouble = imgfetch_trouble()
    // Proof: the profile is read during the call; the handle is closed in deinit and used by this object only.
    guard
      let opened = unsafe profile.withUnsafeBufferPointer({ bytes -> OpaquePointer? in
        guard let base = bytes.baseAddress else { return nil }
        return unsafe imgfetch_colours_open(base, bytes.count, source.layout.cValue, &trouble)
      })
    else {
      if Int(trouble.kind) == IMGFETCH_UNSUPPORTED { throw PixelFailure(trouble, format) }
      return nil
    }
    unsafe handle = opened
    self.source = source
    layout = source.layout.with(model: source.layout.model.hasAlpha ? .rgba : .rgb)
    row = [UInt8](repeating: 0, count: source.layout.rowBytes)
  }

  deinit { unsafe imgfetch_colours_close(handle) }

  package func read(into made: inout [UInt8]) throws(PixelFailure) {
    precondition(made.count >= layout.rowBytes, "a row of this layout does not fit")
    try source.read(into: &row)
    // Proof: one row of each layout is read and written, for which there is room.
    unsafe imgfetch_colours_convert(handle, row, &made, layout.width)
  }
}
