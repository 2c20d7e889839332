import CImageShim

/// Converts rows to another layout of the same width: adds or removes alpha, converts ink or grey to
/// colour, and 16 bits to 8.
package struct RowConverter: Sendable {
  package let from: PixelLayout
  package let to: PixelLayout
  /// The colour behind transparent pixels where alpha is removed.
  private let background: [3 of UInt8]

  /// - Parameter bits: Nil to keep the number of bits. 8 bits cannot become 16.
  package init(
    from: PixelLayout, to model: PixelLayout.Model, bits: Int? = nil, background: [3 of UInt8] = [255, 255, 255]
  ) {
    self.from = from
    to = PixelLayout(width: from.width, height: from.height, model: model, bits: min(from.bits, bits ?? from.bits))
    self.background = background
  }

  package var isIdentity: Bool { from == to }

  /// The bytes of an intermediate row, whose samples are narrowed after the model was changed.
  private var widest: Int { max(to.rowBytes, to.width * to.model.samples * (from.bits / 8)) }

  package func convert(_ row: [UInt8], into converted: inout [UInt8]) {
    precondition(row.count >= from.rowBytes, "not a row of this layout")
    if converted.count < widest { converted += [UInt8](repeating: 0, count: widest - converted.count) }
    // Proof: `row` has the bytes of its layout, and `wide` has room for the wider samples; both pointers
    // are used inside the closures only. The second step reads each sample before it writes a narrower
    // one at or before its place.
    unsafe row.withUnsafeBufferPointer { source in
      unsafe converted.withUnsafeMutableBufferPointer { target in
        guard let source = source.baseAddress, let target = target.baseAddress else { return }
        unsafe background.span.withUnsafeBufferPointer {
          guard let colour = $0.baseAddress else { return }
          unsafe imgfetch_convert_row(
            source, from.model.rawValue, target, to.model.rawValue, UInt8(clamping: from.bits), from.width, colour)
        }
        if to.bits < from.bits { unsafe imgfetch_narrow_row(target, target, to.width * to.model.samples) }
      }
    }
    if converted.count > to.rowBytes { converted.removeLast(converted.count - to.rowBytes) }
  }
}
